; A kernel that says how it was started and ends: what the boot menus hand over is tested in menu.t.
;
; Duties: write one line "ECHO multiboot N: BOOT LINE" to COM1, the same to COM2, and 13H to isa-debug-exit. Of
;   multiboot 2 it adds the tags that matter: " RSDP" and " framebuffer".
; Registers: all; a small stack, interrupts never on. Memory: what is in this file.

%include "start.inc"

%define COM2        2F8h
%define LSR         5                   ; the line status register of a UART
%define LSR_READY   20h                 ; its transmitter takes a character

%define MB1_STARTED 2BADB002h           ; in EAX
%define MB1_CMDLINE 16                  ; offset of the boot line's address
%define MB2_MAGIC   0E85250D6h
%define MB2_STARTED 36D76289h
%define TAG_END     0
%define TAG_LINE    1
%define TAG_FRAME   8
%define TAG_RSDP_1  14
%define TAG_RSDP_2  15

align 8
mb2:    dd MB2_MAGIC, 0, mb2_end - mb2, -(MB2_MAGIC + mb2_end - mb2)
        dw 5, 0                         ; a framebuffer of any size is welcome, as for the real kernel
        dd 20, 0, 0, 0
        dd 0                            ; up to the next multiple of 8
        dw 0, 0
        dd 8
mb2_end:

main:
        cmp eax, MB2_STARTED
        je started_by_2
        mov esi, by_1
        call say_both
        mov esi, [ebx + MB1_CMDLINE]
        call say_both
        jmp end

started_by_2:
        mov esi, by_2
        call say_both
        mov al, TAG_LINE
        call find
        lea esi, [ecx + 8]
        call say_both
        mov al, TAG_RSDP_1
        call find
        mov esi, rsdp
        call say_if_found
        mov al, TAG_FRAME
        call find
        mov esi, framebuffer
        call say_if_found

end:
        mov esi, line_end
        jmp say_both

; In: AL = type, EBX = information. Out: ECX = the tag, or the end tag; ZF = found. For either RSDP the type is the first's.
find:
        lea ecx, [ebx + 8]
.next:
        mov edx, [ecx]
        cmp dl, TAG_RSDP_2
        jne .compare
        mov dl, TAG_RSDP_1
.compare:
        cmp dl, al
        je .done
        test dl, dl
        jz .none
        mov edx, [ecx + 4]
        lea ecx, [ecx + edx + 7]
        and ecx, ~7
        jmp .next
.none:
        inc dl                          ; ZF = 0
.done:
        ret

say_if_found:
        jne say_both.done
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

by_1:           db "ECHO multiboot 1: ", 0
by_2:           db "ECHO multiboot 2: ", 0
rsdp:           db " RSDP", 0
framebuffer:    db " framebuffer", 0
line_end:       db 13, 10, 0
