; Exceptions as a processor pushes them: one line a case on COM1, expected by exceptions.t.
;
; Duties: with paging on (identity, but for pages that are missing, read-only or the supervisor's) cause one exception after
;   another, every kind more than once, and write what the handler finds: interrupt vector, error code, how far the pushed EIP is from
;   where the case expects it, pushed RF, CR2.
; Registers: all change. Memory: what is in this file.

%include "start.inc"

%define CR0_NW     20000000h
%define CR0_WP_PG  80010000h
%define CR4_RESERVED 800h
%define STAR       0C0000081h
%define LSTAR      0C0000082h
%define FS_BASE    0C0000100h
%define RF_BIT     16

%define MISSING    200000h              ; pages that are not mapped, mapped for reading, mapped for CPL 0 to 2
%define READ_ONLY  201000h
%define SUPERVISOR 202000h
%define INTERRUPTS 32
%define NO_ERROR   0EEEEEEEEh            ; the interrupt has no error code
%define ROUNDS     2

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

main:
        mov eax, tss
        mov [tss_entry + 2], ax
        shr eax, 16
        mov [tss_entry + 4], al
        mov [tss_entry + 7], ah
        mov dword [tss + 4], stack_top - 4
        mov dword [tss + 8], DATA
        mov word [tss + 102], 104       ; the bitmap of the ports begins beyond the limit
        mov eax, TSS
        ltr ax
        xor ecx, ecx
.gate:  mov eax, [stubs + ecx * 4]
        call set_gate
        inc ecx
        cmp ecx, INTERRUPTS
        jb .gate
        call map

; ---- The cases, twice: exceptions.t has the line of each ----

        mov ebp, ROUNDS
round:
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

        mov edi, READ_ONLY
        fault_at here, mov [edi + 12], eax
        fault_at MISSING, jmp MISSING
        fault_at MISSING + 16, call MISSING + 16

        fault_at here, syscall
        fault_at here, rdtscp
        fault_at here, pshufb mm0, mm1
        fault_at here, db 0FFh, 0D8h    ; CALL FAR EAX, which does not exist
        trap int 17                     ; the number of #AC, but INT n pushes no error code

        fault_at_cpl3 here, mov eax, [SUPERVISOR + 20]
        fault_at_cpl3 here, mov [READ_ONLY + 24], eax
        fault_at_cpl3 SUPERVISOR, jmp SUPERVISOR
        mov dword [expected], .int1     ; INT1 asks no gate for its DPL
        mov dword [resume], .int1
        to_cpl3 .at_cpl3
.at_cpl3:
        db 0F1h
.int1:  and byte [idt + 8 + 5], 7Fh     ; that gate is not present: EXT is set
        fault_at here, db 0F1h
        or byte [idt + 8 + 5], 80h
        and byte [idt + 6 * 8 + 5], 7Fh ; #UD is not contributory: #NP, and no #DF
        fault_at here, syscall
        or byte [idt + 6 * 8 + 5], 80h
        mov dx, COM1
        fault_at_cpl3 here, in eax, 80h ; IOPL is 0, and the TSS has no bitmap
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
        dec ebp
        jnz near round
        mov esp, stack_top - 4          ; where main was called
        ret

; ---- Paging ----

; Identity: 4 MB pages, but a table for the first 4 MB.
map:
        mov eax, PRESENT | WRITABLE | USER | LARGE
        call map_all
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
        mov eax, cr0
        or eax, CR0_WP_PG
        mov cr0, eax
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
        call load_data
        mov eax, [esp]
        call say_number
        mov eax, [esp + 4]
        call say_number
        mov eax, [esp + 8]
        sub eax, [expected]
        call say_number
        mov eax, [esp + 16]
        shr eax, RF_BIT
        and eax, 1
        call say_number
        mov eax, cr2
        call say_number
        xor eax, eax
        mov cr2, eax
        call new_line
        mov esp, stack_top - 4
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

say_number:
        call say_hex
        mov al, ' '
        jmp put

section .data
data3:     dw DATA3
expected:  dd 0
resume:    dd 0

section .bss
table:  resd 1024
tss:    resb 104
        resb 256
user_stack_top:
