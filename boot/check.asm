; The entry point: nothing else of an image runs before its CRC-32 was checked.
;
; Duties
;   start        from the multiboot loader: compute the CRC-32 of [image_begin, image_crc), compare it with the one that
;                boot/stamp stored at image_crc when the image was built, and go on to processor_check or to damaged
; A damaged image is never entered, because nobody can say what it would do to the machine.
;
; Register contract: as the multiboot loader left it (flat segments, interrupts off, no stack needed). EAX and EBX
; reach processor_check as they came; every other register changes.
;
; Memory: reads the image; the CRC's table is in .bss.

bits 32

extern image_begin                      ; boot/kernel.ld
extern image_crc                        ; boot/kernel.ld
extern processor_check                  ; boot/processor.asm
extern damaged                          ; boot/damaged.asm

global start

CRC_POLYNOMIAL  equ 0xEDB88320          ; 04C11DB7H, its bits reflected

section .check progbits alloc exec nowrite align=16

start:
        cli
        cld
        mov     ebp, eax
        xor     ecx, ecx                ; a table of 256 entries, for speed: simulators run this on every boot too
.entry:
        mov     eax, ecx
        mov     edx, 8
.bit:
        shr     eax, 1
        jnc     .clear
        xor     eax, CRC_POLYNOMIAL
.clear:
        dec     edx
        jnz     .bit
        mov     [crc_table + ecx * 4], eax
        inc     cl
        jnz     .entry
        mov     esi, image_begin
        or      eax, -1
.byte:
        movzx   edx, byte [esi]
        xor     dl, al
        shr     eax, 8
        xor     eax, [crc_table + edx * 4]
        inc     esi
        cmp     esi, image_crc
        jne     .byte
        not     eax
        cmp     eax, [image_crc]
        jne     damaged
        mov     eax, ebp
        jmp     processor_check

section .bss align=16 nobits alloc noexec write

crc_table:      resd 256

section .note.GNU-stack noalloc noexec nowrite progbits
