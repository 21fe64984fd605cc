; Workloads of the floating-point units beside arithmetic: moves, and what they leave to microcode.
;
; Duties: n moves between registers, n loads of a register, n pushes on a full x87 stack, n products of x87 operands that need
; an assist. The caller prepares the operands by a function
; below, and cleans up by work_finish_fp, or work_prepare_sse.
; Register contract: workload.inc, but for the x87 stack. Memory: its own constants, and a word that it stores into.

%include "tests/workloads/workload.inc"

        SLED work_move_xmm, 256, 3, 0, 0, movaps xmm0, xmm1    ; x87_SIMD_moves_uop, ALLP0
        SLED work_move_x87, 216, 2, 0, 0, fst st1              ; 216: as work_x87
        SLED work_load_xmm, 256, 7, 0, 0, movaps xmm0, [zeros] ; ALLP2

        section .rodata
        align   16
zeros:  times 4 dd 0
denormals:
        times 4 dd 1            ; 2^-149, the smallest number: sums of some hundred stay denormal

; x87 numbers: 64 bits of mantissa, then sign and exponent.
huge:   dq      8000000000000000H
        dw      3FFFH + 16000   ; 2^16000: its square is no number, nor is it one of 32 bits
tiny:   dq      8000000000000000H
        dw      3FFFH - 16000   ; 2^-16000: its product with 2^-390 is denormal
denormal:
        dq      4000000000000000H
        dw      0               ; 2^-16383: its product with 2^100 is not
shrink: dq      8000000000000000H
        dw      3FFFH - 390
grow:   dq      8000000000000000H
        dw      3FFFH + 100

        section .bss align=16
operand: resb   10              ; of work_x87_product
stored: resd    1

; Multiply the operand by ST1, and drop the product; then store it as a number of 32 bits, which does not hold it either: which of
; the two the manual calls an output of the x87 is not said. Per n: 7 instructions, one branch.
        WORKLOAD work_x87_product, 10000, 7, 1, 1
        test    esi, esi
        jz      .done
.again: fld     tword [operand]
        fmul    st0, st1
        fstp    st0
        fld     tword [operand]
        fstp    dword [stored]
        dec     esi
        jnz     .again
.done:  jmp     edi

; PREPARE operand, factor: an x87 stack with the factor, for work_x87_product.
%macro PREPARE 2
        fninit
        fld     tword [%1]
        fstp    tword [operand]
        fld     tword [%2]
        ret
%endmacro

; void work_prepare_overflow(void), _underflow(void), _denormal(void).
        global  work_prepare_overflow, work_prepare_underflow, work_prepare_denormal
work_prepare_overflow:
        PREPARE huge, huge
work_prepare_underflow:
        PREPARE tiny, shrink
work_prepare_denormal:
        PREPARE denormal, grow

; void work_prepare_full_stack(void): each further push overflows the x87 stack, and leaves it full (work_push).
        global  work_prepare_full_stack
work_prepare_full_stack:
        fninit
%rep 8
        fldz
%endrep
        ret
        SLED work_push, 216, 2, 0, 0, fldz

; void work_prepare_denormals(void): XMM0, XMM1 := denormal numbers.
        global  work_prepare_denormals
work_prepare_denormals:
        movaps  xmm0, [denormals]
        movaps  xmm1, [denormals]
        ret

; void work_finish_fp(void): no x87 operand is left that needs an assist.
        global  work_finish_fp
work_finish_fp:
        fninit
        ret
