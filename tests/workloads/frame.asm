; The measured frame: start counting, run the workloads, stop counting, with nothing else between.
;
; Duties: two WRMSR that start (the last one starts counter X), three phases of workload, two WRMSR that stop. All of
; them are always executed, unused ones as a write of 0 to an idle CCCR or as an empty phase, so that the frame's own
; events are the same in every run and cancel in the difference of two runs (pmu-rules 8.2, 8.3).
;
; A CPUID follows each phase, so that no uop of a later phase executes before the last one of an earlier phase: independent
; chains (x87, MMX, SSE) would overlap otherwise, and so would a reading of a counter after the last phase (fact F4).
;
; frame_exercise runs the three phases alone, with a CPUID before the first, and needs no privilege.
;
; Register contract: void frame_execute(const struct frame *), void frame_exercise(const struct frame *), the argument in EAX
; (gcc -mregparm=3); all registers of the caller are kept.
; Memory: 32 bytes of stack; reads struct frame (tests/suite/frame.h), which is laid out as the offsets below say.

%include "tests/workloads/workload.inc"

FRAME_START equ 0               ; 2 x { msr, low 32 bits }
FRAME_PHASE equ 16              ; 3 x { entry, n }
FRAME_STOP  equ 40              ; 2 x { msr, low 32 bits }

; %1 = offset of { msr, low }: WRMSR of a CCCR or ESCR; bits 63:32 are reserved and written 0.
%macro WRITE_MSR 1
        mov     ecx, [ebp + %1]
        mov     eax, [ebp + %1 + 4]
        xor     edx, edx
        wrmsr
%endmacro

; The leaf is a constant, because the number of uops may depend on it.
%macro SERIALIZE 0
        xor     eax, eax
        cpuid
%endmacro

; %1 = phase number
%macro RUN_PHASE 1
        mov     esi, [ebp + FRAME_PHASE + 8 * %1 + 4]
        mov     edi, %%done
        jmp     [ebp + FRAME_PHASE + 8 * %1]
%%done: SERIALIZE
%endmacro

        section .text
        global  frame_exercise
        align   64
frame_exercise:
        pushad
        mov     ebp, eax
        SERIALIZE
        RUN_PHASE 0
        RUN_PHASE 1
        RUN_PHASE 2
        popad
        ret

        global  frame_execute
        align   64
frame_execute:
        pushad
        mov     ebp, eax
        WRITE_MSR FRAME_START
        WRITE_MSR FRAME_START + 8
        RUN_PHASE 0
        RUN_PHASE 1
        RUN_PHASE 2
        WRITE_MSR FRAME_STOP
        WRITE_MSR FRAME_STOP + 8
        popad
        ret

; The empty phase.
        WORKLOAD work_nothing, 0, 0, 0, 0
        jmp     edi
