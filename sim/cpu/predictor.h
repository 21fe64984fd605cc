/*
 * The branch predictor: a table of two-bit counters for conditional branches, a table of last targets for
 * indirect branches, and a return stack. It is far smaller than NetBurst's, and simple enough to work out by
 * hand.
 */
#ifndef SIM_CPU_PREDICTOR_H
#define SIM_CPU_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/decode/insn.h"

#define PREDICTOR_COUNTERS 1024
#define PREDICTOR_TARGETS  256
#define PREDICTOR_RETURNS  16

/* Values of a counter. */
enum {
    PREDICTOR_UNSEEN,
    PREDICTOR_STRONG_NOT,
    PREDICTOR_WEAK_NOT,
    PREDICTOR_WEAK_TAKEN,
    PREDICTOR_STRONG_TAKEN
};

struct predictor {
    uint8_t counter[PREDICTOR_COUNTERS];
    uint32_t target[PREDICTOR_TARGETS];
    uint32_t returns[PREDICTOR_RETURNS]; /* circular */
    unsigned top;
};

/*
 * The branch insn at address went to next. Returns whether that was predicted, and learns from it. A
 * conditional branch that is seen first is predicted taken when its target is not ahead; a direct jump or
 * call is always predicted, a far transfer never.
 */
bool predictor_resolve(struct predictor *predictor, const struct insn *insn, uint32_t address, uint32_t next,
                       bool taken);

#endif
