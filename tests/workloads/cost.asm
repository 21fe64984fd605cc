; Costs: the clocks of 64 copies of one instruction, between two readings of the TSC with CPUID around them (fact F1's method).
;
; Duties: nothing but the copies lies between the readings, and two jumps, which are common to all; cost_nothing has no copies. The
; copies are made in .sled_room at start-up, as those of the sleds (workload.inc).
; Register contract: uint32_t cost_NAME(const struct cost_operands *), the argument in EAX (gcc -mregparm=3); returns clocks.
; Memory: 16 bytes of stack; reads struct cost_operands (tests/suite/cost.h), which is laid out as the offsets below say.

bits 32

%include "tests/workloads/workload.inc"

COST_EAX    equ 0
COST_EDX    equ 4
COST_ECX    equ 8
COST_EDI    equ 12
COST_COPIES equ 64

; The clocks of the code at EDX, which ends with JMP EBP and keeps ESI.
        section .text
        align   64
measure:
        push    ebx
        push    esi
        push    edi
        push    ebp
        mov     ebp, eax
        mov     edi, edx
        xor     eax, eax
        cpuid
        rdtsc
        mov     esi, eax
        mov     ebx, edi
        mov     eax, [ebp + COST_EAX]
        mov     edx, [ebp + COST_EDX]
        mov     ecx, [ebp + COST_ECX]
        mov     edi, [ebp + COST_EDI]
        mov     ebp, .end
        jmp     ebx
.end:   xor     eax, eax
        cpuid
        rdtsc
        sub     eax, esi
        pop     ebp
        pop     edi
        pop     esi
        pop     ebx
        ret

; The function of this name: it measures the code at this address.
%macro MEASURE 2
        global  %1
%1:     mov     edx, %2
        jmp     measure
%endmacro

; name, bytes per copy, instruction
%macro COST 3+
        SLED_ROOM COST_COPIES, %2
        section .text
        MEASURE %1, sled_room
sled_template:
        %3
%if ($ - sled_template) != %2
%error "bytes per copy is wrong"
%endif
        jmp     ebp             ; JMP_EDI_BYTES long
        SLED_ENTER COST_COPIES, %2
%endmacro

; CPUID leaf 0: EAX is set before each copy, because each copy changes it.
%macro CPUID_0 0
        xor     eax, eax
        cpuid
%endmacro

        MEASURE cost_nothing, nothing
nothing:
        jmp     ebp
        COST cost_rdmsr, 2, rdmsr
        COST cost_wrmsr, 2, wrmsr
        COST cost_rdpmc, 2, rdpmc
        COST cost_rdtsc, 2, rdtsc
        COST cost_cpuid, 4, CPUID_0
        COST cost_load, 2, mov eax, [edi]
        COST cost_store, 2, mov [edi], eax

; 100 laps of 64 copies, for instructions that take less than a clock.
%macro LAPS 2+
        MEASURE %1, %%laps
        align   64
%%laps: mov     ecx, 100
%%lap:
%rep COST_COPIES
        %2
%endrep
        dec     ecx
        jnz     %%lap
        jmp     ebp
%endmacro

        LAPS laps_nop, nop
        LAPS laps_jmp, jmp short $ + 2
        LAPS laps_addps, addps xmm0, xmm1
        LAPS laps_fadd, fadd st0, st0

section .note.GNU-stack noalloc noexec nowrite progbits
