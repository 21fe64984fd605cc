; Kernels that do what p4sim does not expect of a kernel, one by WAY; what p4sim makes of them is tested in hostile.t.
;
;   LOST_CR3    a page directory of zeros while paging is on: no page is mapped any more
;   LOST_PAE    CR4.PAE set over a 32-bit page directory
;   ADDRESS_0   code at address 0, after a block that is as long as one may be before p4sim cuts it
;   ZEROS       a jump into RAM that holds zeros
;   ONCE        instructions on end, each of which runs once
;   X87         2,000 x87 instructions on end, which the kernel wrote itself
;   REMAP       a page that is mapped elsewhere
;   HIGH        code in such a page
;   LONG        64-bit mode
;   ROM         stores to the boot ROM, one of them across its beginning, without paging and with it
;   SMI         an interprocessor SMI
;   DATA_BP     a breakpoint on data
;   FAST_CALL   a selector for SYSENTER
;   TASK_GATE   an exception through a task gate
;   VM86        IRET to virtual-8086 mode
;   REAL        an exception in real mode
;   FAR         behind a loop that p4sim executes by whole blocks, a far CALL of a register, which libunicorn aborts on
; Registers: all change; interrupts never on. Memory: what is in this file, and 2 MB on.

%define COM1      3F8h
%define MB1_MAGIC 1BADB002h

%define CR0_PE    1
%define CR0_PG    80000000h
%define CR4_PSE   10h
%define CR4_PAE   20h
%define EFLAGS_ONE 2
%define EFLAGS_VM 20000h
%define PRESENT   1
%define WRITABLE  2
%define LARGE     80h
%define CODE      08h
%define DATA      10h
%define CODE16    18h
%define TSS       20h
%define FREE      200000h
%define APIC      0FEE00000h
%define EFER      0C0000080h
%define SYSENTER_CS 174h
%define EFER_LME  100h
%define LOW       7C00h
%define BOOT_ROM  0FFFFF000h

%define LOST_CR3  1
%define LOST_PAE  2
%define ZEROS     3
%define TASK_GATE 4
%define VM86      5
%define REAL      6
%define X87       7
%define REMAP     8
%define HIGH      9
%define LONG      10
%define SMI       11
%define DATA_BP   12
%define FAST_CALL 13
%define ADDRESS_0 14
%define ROM       15
%define FAR       16
%define ONCE      17

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

global _start
_start:
        cli
        mov esp, stack_top
        lgdt [gdtr]
        jmp CODE:.flat
.flat:  mov eax, DATA
        mov ds, eax
        mov es, eax
        mov ss, eax
        lidt [idtr]
        mov edi, directory              ; identity, in 4 MB pages
        mov eax, PRESENT | WRITABLE | LARGE
.large: mov [edi], eax
        add edi, 4
        add eax, 400000h
        jnc .large
        mov eax, directory
        mov cr3, eax
        mov eax, cr4
        or eax, CR4_PSE
        mov cr4, eax
        mov al, '.'
        mov dx, COM1
        out dx, al

%if WAY = LOST_CR3 || WAY = LOST_PAE
        mov eax, cr0
        or eax, CR0_PG
        mov cr0, eax
        jmp .paged
.paged:
%if WAY = LOST_CR3
        mov eax, FREE
        mov cr3, eax
%else
        mov eax, cr4
        or eax, CR4_PAE
        mov cr4, eax
%endif
        nop
        jmp $

%elif WAY = ZEROS
        mov eax, FREE                   ; the zeros are ADD [EAX], AL
        jmp FREE

%elif WAY = ONCE
        mov edi, FREE
        mov ecx, 200000h
        mov eax, 00080008h              ; OR [EAX], AL, twice
        rep stosd
        mov eax, FREE - 100h
        jmp FREE

%elif WAY = ADDRESS_0
        mov byte [0], 0F4h              ; HLT
        push dword 0
        jmp .long
align 1024                              ; one page holds it all
.long:  times 383 nop
        ret                             ; byte 384, BLOCK_BYTES of sim/engine/translation.c

%elif WAY = ROM
        call .store
        mov eax, cr0
        or eax, CR0_PG
        mov cr0, eax
        jmp .paged
.paged: call .store
        mov al, '!'
        mov dx, COM1
        out dx, al
        cli
        hlt
.store: mov ebx, [BOOT_ROM]
        mov ecx, ebx
        not ecx
        mov [BOOT_ROM], ecx
        mov [BOOT_ROM - 2], ecx
        lock xor [BOOT_ROM], ecx
        cmp [BOOT_ROM], ebx
        jne $
        ret

%elif WAY = X87
        mov edi, FREE
        mov ecx, 2000
        mov ax, 0C9D9h                  ; FXCH ST1
        rep stosw
        mov al, 0C3h                    ; RET
        stosb
        fninit
        fld1
        fld1
        call FREE
        mov al, '!'
        mov dx, COM1
        out dx, al
        cli
        hlt

%elif WAY = REMAP || WAY = HIGH
        mov dword [directory + 0C00h], PRESENT | WRITABLE | LARGE       ; C0000000H is 0
        mov eax, cr0
        or eax, CR0_PG
        mov cr0, eax
        jmp .paged
.paged:
%if WAY = HIGH
        mov eax, .high + 0C0000000h
        jmp eax
.high:
%endif
        cli
        hlt

%elif WAY = LONG
        mov ecx, EFER
        mov eax, EFER_LME
        xor edx, edx
        wrmsr
        mov eax, cr4
        or eax, CR4_PAE
        mov cr4, eax
        mov eax, cr0
        or eax, CR0_PG
        mov cr0, eax
        nop

%elif WAY = FAST_CALL
        mov ecx, SYSENTER_CS
        mov eax, CODE
        xor edx, edx
        wrmsr
        wrmsr
        cli
        hlt

%elif WAY = SMI
        mov dword [APIC + 0F0h], 1FFh
        mov dword [APIC + 300h], 44200h         ; to itself
        cli
        hlt

%elif WAY = DATA_BP
        mov eax, FREE
        mov dr0, eax
        mov eax, 10402h                         ; on writes
        mov dr7, eax
        mov dr7, eax
        cli
        hlt

%elif WAY = FAR
        mov ecx, 100000
.lap:   dec ecx
        jnz .lap
        db 0FFh, 0D8h                           ; raises #UD

%elif WAY = TASK_GATE
        int3

%elif WAY = VM86
        push dword 0                    ; GS, FS, DS, ES, SS, ESP
        push dword 0
        push dword 0
        push dword 0
        push dword 0
        push dword 1000h
        push dword EFLAGS_VM | EFLAGS_ONE
        push dword 0
        push dword LOW
        mov word [LOW], 0FEEBh          ; a jump to itself
        iretd

%elif WAY = REAL
        mov edi, LOW                    ; real mode reaches only what is below 1 MB
        mov esi, low
        mov ecx, low.end - low
        rep movsb
        jmp CODE16:0
bits 16
low:    mov eax, cr0
        and al, ~CR0_PE
        mov cr0, eax
        jmp LOW / 16:.real - low
.real:  ud2
.end:
bits 32
%endif

align 8
gdt:    dq 0
        dq 00CF9B000000FFFFh            ; CODE
        dq 00CF93000000FFFFh            ; DATA
        dq 00009B007C00FFFFh            ; CODE16, base LOW
        dq 0000890000000067h            ; TSS, at 0
gdtr:   dw gdtr - gdt - 1
        dd gdt
idt:    dq 0, 0, 0
        dq 0000850000200000h            ; 3: task gate
idtr:   dw idtr - idt - 1
        dd idt

section .bss align=4096 nobits alloc noexec write
directory: resd 1024
        resb 256
stack_top:
