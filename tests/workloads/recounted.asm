; Instructions that instr_retired is known to count twice on some parts (pmu-rules 8.2, erratum E13).
;
; Duties: n copies of one of them in a straight line, and the x87 control word that FLDCW loads.
; Register contract: workload.inc. Memory: reads the control word.

%include "tests/workloads/workload.inc"

        section .rodata
control_word: dw 037FH          ; as after FNINIT: every exception masked

        SLED work_fldcw, 64, 6, 0, 0, fldcw [control_word]
        SLED work_emms, 64, 2, 0, 0, emms
        SLED work_sfence, 64, 3, 0, 0, sfence
        SLED work_mfence, 64, 3, 0, 0, mfence
