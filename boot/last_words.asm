; How the image ends before the kernel can run.
;
; Duties
;   last_words   write a document to COM1 and to the text screen, inform an emulator that listens of the verdict, and halt.
;                Other serial ports and a framebuffer are not served: to find them takes tables, and so more code.
;
; Register contract: flat segments, interrupts off, no stack needed. ESI = the document, ended by 0; AL = its verdict
; (kernel/log/log.h), AH = its colour on the text screen. Does not return.
;
; Memory: writes to the text screen alone. The code is a part of the image that boot/check.asm needs, and runs on any
; processor from the 386 on.

bits 32

global last_words
global check_end

UART            equ 0x3F8               ; COM1
UART_DATA       equ UART + 0
UART_IER        equ UART + 1            ; interrupts
UART_FCR        equ UART + 2            ; FIFOs
UART_LCR        equ UART + 3            ; character format
UART_MCR        equ UART + 4            ; modem control lines
UART_LSR        equ UART + 5            ; line status
LCR_8N1         equ 0x03
LCR_DLAB        equ 1 << 7              ; DATA and IER are the divisor: 1 for 115200 baud
FCR_RESET       equ 0x07                ; FIFOs on, and emptied
MCR_DTR_RTS     equ 0x03                ; and no loopback
LSR_THRE        equ 1 << 5              ; room for a byte
LSR_IDLE        equ 1 << 6              ; every byte is sent
UART_POLLS      equ 1 << 16             ; more than 50 ms: a byte takes 87 us

SCREEN          equ 0xB8000             ; text, 80 columns
SCREEN_ROW      equ 80 * 2

DEBUG_EXIT_PORT equ 0xF4                ; QEMU's isa-debug-exit

section .check progbits alloc exec nowrite align=16

last_words:
        mov     ebp, eax
        mov     ecx, UART_POLLS
        mov     edx, UART_LSR
.loader:                                ; a loader's byte that is cut short could spoil the first line of the document
        in      al, dx
        test    al, LSR_IDLE
        loopz   .loader
        mov     ebx, serial_setup
.setup:
        movzx   edx, word [ebx]
        mov     al, [ebx + 2]
        out     dx, al
        add     ebx, 3
        cmp     ebx, serial_setup_end
        jne     .setup
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
        jz      .written
        mov     edx, UART_DATA
        out     dx, al
        cmp     al, 10
        je      .new_row
        mov     edx, ebp
        mov     ah, dh
        cmp     al, 13
        je      .character
        stosw
        jmp     .character
.new_row:                               ; blanks over what a loader left in the rest of this row
        add     ebx, SCREEN_ROW
        mov     al, ' '
        mov     edx, ebp
        mov     ah, dh
.blank:
        cmp     edi, ebx
        jae     .row
        stosw
        jmp     .blank
.row:
        mov     edi, ebx
        jmp     .character
.written:
        in      al, DEBUG_EXIT_PORT     ; as kernel/run/finish.c: only a device that reads 0 is one that listens
        test    al, al
        jnz     .halt
        mov     eax, ebp
        out     DEBUG_EXIT_PORT, al
.halt:
        cli
        hlt
        jmp     .halt

; Port, value. Nothing is known about what the registers hold before.
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
        db FCR_RESET
        dw UART_MCR
        db MCR_DTR_RTS
serial_setup_end:
check_end:

section .note.GNU-stack noalloc noexec nowrite progbits
