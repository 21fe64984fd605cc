; Interrupts that are held off, those that nobody asked for, and code that changes; exceptions.t has what is expected.
;
; Without a define: with an interrupt or NMI pending in its own local APIC go on with interrupts held off in one way, let it in by one
;   instruction, and count the INC EBX behind that until the handler runs: one digit a case on COM1. Between the cases the count is
;   taken once more before anything lets the interrupt in: "-" stands for "not yet", as it must. EBX counts, EBP points to the local APIC.
; With MODIFIED: the other logical processor runs code that this one changes; it writes one letter a round to COM1, which is what the
;   code loaded after the change. Memory: also the second processor's start at START.
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

%ifdef MODIFIED

%define ICR_INIT   0C4500h              ; to all others, level assert
%define ICR_SIPI   0C4600h
%define START      8000h

%define CHANGES    4
%define LAPS       3000                 ; in which the other logical processor sees the change

main:
        mov edi, START
        mov esi, start16
        mov ecx, start16.end - start16
        rep movsb
        mov dword [APIC + APIC_SVR], SVR_ON
        mov dword [APIC + APIC_ICR], ICR_INIT
        mov dword [APIC + APIC_ICR], ICR_SIPI | START / 1000h
.round: mov ecx, LAPS
        loop $
        mov al, [loaded]
        call put
        inc byte [second.changed + 1]
        dec byte [changes]
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
changes: db CHANGES

section .bss
        resb 256
second_stack_top:

%elifndef DISTURBED

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
