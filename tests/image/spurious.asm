; Spurious interrupts of a board that disturbs (p4sim --noise), expected by interrupts.t.
;
; Duties: with LINT0 open to the 8259s, which nothing has initialised, wait for interrupts, and write the vector of each
;   to COM1 as two hexadecimal digits.
; Registers: all change. Memory: what is in this file.

%define COM1       3F8h
%define DEBUG_EXIT 0F4h
%define SKIPPED    13h
%define MB1_MAGIC  1BADB002h

%define APIC_SVR   0FEE000F0h
%define APIC_LINT0 0FEE00350h
%define SVR_ON     1F0h                 ; spurious interrupts of the local APIC itself have vector F0H
%define EXTINT     700h
%define CODE       08h
%define DATA       10h
%define SLOW_PORT  80h
%define INTERRUPTS 60
%define STUB_BYTES 8

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

global _start
_start:
        cli
        mov esp, stack_top
        lgdt [gdtr]
        jmp CODE:.flat
.flat:  mov eax, DATA
        mov ds, eax
        mov es, eax
        mov ss, eax
        mov edi, idt
        mov ebx, stubs
.gate:  mov eax, ebx
        mov [edi], ax
        mov word [edi + 2], CODE
        mov word [edi + 4], 8E00h       ; present, DPL 0, interrupt gate of 32 bits
        shr eax, 16
        mov [edi + 6], ax
        add edi, 8
        add ebx, STUB_BYTES
        cmp edi, idt + 256 * 8
        jb .gate
        lidt [idtr]
        mov dword [APIC_SVR], SVR_ON
        mov dword [APIC_LINT0], EXTINT
        mov ebp, INTERRUPTS
        sti
.wait:  in al, SLOW_PORT                ; takes long, so that few instructions do
        test ebp, ebp
        jns .wait
        cli
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al

align 8
stubs:
%assign v 0
%rep 256
align STUB_BYTES
        push byte v - 128
        jmp near handler
%assign v v + 1
%endrep

handler:
        mov eax, [esp]
        add eax, 128
        mov ah, al
        shr al, 4
        call put
        mov al, ah
        and al, 15
        call put
        mov al, ' '
        out dx, al
        dec ebp
        add esp, 4
        iretd

; The digit AL. Changes DX.
put:    movzx ecx, al
        mov al, [digits + ecx]
        mov dx, COM1
        out dx, al
        ret

digits: db "0123456789ABCDEF"

align 8
gdt:    dq 0
        dq 00CF9B000000FFFFh            ; CODE
        dq 00CF93000000FFFFh            ; DATA
gdtr:   dw gdtr - gdt - 1
        dd gdt
idtr:   dw 256 * 8 - 1
        dd idt

section .bss align=16 nobits alloc noexec write
idt:    resq 256
        resb 256
stack_top:
