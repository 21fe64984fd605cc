; Exceptions as a processor pushes them: one line a case on COM1, expected by exceptions.t.
;
; Duties: with paging on (identity, but for pages that are missing, read-only or the supervisor's) cause one exception after
;   another, every kind more than once, and write what the handler finds: interrupt vector, error code, how far the pushed EIP is from
;   where the case expects it, pushed RF, CR2.
; Registers: all change. Memory: what is in this file.

%define COM1       3F8h
%define DEBUG_EXIT 0F4h
%define SKIPPED    13h

%define MB1_MAGIC  1BADB002h

%define CR0_PE     1
%define CR0_NW     20000000h
%define CR4_RESERVED 800h
%define STAR       0C0000081h
%define LSTAR      0C0000082h
%define FS_BASE    0C0000100h
%define CR0_WP_PG  80010000h
%define CR4_PSE    010h
%define PRESENT    001h
%define WRITABLE   002h
%define USER       004h
%define LARGE      080h
%define EFLAGS_ONE 2h
%define EFLAGS_TF  100h
%define EFLAGS_IF  200h
%define EFLAGS_RF  10000h
%define RF_BIT     16
%define DR7_EXECUTE_0 402h              ; G0; breakpoint 0 is on execution
%define DR7_NONE   400h

%define CODE       08h
%define DATA       10h
%define ABSENT     18h                  ; a data segment that is not present
%define CODE3      23h
%define DATA3      2Bh
%define TSS        30h
%define SMALL3     3Bh                  ; data of 4 KB at 0
%define DOWN       40h                  ; data from 4 KB on
%define READ_DATA  48h                  ; data that can only be read
%define EDGE       50h                  ; code of one byte
%define BEYOND     1238h                ; beyond the GDT's limit

%define MISSING    200000h              ; pages that are not mapped, mapped for reading, mapped for CPL 0 to 2
%define READ_ONLY  201000h
%define SUPERVISOR 202000h
%define IPI        32
%define INTERRUPTS    33
%define APIC       0FEE00000h
%define APIC_EOI   APIC + 0B0h
%define APIC_SVR   APIC + 0F0h
%define APIC_ICR   APIC + 300h
%define SVR_ON     1FFh
%define TO_ITSELF  44000h
%define NO_ERROR   0EEEEEEEEh            ; the interrupt has no error code
%define NO_MSR     0FFFFFFFFh
%define ROUNDS     2

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

; The handler is to find %2 as EIP if %1 is the word here, and else %1.
%macro expect_eip 2
%ifidn %1, here
        mov dword [expected], %2
%else
        mov dword [expected], %1
%endif
%endmacro

; The instruction is expected to fault, with its own address or else %1 as EIP.
%macro fault_at 2+
        expect_eip %1, %%at
        mov dword [resume], %%end
%%at:   %2
        call no_exception
%%end:
%endmacro

; Go to CPL 3 and there to %1. IRET makes a DS of CPL 0 a null selector.
%macro to_cpl3 1
        mov ds, [data3]
        push dword DATA3
        push dword user_stack_top
        push dword EFLAGS_ONE
        push dword CODE3
        push dword %1
        iretd
%endmacro

; As fault_at, at CPL 3.
%macro fault_at_cpl3 2+
        expect_eip %1, %%at
        mov dword [resume], %%end
        to_cpl3 %%at
%%at:   %2
        ud2
%%end:
%endmacro

; The instruction is a trap: EIP is behind it.
%macro trap 1+
        mov dword [expected], %%end
        mov dword [resume], %%end
        %1
%%end:
%endmacro

global _start
_start:
        cli
        cld
        mov esp, stack_top
        mov eax, tss
        mov [tss_entry + 2], ax
        shr eax, 16
        mov [tss_entry + 4], al
        mov [tss_entry + 7], ah
        lgdt [gdtr]
        jmp CODE:.flat
.flat:  call load_data
        mov dword [tss + 4], stack_top
        mov dword [tss + 8], DATA
        mov word [tss + 102], 104       ; the bitmap of the ports begins beyond the limit
        mov eax, TSS
        ltr ax
        mov edi, idt
        mov esi, stubs
.gate:  lodsd
        mov [edi], ax
        mov word [edi + 2], CODE
        mov word [edi + 4], 8E00h       ; present, DPL 0, interrupt gate of 32 bits
        shr eax, 16
        mov [edi + 6], ax
        add edi, 8
        cmp esi, stubs + INTERRUPTS * 4
        jb .gate
        lidt [idtr]
        call map
        mov dword [APIC_SVR], SVR_ON

; ---- The cases, twice: exceptions.t has the line of each ----

        mov ebp, ROUNDS
round:
        mov eax, BEYOND | 3
        fault_at here, mov es, eax
        mov eax, ABSENT
        fault_at here, mov es, eax
        mov eax, ABSENT
        fault_at here, mov ss, eax
        mov ecx, NO_MSR
        fault_at here, rdmsr
        mov edx, 8000h                  ; LSTAR holds only addresses of 48 bits with their sign
        mov ecx, LSTAR
        fault_at here, wrmsr
        mov ecx, STAR
        call kept                       ; STAR and FS_BASE hold what is written
        mov ecx, FS_BASE
        call kept
        mov eax, cr4
        or eax, CR4_RESERVED
        fault_at here, mov cr4, eax
        mov eax, cr0
        or eax, CR0_NW
        fault_at here, mov cr0, eax     ; without CD
        mov eax, cr0
        and eax, ~CR0_PE
        fault_at here, mov cr0, eax     ; with PG

        mov edi, MISSING
        fault_at here, mov eax, [edi + 4]
        fault_at here, mov [edi + 8], eax
        mov edi, READ_ONLY
        fault_at here, mov [edi + 12], eax
        fault_at MISSING, jmp MISSING
        fault_at MISSING + 16, call MISSING + 16

        xor edx, edx
        xor ecx, ecx
        fault_at here, div ecx
        fault_at here, ud2
        fault_at here, syscall
        fault_at here, rdtscp
        fault_at here, pshufb mm0, mm1
        fault_at here, db 0FFh, 0D8h    ; CALL FAR EAX, which does not exist
        trap int3
        trap int 17                     ; the number of #AC, but INT n pushes no error code

        fault_at_cpl3 here, mov eax, [SUPERVISOR + 20]
        fault_at_cpl3 here, mov [READ_ONLY + 24], eax
        fault_at_cpl3 SUPERVISOR, jmp SUPERVISOR
        fault_at_cpl3 here, hlt
        fault_at_cpl3 here, int 16
        mov dword [expected], .int1     ; INT1 asks no gate for its DPL
        mov dword [resume], .int1
        to_cpl3 .at_cpl3
.at_cpl3:
        db 0F1h
.int1:  and byte [idt + 8 + 5], 7Fh     ; that gate is not present: EXT is set
        fault_at here, db 0F1h
        or byte [idt + 8 + 5], 80h
        mov dx, COM1
        fault_at_cpl3 here, in al, dx   ; IOPL is 0, and the TSS has no bitmap
        fault_at_cpl3 here, out dx, al
        fault_at_cpl3 here, in eax, 80h
        fault_at_cpl3 here, outsb
        mov word [tss + 102], 0         ; the bitmap is the TSS: its first bytes, for ports 0 to 31, are zeros
        mov dword [expected], .allowed
        mov dword [resume], .allowed_end
        to_cpl3 .in
.in:    in al, 1Fh
.allowed:
        ud2
.allowed_end:
        mov word [tss + 102], 104

        xor eax, eax                    ; segments, by their limits and rights
        mov es, eax
        mov fs, eax
        fault_at here, mov al, [es:scratch]
        fault_at here, mov al, [fs:scratch]
        mov es, [small3]
        mov eax, [es:0FFCh]
        fault_at here, mov eax, [es:0FFDh]
        mov es, [small3]                ; the handler has loaded ES
        mov edi, 1000h
        fault_at here, scasb
        mov es, [down]
        mov al, [es:1000h]
        fault_at here, mov eax, [es:0FFFh]
        mov es, [read_data]
        mov al, [es:scratch]
        fault_at here, inc byte [es:scratch]
        mov es, [flat_data]
        mov al, [cs:scratch]
        fault_at here, mov [cs:scratch], al
        expect_eip here, .push
        mov dword [resume], .pushed
        push dword SMALL3
        push dword 2000h
        push dword EFLAGS_ONE
        push dword CODE3
        push dword .push
        iretd
.push:  push eax                        ; beyond the limit of SS
.pushed:
        mov eax, .edge
        mov [edge_entry + 2], ax
        shr eax, 16
        mov [edge_entry + 4], al
        mov [edge_entry + 7], ah
        fault_at 1, jmp EDGE:0          ; the second byte there is beyond the limit of CS
        jmp .over
.edge:  nop
        nop
.over:

        mov dword [expected], .stop     ; an instruction breakpoint
        mov dword [resume], .again
        mov eax, .stop
        mov dr0, eax
        mov eax, DR7_EXECUTE_0
        mov dr7, eax
        jmp .stop
.again:
        mov dword [expected], .passed   ; RF lets the instruction pass
        mov dword [resume], .passed
        push dword EFLAGS_RF | EFLAGS_ONE
        push dword CODE
        push dword .stop
        iretd
.stop:  int3
.passed:
        mov dword [expected], .held     ; an interrupt between IRET and that instruction saves RF, whose breakpoint
        mov dword [resume], .restored   ; is passed after it, too
        mov eax, .held
        mov dr0, eax
        mov dword [APIC_ICR], TO_ITSELF | IPI
        push dword EFLAGS_RF | EFLAGS_IF | EFLAGS_ONE
        push dword CODE
        push dword .held
        iretd
.held:  int3

.restored:                              ; RF stays between the iterations of a string instruction
        mov dword [expected], .copied
        mov dword [resume], .copied
        mov eax, .copy
        mov dr0, eax
        mov esi, copied
        mov edi, copied
        mov ecx, 3
        push dword EFLAGS_RF | EFLAGS_ONE
        push dword CODE
        push dword .copy
        iretd
.copy:  rep movsb
        int3
.copied:
        mov eax, DR7_NONE
        mov dr7, eax

        push dword EFLAGS_RF | EFLAGS_ONE       ; RF lasts for one instruction, without a breakpoint as with one
        push dword CODE
        push dword .resumed
        iretd
.resumed:
        mov eax, .next
        mov dr0, eax
        mov dword [expected], .next
        mov dword [resume], .caught
        mov eax, DR7_EXECUTE_0
        mov dr7, eax
.next:  call no_exception
.caught:
        mov eax, DR7_NONE
        mov dr7, eax

        mov dword [expected], .stepped  ; a single step
        mov dword [resume], .stepped
        push dword EFLAGS_TF | EFLAGS_ONE
        popfd
        nop
.stepped:
        dec ebp
        jnz near round
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al
        hlt

; ---- Paging ----

; Identity: 4 MB pages, but a table for the first 4 MB.
map:
        mov edi, directory
        mov eax, PRESENT | WRITABLE | USER | LARGE
.large: mov [edi], eax
        add edi, 4
        add eax, 400000h
        jnc .large
        mov edi, table
        mov eax, PRESENT | WRITABLE | USER
.small: mov [edi], eax
        add edi, 4
        add eax, 1000h
        cmp eax, 400000h
        jb .small
        mov dword [table + MISSING / 1000h * 4], 0
        mov dword [table + READ_ONLY / 1000h * 4], READ_ONLY | PRESENT | USER
        mov dword [table + SUPERVISOR / 1000h * 4], SUPERVISOR | PRESENT | WRITABLE
        mov dword [directory], table + (PRESENT | WRITABLE | USER)
        mov eax, directory
        mov cr3, eax
        mov eax, cr4
        or eax, CR4_PSE
        mov cr4, eax
        mov eax, cr0
        or eax, CR0_WP_PG
        mov cr0, eax
        ret

load_data:
        mov eax, DATA
        mov ds, eax
        mov es, eax
        mov ss, eax
        ret

; ---- Handlers ----

%macro stub 1
stub%1:
%if %1 != 8 && (%1 < 10 || %1 > 14)     ; of #AC only INT 17 comes here
        push dword NO_ERROR
%endif
        push dword %1
        jmp handler
%endmacro

%assign v 0
%rep INTERRUPTS
        stub v
%assign v v + 1
%endrep

align 4
stubs:
%assign v 0
%rep INTERRUPTS
        dd stub %+ v
%assign v v + 1
%endrep

; On the stack: interrupt vector, error code or NO_ERROR, EIP, CS, EFLAGS.
handler:
        mov eax, DATA
        mov ds, eax
        mov es, eax
        mov eax, [esp]
        call say
        mov eax, [esp + 4]
        call say
        mov eax, [esp + 8]
        sub eax, [expected]
        call say
        mov eax, [esp + 16]
        shr eax, RF_BIT
        and eax, 1
        call say
        mov eax, cr2
        call say
        xor eax, eax
        mov cr2, eax
        mov [APIC_EOI], eax
        call new_line
        mov ss, [flat_data]
        mov esp, stack_top
        jmp [resume]

; Does the MSR in ECX hold what is written? If not, say so. Changes EAX, EDX.
kept:   mov eax, 55h
        xor edx, edx
        wrmsr
        xor eax, eax
        rdmsr
        cmp eax, 55h
        jne no_exception
        ret

no_exception:
        mov al, '-'
        call put
        call new_line
        ret

; A hexadecimal number in EAX and a blank. Changes EAX, EBX, ECX, EDX.
say:
        mov ebx, eax
        mov ecx, 8
.digit: rol ebx, 4
        mov eax, ebx
        and eax, 15
        mov al, [digits + eax]
        call put
        loop .digit
        mov al, ' '
put:
        mov dx, COM1
        out dx, al
        ret

new_line:
        mov al, 10
        jmp put

digits:    db "0123456789ABCDEF"
flat_data: dw DATA
data3:     dw DATA3
expected:  dd 0
resume:    dd 0
copied:    dd 0
scratch:   dd 0
small3:    dw SMALL3
down:      dw DOWN
read_data: dw READ_DATA

align 8
gdt:    dq 0
        dq 00CF9B000000FFFFh            ; CODE
        dq 00CF93000000FFFFh            ; DATA
        dq 00CF13000000FFFFh            ; ABSENT
        dq 00CFFB000000FFFFh            ; CODE3
        dq 00CFF3000000FFFFh            ; DATA3
tss_entry:
        dq 0000890000000067h
        dq 0040F30000000FFFh            ; SMALL3
        dq 0040970000000FFFh            ; DOWN, expand-down
        dq 00CF91000000FFFFh            ; READ_DATA
edge_entry:
        dq 00409B0000000000h            ; EDGE
gdtr:   dw gdtr - gdt - 1
        dd gdt
idtr:   dw INTERRUPTS * 8 - 1
        dd idt

section .bss align=4096 nobits alloc noexec write
directory: resd 1024
table:  resd 1024
idt:    resq INTERRUPTS
tss:    resb 104
        resb 256
user_stack_top:
        resb 256
stack_top:
