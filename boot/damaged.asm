; The end of a damaged image.
;
; Duties
;   damaged      from boot/check.asm: end with the document below and the verdict "broken"
;
; Register contract: flat segments, interrupts off, no stack needed. Does not return. Memory: none.

bits 32

extern last_words                       ; boot/last_words.asm

global damaged

WHITE_ON_RED    equ 0x4F
VERDICT_BROKEN  equ 0x12

section .check progbits alloc exec nowrite align=16

damaged:
        mov     esi, document
        mov     eax, WHITE_ON_RED << 8 | VERDICT_BROKEN
        jmp     last_words

; A document as docs/log.md defines it, with the check code of its point.
document:
        db "TAP version 13", 13, 10
        db "1..1", 13, 10
        db "not ok 1 - boot.image #E3C6", 13, 10
        db "Bail out! the image is damaged: it is not what was built; write the medium again", 13, 10, 0

section .note.GNU-stack noalloc noexec nowrite progbits
