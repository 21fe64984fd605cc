; When p4sim lets an interrupt in that waits: one digit a case on COM1, asked for by interrupts.t.
;
; Duties: with an interrupt or NMI pending in its own local APIC go on with interrupts held off in one way, let it in by one
;   instruction, and count the INC EBX behind that until the handler runs. Between the cases the count is taken once
;   more before anything lets the interrupt in: "-" stands for "not yet", as it must.
; Registers: EBX counts, EBP points to the local APIC, all others change. Memory: what is in this file.

%define COM1       3F8h
%define DEBUG_EXIT 0F4h
%define SKIPPED    13h

%define MB1_MAGIC  1BADB002h

%define APIC       0FEE00000h
%define APIC_TPR   080h
%define APIC_EOI   0B0h
%define APIC_SVR   0F0h
%define APIC_ICR   300h
%define SVR_ON     1FFh
%define TO_SELF    44000h               ; shorthand self, level assert
%define AS_NMI     400h
%define TPR_ALL    0F0h
%define EFLAGS_IF  200h

%define INTERRUPT_NMI 2
%define INTERRUPT     40h
%define WAITS      300                  ; loops, more than a quantum of p4sim's
%define ROUNDS     3                    ; instructions that run for the first time are looked at more closely

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

; %1: what is written to ICR. Waits, and says whether the handler ran.
%macro pending 1
        mov byte [seen], '-'
        xor ebx, ebx
        mov dword [ebp + APIC_ICR], %1
        mov ecx, WAITS
        loop $
        call say_seen
        xor ebx, ebx
%endmacro

; Count behind the instruction that lets it in, and say when the handler ran.
%macro count 0
        times 5 inc ebx
        cli
        call say_seen
        mov byte [seen], '-'
%endmacro

global _start
_start:
        cli
        mov esp, stack_top
        mov ebp, APIC
        mov dword [ebp + APIC_SVR], SVR_ON
        mov dword [ebp + APIC_TPR], 0
        mov edi, idt + INTERRUPT * 8
        mov eax, handler
        call set_gate
        mov edi, idt + INTERRUPT_NMI * 8
        mov eax, nmi
        call set_gate
        lidt [idtr]

round:
        pending TO_SELF | INTERRUPT
        sti
        count

        pending TO_SELF | INTERRUPT
        push EFLAGS_IF | 2
        popfd
        count

        pending TO_SELF | INTERRUPT
        push EFLAGS_IF | 2
        push cs
        push .returned
        iretd
.returned:
        count

        mov dword [ebp + APIC_TPR], TPR_ALL
        sti
        pending TO_SELF | INTERRUPT
        mov dword [ebp + APIC_TPR], 0
        count

        pending TO_SELF | AS_NMI
        count

        dec byte [rounds]
        jnz round
        mov al, 13
        call put
        mov al, 10
        call put
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al
        hlt
        jmp $ - 1

; In: EDI = gate, EAX = handler. Changes ECX.
set_gate:
        mov [edi], ax
        mov [edi + 2], cs
        mov word [edi + 4], 8E00h       ; present, interrupt gate of 32 bits
        shr eax, 16
        mov [edi + 6], ax
        ret

handler:
        mov dword [ebp + APIC_EOI], 0
nmi:
        lea eax, [ebx + '0']
        mov [seen], al
        iretd

say_seen:
        mov al, [seen]
put:
        mov dx, COM1
        out dx, al
        ret

idtr:   dw 256 * 8 - 1
        dd idt
seen:   db '-'
rounds: db ROUNDS

section .bss align=16 nobits alloc noexec write
idt:    resq 256
        resb 256
stack_top:
