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
; Memory: reads the image, in words, because both ends are on addresses that 4 divides; the CRC's tables are in .bss.

bits 32

extern image_begin                      ; boot/kernel.ld
extern image_crc                        ; boot/kernel.ld
extern processor_check                  ; boot/processor.asm
extern damaged                          ; boot/damaged.asm

global start

CRC_POLYNOMIAL  equ 0xEDB88320          ; 04C11DB7H, its bits reflected
TABLE_ENTRIES   equ 256
TABLE_BYTES     equ TABLE_ENTRIES * 4
TABLES          equ 4                   ; one for each byte of a word
FURTHER_ENTRIES equ (TABLES - 1) * TABLE_ENTRIES

section .check progbits alloc exec nowrite align=16

start:
        cli
        cld
        mov     ebp, eax
        xor     ecx, ecx                ; tables for four bytes at once: simulators run this on every boot too
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
        mov     [crc_tables + ecx * 4], eax
        inc     cl
        jnz     .entry
        ; Each further table is made from the one before it: the CRC of the same byte followed by one more byte of 0.
.further_entry:
        mov     eax, [crc_tables + ecx * 4]
        movzx   edx, al
        shr     eax, 8
        xor     eax, [crc_tables + edx * 4]
        mov     [crc_tables + TABLE_BYTES + ecx * 4], eax
        inc     ecx
        cmp     ecx, FURTHER_ENTRIES
        jne     .further_entry
        mov     esi, image_begin
        sub     esi, image_crc          ; counts up to 0
        or      eax, -1
.word:
        xor     eax, [image_crc + esi]
        movzx   ecx, al
        movzx   edx, ah
        mov     edi, [crc_tables + 3 * TABLE_BYTES + ecx * 4]   ; three more bytes follow this one
        xor     edi, [crc_tables + 2 * TABLE_BYTES + edx * 4]
        shr     eax, 16
        movzx   ecx, al
        movzx   edx, ah
        xor     edi, [crc_tables + TABLE_BYTES + ecx * 4]
        mov     eax, [crc_tables + edx * 4]
        xor     eax, edi
        add     esi, 4
        jnz     .word
        not     eax
        cmp     eax, [image_crc]
        jne     damaged
        mov     eax, ebp
        jmp     processor_check

section .bss align=16 nobits alloc noexec write

crc_tables:     resb TABLES * TABLE_BYTES

section .note.GNU-stack noalloc noexec nowrite progbits
