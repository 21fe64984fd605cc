; What accesses cost on p4sim, and how late stores to the local APIC and PMIs come: lines for timing.t on COM1.
;
; Duties: as perfctr measured silicon (F1): time REPEATS accesses by RDTSC between two CPUIDs, without the time of the
;   empty loop, and write one line for each kind of access: its name, then the clocks of all accesses in hexadecimal digits. Then
;   "late" and the number of INCs that run between a store to ICR and the interrupt that it sends to its own processor;
;   "read" and "serialised", that number with a load from the local APIC or a LIDT behind the store;
;   "tpr", what is read from TPR at once after TPR_VALUE was written; and "pmi", the CCCR that the handler of a PMI
;   finds if the counter is stopped at once after its overflow.
; Registers: EBP points to the local APIC, all others change. Memory: what is in this file.

%include "start.inc"

%define TPR_VALUE  32

%define IQ_COUNTER0   30Ch
%define IQ_CCCR0      36Ch
%define CRU_ESCR0     3B8h
%define INSTR_RETIRED 0400020Ch         ; NBOGUSNTAG, OS, USR
%define COUNT_AND_PMI 04039000h         ; OVF_PMI, ESCR select 4, ENABLE, reserved bits 17:16

%define INTERRUPT     40h
%define INTERRUPT_PMI 41h
%define REPEATS    64
%define INCS       2000

; %1: the line's name. What follows, up to `measured`, runs REPEATS times; it may change EAX, EDX and ECX.
%macro measure 1
%push loop
        mov esi, %%name
        mov edi, REPEATS
        call clock
%$again:
        jmp short %%body
%%name: db %1, ' ', 0
%%body:
%endmacro

%macro measured 0
        dec edi
        jnz %$again
        call say_clocks
%pop
%endmacro

; %1: the line's name, %2: what is done after the store to ICR.
%macro sent 1-2+
        mov esi, %%name
        jmp short %%body
%%name: db %1, ' ', 0
%%body:
        xor ebx, ebx
        sti
        mov dword [ebp + APIC_ICR], TO_SELF | INTERRUPT
        %2
        times INCS inc ebx
        cli
        mov eax, [counted]
        call say_line
%endmacro

main:
        mov ebp, APIC
        mov dword [ebp + APIC_SVR], SVR_ON
        gate INTERRUPT, handler
        gate INTERRUPT_PMI, pmi

        measure ""                      ; the empty loop, whose time say_clocks takes from the others
        measured
        mov eax, [clocks]
        mov [empty], eax

        measure "wrmsr-cccr"
        write_msr IQ_CCCR0, 0, 0
        measured
        measure "cr4"
        mov eax, cr4
        mov cr4, eax
        measured
        measure "pause"
        pause
        measured
        measure "mfence"
        mfence
        measured
        measure "locked"
        lock add dword [counted], 0
        measured
        measure "div"
        xor edx, edx
        mov eax, 1
        mov ecx, 1
        div ecx
        measured
        measure "port"
        in al, 80h
        measured
        measure "store"
        times 10 mov dword [counted], 0
        measured
        measure "nop"
        times 30 nop
        measured
        measure "inc"
        times 10 inc edx
        measured
        measure "return"                ; to where no CALL came from: not predicted
        push .returned
        ret
.returned:
        measured
        measure "modify"                ; the operand of the MOV
        mov ecx, edi
        mov [.mov + 1], cl
.mov:   mov al, 0
        measured

        sent "late"
        sent "read", mov eax, [ebp + APIC_SVR]
        sent "serialised", lidt [idtr]
        call in_flight

        mov dword [ebp + APIC_TPR], TPR_VALUE
        mov eax, [ebp + APIC_TPR]
        mov dword [ebp + APIC_TPR], 0
        mov esi, .name
        jmp say_line
.name:  db "tpr ", 0

; A counter of instructions overflows and is stopped, its OVF cleared by that.
in_flight:
        mov dword [ebp + APIC_LVTPC], INTERRUPT_PMI
        mov eax, [ebp + APIC_LVTPC]
        write_msr CRU_ESCR0, 0, INSTR_RETIRED
        write_msr IQ_COUNTER0, 0FFh, -4
        mov dword [counted], -1
        sti
        write_msr IQ_CCCR0, 0, COUNT_AND_PMI
        times 8 nop
        write_msr IQ_CCCR0, 0, 0
        mov ecx, 10000
        loop $
        cli
        mov esi, .name
        mov eax, [counted]
        jmp say_line
.name:  db "pmi ", 0

handler:
        mov dword [ebp + APIC_EOI], 0
        mov [counted], ebx
        iretd

pmi:
        push eax
        push ecx
        push edx
        mov ecx, IQ_CCCR0
        rdmsr
        mov [counted], eax
        mov dword [ebp + APIC_EOI], 0
        pop edx
        pop ecx
        pop eax
        iretd

; Keep the TSC of now. Changes EAX, EBX, ECX, EDX.
clock:
        xor eax, eax
        cpuid
        rdtsc
        mov [started], eax
        xor eax, eax
        cpuid
        ret

; Say the clocks since clock() without those of the empty loop. In: ESI = name. Changes all but ESI and EBP.
say_clocks:
        xor eax, eax
        cpuid
        rdtsc
        sub eax, [started]
        mov [clocks], eax
        sub eax, [empty]
        jmp say_line

section .bss
started: resd 1
clocks: resd 1
empty:  resd 1
counted: resd 1
