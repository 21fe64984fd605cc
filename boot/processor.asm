; A processor that cannot run the kernel, which is compiled for CMOV and needs MSRs: a 486 or a Pentium.
;
; Duties
;   processor_check  from boot/check.asm: go on to kernel_start on a processor with CPUID, TSC, MSRs and CMOV; end any
;                    other with the document below and the verdict "skip"
; Every NetBurst part has all four. Without this check the first CMOV would be a triple fault.
;
; Register contract: flat segments, interrupts off; EAX and EBX reach kernel_start as they came; every other register
; changes. Uses instructions of the 386 alone, up to CPUID.
;
; Memory: a few bytes of stack in .bss.

bits 32

extern kernel_start                     ; boot/entry.asm
extern last_words                       ; boot/last_words.asm

global processor_check

EFLAGS_ID       equ 1 << 21             ; can be changed where there is CPUID
CPUID_1_EDX     equ 1 << 4 | 1 << 5 | 1 << 15   ; TSC, MSRs, CMOV
BLACK_ON_BROWN  equ 0x60
VERDICT_SKIP    equ 0x13

section .text

processor_check:
        mov     esi, eax
        mov     edi, ebx
        mov     esp, stack_top
        pushfd
        pop     eax
        mov     ecx, eax
        xor     eax, EFLAGS_ID
        push    eax
        popfd
        pushfd
        pop     eax
        xor     eax, ecx
        test    eax, EFLAGS_ID
        jz      .unsuitable
        xor     eax, eax
        cpuid
        test    eax, eax
        jz      .unsuitable
        mov     eax, 1
        cpuid
        and     edx, CPUID_1_EDX
        cmp     edx, CPUID_1_EDX
        jne     .unsuitable
        mov     eax, esi
        mov     ebx, edi
        jmp     kernel_start
.unsuitable:
        mov     esi, document
        mov     eax, BLACK_ON_BROWN << 8 | VERDICT_SKIP
        jmp     last_words

section .rodata progbits alloc noexec nowrite align=4

; A document as docs/log.md defines it, with the CRC-32 of its end line.
document:
        db "TAP version 13", 13, 10
        db "1..0 # SKIP not a NetBurst processor: it lacks CPUID, the TSC, MSRs or CMOV", 13, 10
        db "# END OF TAP: skip, 3 lines, CRC-32 19CBD7F1", 13, 10, 0

section .bss align=4 nobits alloc noexec write

stack:          resd 4
stack_top:

section .note.GNU-stack noalloc noexec nowrite progbits
