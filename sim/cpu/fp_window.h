/*
 * Floating-point and SIMD uops that have been issued and not executed yet. They execute in an order that
 * their registers allow (sim/events/fp_uop.h).
 */
#ifndef SIM_CPU_FP_WINDOW_H
#define SIM_CPU_FP_WINDOW_H

#include <stdint.h>

#define FP_WINDOW 16u

struct fp_uop {
    uint8_t fp;       /* enum insn_fp */
    uint8_t to, from; /* registers, as in struct insn */
    uint8_t times;    /* that it executes */
    uint8_t age;      /* instructions since it was issued */
};

struct fp_window {
    struct fp_uop uop[FP_WINDOW]; /* oldest first */
    unsigned count;
    uint32_t ahead[FP_WINDOW]; /* addresses of the instructions whose uop has executed before its turn */
    unsigned aheads;
    uint64_t executed; /* core clock at which one executed last */
};

#endif
