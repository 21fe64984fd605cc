; Code that the other logical processor changes after it has run, for interrupts.t. The other one writes one letter a round to
; COM1, which is what the code loaded after the change.
; Registers: all change; interrupts never on. Memory: what is in this file, and the second processor's start at START.

%include "start.inc"

%define ICR_INIT   0C4500h              ; to all others, level assert
%define ICR_SIPI   0C4600h
%define START      8000h

%define ROUNDS     4
%define WAITS      3000                 ; laps in which the other logical processor sees the change

main:
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
        ret

second: mov esp, second_stack_top
        call load_data
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
        mov ax, DATA
        mov ss, ax
        jmp dword CODE:second
align 4
.gdtr:  dw gdtr - gdt - 1
        dd gdt
.end:
bits 32

section .data
loaded: db '-'
rounds: db ROUNDS

section .bss
        resb 256
second_stack_top:
