; Where a start-up IPI (SIPI) makes the second logical processor begin: real mode, CS = page << 8, IP = 0.
;
; Duty: go to protected mode with our GDT and jump to ap_start32.
; The code is copied to a page below 1 MB (kernel/smp/smp.c), so everything is addressed relative to CS; only the
; GDT and the target of the jump are absolute.
;
; Register contract: changes EAX; interrupts stay off. Memory: none, no stack.

bits 16

extern ap_start32
extern gdt
extern gdt_bytes
extern kernel_code_selector

global trampoline_begin
global trampoline_end

CR0_PE equ 1 << 0

section .rodata progbits alloc noexec nowrite align=4

trampoline_begin:
        cli
        o32 lgdt [cs:.gdt_pointer - trampoline_begin]
        mov     eax, cr0
        or      al, CR0_PE
        mov     cr0, eax
        jmp     dword kernel_code_selector:ap_start32
        align 4, db 0
.gdt_pointer:
        dw gdt_bytes - 1
        dd gdt
trampoline_end:

section .note.GNU-stack noalloc noexec nowrite progbits
