; Code that the other logical processor changes after it has run, for modified.t. The other one writes one letter a round to
; COM1, which is what the code loaded after the change.
; Registers: all change; interrupts never on. Memory: what is in this file, and the second processor's start at START.

%define COM1       3F8h
%define DEBUG_EXIT 0F4h
%define SKIPPED    13h
%define MB1_MAGIC  1BADB002h

%define APIC       0FEE00000h
%define APIC_SVR   0F0h
%define APIC_ICR   300h
%define SVR_ON     1FFh
%define ICR_INIT   0C4500h              ; to all others, level assert
%define ICR_SIPI   0C4600h
%define START      8000h
%define CODE       08h
%define DATA       10h
%define CR0_PE     1

%define ROUNDS     4
%define WAITS      3000                 ; laps in which the other logical processor sees the change

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

global _start
_start:
        cli
        cld
        mov esp, stack_top
        lgdt [gdtr]
        jmp CODE:.flat
.flat:  mov eax, DATA
        mov ds, eax
        mov es, eax
        mov ss, eax

        mov edi, START
        mov esi, start16
        mov ecx, start16.end - start16
        rep movsb
        mov dword [APIC + APIC_SVR], SVR_ON
        mov dword [APIC + APIC_ICR], ICR_INIT
        mov dword [APIC + APIC_ICR], ICR_SIPI | START / 1000h
.round: mov ecx, WAITS
        loop $
        mov al, [loaded]
        call put
        inc byte [second.changed + 1]
        dec byte [rounds]
        jnz .round
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al
        cli
        hlt

put:    mov dx, COM1
        out dx, al
        ret

second: mov esp, second_stack_top
.lap:   call .changed
        mov [loaded], al
        jmp .lap
.changed:
        mov al, 'A'
        ret

bits 16
start16:
        cli
        o32 lgdt [cs:.gdtr - start16]
        mov eax, cr0
        or al, CR0_PE
        mov cr0, eax
        jmp dword CODE:.flat - start16 + START
bits 32
.flat:  mov ax, DATA
        mov ds, eax
        mov ss, eax
        jmp CODE:second
align 4
.gdtr:  dw gdtr - gdt - 1
        dd gdt
.end:

loaded: db '-'
rounds: db ROUNDS
align 8
gdt:    dq 0
        dq 00CF9B000000FFFFh            ; CODE
        dq 00CF93000000FFFFh            ; DATA
gdtr:   dw gdtr - gdt - 1
        dd gdt

section .bss align=16 nobits alloc noexec write
        resb 256
second_stack_top:
        resb 256
stack_top:
