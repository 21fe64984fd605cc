; Interrupts that are held off, and those that nobody asked for; interrupts.t has what is expected.
;
; Without DISTURBED: with an interrupt or NMI pending in its own local APIC go on with interrupts held off in one way, let it in by one
;   instruction, and count the INC EBX behind that until the handler runs: one digit a case on COM1. Between the cases the count is
;   taken once more before anything lets the interrupt in: "-" stands for "not yet", as it must. EBX counts, EBP points to the local APIC.
; With DISTURBED: with LINT0 open to the 8259s, which nothing has initialised, wait for interrupts, and write the vector of each as two
;   hexadecimal digits.

%include "start.inc"

%define AS_NMI     400h
%define TPR_ALL    0F0h
%define EXTINT     700h
%define SPURIOUS   1F0h                 ; as SVR_ON, but the local APIC's own spurious interrupts have vector F0H
%define SLOW_PORT  80h

%define INTERRUPT_NMI 2
%define INTERRUPT     40h
%define WAITS      300                  ; loops, more than a quantum of p4sim's
%define ROUNDS     3                    ; instructions that run for the first time are looked at more closely
%define INTERRUPTS 60

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

%ifndef DISTURBED

main:
        mov ebp, APIC
        mov dword [ebp + APIC_SVR], SVR_ON
        mov dword [ebp + APIC_TPR], 0
        gate INTERRUPT, handler
        gate INTERRUPT_NMI, nmi

round:
        pending TO_SELF | INTERRUPT
        sti
        count

        pending TO_SELF | INTERRUPT
        push EFLAGS_IF | EFLAGS_ONE
        popfd
        count

        pending TO_SELF | INTERRUPT
        push EFLAGS_IF | EFLAGS_ONE
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
        ret

handler:
        mov dword [ebp + APIC_EOI], 0
nmi:
        lea eax, [ebx + '0']
        mov [seen], al
        iretd

say_seen:
        mov al, [seen]
        jmp put

%else

main:
        mov ecx, 0
        mov ebx, stubs
.gate:  mov eax, ebx
        call set_gate
        add ebx, stub_bytes
        inc cl
        jnz .gate
        mov dword [APIC + APIC_SVR], SPURIOUS
        mov dword [APIC + APIC_LINT0], EXTINT
        mov ebp, INTERRUPTS
        sti
.wait:  in al, SLOW_PORT                ; takes long, so that few instructions do
        test ebp, ebp
        jns .wait
        cli
        ret

stubs:
%assign v 0
%rep 256
        push strict dword v << 24
        jmp near handler
%assign v v + 1
%endrep
stub_bytes equ ($ - stubs) / 256

handler:
        pop eax
        mov ecx, 2
        call say_digits
        mov al, ' '
        call put
        dec ebp
        iretd

%endif

section .data
seen:   db '-'
rounds: db ROUNDS
