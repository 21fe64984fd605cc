; A kernel that says with which boot line it was started and ends: what the boot menus hand over is tested in menu.t.
;
; Duties: write one line "ECHO: BOOT LINE" to COM1 and to COM2.

%include "start.inc"

%define COM2        2F8h
%define LSR         5                   ; the line status register of a UART
%define LSR_READY   20h                 ; its transmitter takes a character
%define MB2_MAGIC   0E85250D6h
%define MB1_CMDLINE 16                  ; offset of the boot line's address

align 8
mb2:    dd MB2_MAGIC, 0, mb2_end - mb2, -(MB2_MAGIC + mb2_end - mb2)   ; asked for by iso/build-iso, not started by
        dw 0, 0
        dd 8
mb2_end:

main:
        mov esi, echo
        call say_both
        mov esi, [ebx + MB1_CMDLINE]
        call say_both
        mov esi, line_end

; In: ESI = text up to a 0. Changes EAX, EDX, ESI, EBP.
say_both:
        lodsb
        test al, al
        jz .done
        mov dx, COM1
        call put_when_ready
        mov dx, COM2
        call put_when_ready
        jmp say_both
.done:
        ret

; In: AL = character, DX = port. A UART that is not there reads as all ones.
put_when_ready:
        mov ah, al
        mov ebp, 100000
        add dx, LSR
.wait:
        in al, dx
        test al, LSR_READY
        jnz .ready
        dec ebp
        jnz .wait
.ready:
        sub dx, LSR
        mov al, ah
        out dx, al
        ret

echo:           db "ECHO: ", 0
line_end:       db 13, 10, 0
