; A kernel that says how it was started and ends: what the boot menus hand over is tested in menu.t.
;
; Duties: write one line "ECHO multiboot N: BOOT LINE" to COM1, the same to COM2, and 13H to isa-debug-exit. Of
;   multiboot 2 it adds the tags that matter: " RSDP" and " framebuffer".
; Registers: all; a small stack, interrupts never on. Memory: what is in this file.

%define COM1        3F8h
%define COM2        2F8h
%define LSR         5                   ; the line status register of a UART
%define LSR_READY   20h                 ; its transmitter takes a character
%define DEBUG_EXIT  0F4h
%define SKIPPED     13h

%define MB1_MAGIC   1BADB002h
%define MB1_FLAGS   0
%define MB1_STARTED 2BADB002h           ; in EAX
%define MB1_CMDLINE 16                  ; offset of the boot line's address
%define MB2_MAGIC   0E85250D6h
%define MB2_STARTED 36D76289h
%define TAG_END     0
%define TAG_LINE    1
%define TAG_FRAME   8
%define TAG_RSDP_1  14
%define TAG_RSDP_2  15

bits 32
section .text
align 8
mb2:    dd MB2_MAGIC, 0, mb2_end - mb2, -(MB2_MAGIC + mb2_end - mb2)
        dw 5, 0                         ; a framebuffer of any size is welcome, as for the real kernel
        dd 20, 0, 0, 0
        dd 0                            ; up to the next multiple of 8
        dw 0, 0
        dd 8
mb2_end:
        dd MB1_MAGIC, MB1_FLAGS, -(MB1_MAGIC + MB1_FLAGS)

global _start
_start:
        cli
        mov esp, stack_top
        cmp eax, MB2_STARTED
        je started_by_2
        mov esi, by_1
        call say
        mov esi, [ebx + MB1_CMDLINE]
        call say
        jmp end

started_by_2:
        mov esi, by_2
        call say
        mov al, TAG_LINE
        call find
        lea esi, [ecx + 8]
        call say
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
        call say
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al
        hlt
        jmp $ - 1

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
        jne say.done
; In: ESI = text up to a 0. Changes EAX, EDX, ESI, EBP.
say:
        lodsb
        test al, al
        jz .done
        mov dx, COM1
        call put
        mov dx, COM2
        call put
        jmp say
.done:
        ret

; In: AL = character, DX = port. A UART that is not there reads as all ones.
put:
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

        times 256 db 0
stack_top:
