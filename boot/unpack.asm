; What the loader starts: the kernel is packed inside this file, and leaves only here.
;
; Duties
;   1. unpack the kernel's image (one LZ4 block) to the address it is linked for, right behind us
;   2. check the CRC-32 of all its bytes against the one found when it was built
;   3. go to its entry
; An image that does not unpack or has another CRC is never entered: what it would do to the machine is
; anyone's guess. The words at the end of this file go to COM1 and to the text screen instead, and the machine
; halts, with the verdict "broken" for an emulator that listens. Other ports and a framebuffer would take tables
; to be read here, and so more code that nothing has checked.
;
; Register contract: as the multiboot loader left it (flat segments, interrupts off). EAX and EBX arrive at the
; kernel's entry as they came here; everything else is changed.
;
; Memory: [image_begin, image_end) is the kernel's, reserved and cleared by the loader because boot/unpack.ld
; makes it part of our .bss. A stack and the CRC's table are in .bss too.

bits 32

%include "packed.inc"                   ; made by boot/pack: IMAGE_BYTES, IMAGE_CRC32

extern image_begin                      ; of the kernel (boot/kernel.ld)
extern kernel_start                     ; boot/entry.asm
extern image_facts                      ; boot/entry.asm: what we tell the kernel

global start

STACK_BYTES     equ 64

; The LZ4 block format: sequences of a token, its literals, the distance and the length of a match. The last
; sequence has literals only.
TOKEN_LITERALS  equ 4                   ; token[7:4]: how many literals
LENGTH_MORE     equ 15                  ; token[3:0]: length of the match. 15: goes on in bytes, as long as they are 255
MATCH_SHORTEST  equ 4                   ; what a match length of 0 means

CRC_POLYNOMIAL  equ 0xEDB88320          ; 04C11DB7H, its bits reflected

UART            equ 0x3F8               ; COM1
UART_DATA       equ UART + 0
UART_IER        equ UART + 1            ; interrupts
UART_FCR        equ UART + 2            ; FIFOs
UART_LCR        equ UART + 3            ; form of a character
UART_MCR        equ UART + 4            ; lines to the other side
UART_LSR        equ UART + 5            ; state
LCR_8N1         equ 0x03
LCR_DLAB        equ 1 << 7              ; DATA and IER are the divisor: 1 for 115200 baud
FCR_FRESH       equ 0x07                ; FIFOs on, and emptied
MCR_DTR_RTS     equ 0x03                ; and no loopback
LSR_THRE        equ 1 << 5              ; room for a byte
UART_POLLS      equ 1 << 16             ; more than 50 ms: a byte takes 87 us

SCREEN          equ 0xB8000             ; text, 80 columns
SCREEN_ROW      equ 80 * 2
WHITE_ON_RED    equ 0x4F

DEBUG_EXIT_PORT equ 0xF4                ; QEMU's isa-debug-exit
VERDICT_BROKEN  equ 0x12                ; README, "What you see"

section .text

start:
        cli
        cld
        mov     esp, stack_top
        push    eax
        push    ebx
        call    unpack
        jc      damaged
        call    crc32
        cmp     eax, IMAGE_CRC32
        jne     damaged
        mov     [image_facts], eax
        mov     dword [image_facts + 4], IMAGE_BYTES
        pop     ebx
        pop     eax
        jmp     kernel_start

; Unpack the image. Out: CF = 1 when the packed data are not what an LZ4 compressor wrote for an image of
; IMAGE_BYTES bytes; nothing is read or written outside of them and of the image. Changes EAX to EDX, ESI, EDI.
unpack:
        mov     esi, packed
        mov     edi, image_begin
.sequence:
        cmp     esi, packed_end
        jae     .bad
        lodsb
        movzx   ebx, al                 ; the token
        mov     ecx, ebx
        shr     ecx, TOKEN_LITERALS
        call    .length
        jc      .bad
        mov     eax, packed_end
        sub     eax, esi
        cmp     eax, ecx
        jb      .bad
        call    .room
        jb      .bad
        rep movsb
        cmp     esi, packed_end
        je      .all_read
        cmp     esi, packed_end - 2
        ja      .bad
        movzx   edx, word [esi]         ; the distance
        add     esi, 2
        mov     ecx, ebx
        and     ecx, LENGTH_MORE
        call    .length
        jc      .bad
        add     ecx, MATCH_SHORTEST
        call    .room
        jb      .bad
        test    edx, edx
        jz      .bad
        mov     eax, edi
        sub     eax, image_begin
        cmp     eax, edx
        jb      .bad
        push    esi
        mov     esi, edi
        sub     esi, edx
        rep movsb                       ; byte by byte: a match may overlap what it makes
        pop     esi
        jmp     .sequence
.all_read:
        cmp     edi, image_begin + IMAGE_BYTES
        jne     .bad
        clc
        ret

; In: ECX = a length of the token. Out: ECX = the whole length, ESI behind it; CF = 1 when the data end before.
; Changes EAX.
.length:
        cmp     ecx, LENGTH_MORE
        jne     .length_good
.length_byte:
        cmp     esi, packed_end
        jae     .bad
        movzx   eax, byte [esi]
        inc     esi
        add     ecx, eax                ; cannot overflow: 255 times the bytes there are
        cmp     al, 255
        je      .length_byte
.length_good:
        clc
        ret
.bad:
        stc
        ret

; "Below" when the image has no room for ECX bytes at EDI. Changes EAX.
.room:
        mov     eax, image_begin + IMAGE_BYTES
        sub     eax, edi
        cmp     eax, ecx
        ret

; Out: EAX = CRC-32 of the unpacked image. Changes ECX, EDX, ESI.
crc32:
        xor     ecx, ecx                ; the table, by byte: this runs on every boot, in simulators too
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
        cmp     esi, image_begin + IMAGE_BYTES
        jne     .byte
        not     eax
        ret

; The end of a damaged image: say so, and stop.
damaged:
        mov     ebx, serial_setup
.setup:
        movzx   edx, word [ebx]
        mov     al, [ebx + 2]
        out     dx, al
        add     ebx, 3
        cmp     ebx, serial_setup_end
        jne     .setup
        mov     esi, document
        mov     edi, SCREEN
        mov     ebx, SCREEN             ; the row
.character:
        mov     ecx, UART_POLLS
        mov     edx, UART_LSR
.poll:
        in      al, dx
        test    al, LSR_THRE
        loopz   .poll
        lodsb
        test    al, al
        jz      .said
        mov     edx, UART_DATA
        out     dx, al
        cmp     al, 10
        je      .new_row
        mov     ah, WHITE_ON_RED
        cmp     al, 13
        je      .character
        stosw
        jmp     .character
.new_row:
        add     ebx, SCREEN_ROW
        mov     edi, ebx
        jmp     .character
.said:
        in      al, DEBUG_EXIT_PORT     ; as kernel/run/finish.c: only a device that reads 0 is one that listens
        test    al, al
        jnz     .halt
        mov     al, VERDICT_BROKEN
        out     DEBUG_EXIT_PORT, al
.halt:
        cli
        hlt
        jmp     .halt

section .rodata

; Port, value. The registers hold anything.
serial_setup:
        dw UART_LCR
        db LCR_8N1
        dw UART_IER
        db 0
        dw UART_LCR
        db LCR_DLAB | LCR_8N1
        dw UART_DATA
        db 1
        dw UART_IER
        db 0                            ; the divisor's high byte here
        dw UART_LCR
        db LCR_8N1
        dw UART_FCR
        db FCR_FRESH
        dw UART_MCR
        db MCR_DTR_RTS
serial_setup_end:

; A document as docs/log.md defines it, its point sealed.
document:
        db 13, 10
        db "TAP version 13", 13, 10
        db "1..1", 13, 10
        db "not ok 1 - boot.image #E3C6", 13, 10
        db "Bail out! the image is damaged: it is not what was built; write the medium again", 13, 10, 0

packed:
        incbin "packed.lz4"
packed_end:

section .bss align=16 nobits alloc noexec write

crc_table:      resd 256
                resb STACK_BYTES
stack_top:

section .note.GNU-stack noalloc noexec nowrite progbits
