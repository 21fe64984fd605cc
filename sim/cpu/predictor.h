/*
 * The branch predictor: a table of two-bit counters for conditional branches, a table of last targets for
 * indirect ones, and a return stack. Far smaller than NetBurst's, and simple enough to predict by hand.
 *
 * It learns only from branches it is asked about, which are those retired while a branch event is counted.
 */
#ifndef SIM_CPU_PREDICTOR_H
#define SIM_CPU_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/decode/insn.h"

#define PREDICTOR_COUNTERS 1024
#define PREDICTOR_TARGETS  256
#define PREDICTOR_RETURNS  16

struct predictor {
    uint8_t counter[PREDICTOR_COUNTERS]; /* 0 = never seen; 1..4 = strongly not taken .. strongly taken */
    uint32_t target[PREDICTOR_TARGETS];
    uint32_t returns[PREDICTOR_RETURNS]; /* circular */
    unsigned top;
};

/*
 * The branch insn at address has gone to next. Returns whether that was predicted, and learns. A conditional
 * branch never seen is predicted taken when it goes backwards; a direct jump or call is always right; a far
 * transfer never is.
 */
bool predictor_resolve(struct predictor *predictor, const struct insn *insn, uint32_t address, uint32_t next,
                       bool taken);

#endif
