; Costs: the clocks of 64 copies of one instruction, between two readings of the TSC with CPUID around them (fact F1's method).
;
; Duties: nothing but the copies lies between the readings; cost_nothing has none, and what it takes is common to all.
; Register contract: uint32_t cost_NAME(const struct cost_operands *), the argument in EAX (gcc -mregparm=3); returns clocks.
; Memory: 16 bytes of stack; reads struct cost_operands (tests/suite/cost.h), which is laid out as the offsets below say.

bits 32

COST_EAX    equ 0
COST_EDX    equ 4
COST_ECX    equ 8
COST_EDI    equ 12
COST_COPIES equ 64

; name, number of copies, instruction
%macro COST 3+
        section .text
        global  %1
        align   64
%1:     push    ebx
        push    esi
        push    edi
        push    ebp
        mov     ebp, eax
        xor     eax, eax
        cpuid
        rdtsc
        mov     esi, eax
        mov     eax, [ebp + COST_EAX]
        mov     edx, [ebp + COST_EDX]
        mov     ecx, [ebp + COST_ECX]
        mov     edi, [ebp + COST_EDI]
%rep %2
        %3
%endrep
        xor     eax, eax
        cpuid
        rdtsc
        sub     eax, esi
        pop     ebp
        pop     edi
        pop     esi
        pop     ebx
        ret
%endmacro

; CPUID leaf 0: EAX is set before each copy, because each copy changes it.
%macro CPUID_0 0
        xor     eax, eax
        cpuid
%endmacro

        COST cost_nothing, 0, nop
        COST cost_rdmsr, COST_COPIES, rdmsr
        COST cost_wrmsr, COST_COPIES, wrmsr
        COST cost_rdpmc, COST_COPIES, rdpmc
        COST cost_rdtsc, COST_COPIES, rdtsc
        COST cost_cpuid, COST_COPIES, CPUID_0
; 100 laps of 64 copies, for instructions that take less than a clock.
%macro LAPS 1+
        mov     ecx, 100
%%lap:
%rep COST_COPIES
        %1
%endrep
        dec     ecx
        jnz     %%lap
%endmacro

        COST cost_load, COST_COPIES, mov eax, [edi]
        COST cost_store, COST_COPIES, mov [edi], eax
        COST laps_nop, 1, LAPS nop
        COST laps_jmp, 1, LAPS jmp short $ + 2
        COST laps_addps, 1, LAPS addps xmm0, xmm1
        COST laps_fadd, 1, LAPS fadd st0, st0

section .note.GNU-stack noalloc noexec nowrite progbits
