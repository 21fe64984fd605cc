; Straight-line workloads: n copies of one instruction.
;
; Duties: exactly n occurrences of one event and no branch between them (pmu-rules 9.1 to 9.4).
; Register contract: workload.inc. Memory: code only.

%include "tests/workloads/workload.inc"

        SLED work_nop, 512, 1, 0, 0, nop                       ; instr_retired, instr_completed
        SLED work_jmp, 512, 2, 1, 1, jmp short $ + 2           ; branch_retired, taken
        SLED work_not_taken, 256, 2, 1, 0, jc short $ + 2      ; branch_retired, not taken: the way in leaves CF = 0

; FIRM events. The caller has loaded small finite operands (stimulus_prepare), so that nothing assists.
        SLED work_packed_sp, 256, 3, 0, 0, addps xmm0, xmm1
        SLED work_packed_dp, 256, 4, 0, 0, addpd xmm0, xmm1
        SLED work_scalar_sp, 256, 4, 0, 0, addss xmm0, xmm1
        SLED work_scalar_dp, 256, 4, 0, 0, addsd xmm0, xmm1
        SLED work_mmx_64, 256, 3, 0, 0, paddb mm0, mm1
        SLED work_mmx_128, 256, 4, 0, 0, paddb xmm0, xmm1
        SLED work_x87, 216, 2, 0, 0, fadd st0, st0             ; 216: libunicorn dies of about 230 in a row (sim/engine/translation.c)

; FLDZ, so that FADD ST0, ST0 stays finite; XMM0, XMM1 := 0. void work_prepare_fp(void) and work_prepare_sse(void).
        section .text
        global  work_prepare_fp
work_prepare_fp:
        fninit
        fldz
        ret

        global  work_prepare_sse
work_prepare_sse:
        xorps   xmm0, xmm0
        xorps   xmm1, xmm1
        ret

; Leaves the MMX state: EMMS counts twice (pmu-rules 8.2), so it is outside every measured region.
        global  work_finish_mmx
work_finish_mmx:
        emms
        ret

; n reads of counter 12 or of its MSR, between the same two jumps as every sled: READ_SLED name, ECX, instruction
READ_MAX   equ 128
READ_BYTES equ 2
%macro READ_SLED 3
        SLED_ROOM READ_MAX, READ_BYTES
        WORKLOAD %1, READ_MAX, 1, 0, 0
        imul    ecx, esi, READ_BYTES
        mov     eax, sled_end
        sub     eax, ecx
        mov     ecx, %2
        jmp     eax
sled_template:
        %3
        jmp     edi
        SLED_ENTER READ_MAX, READ_BYTES
%endmacro

COUNTER_12     equ 12           ; RDPMC index
MSR_COUNTER_12 equ 30CH         ; MSR_IQ_COUNTER0

        READ_SLED work_rdpmc_12, COUNTER_12, rdpmc
        READ_SLED work_rdmsr_12, MSR_COUNTER_12, rdmsr
