/*
 * Pseudo-random numbers. They do not depend on the host: a run of p4sim depends on its seed alone.
 */
#ifndef SIM_LIB_RANDOM_H
#define SIM_LIB_RANDOM_H

#include <stdint.h>

/* A generator of 64 bits (xorshift64*). */
struct random {
    uint64_t state; /* not 0 */
};

struct random random_of_seed(uint32_t seed);
/* A number below limit, which is at least 1. */
uint32_t random_below(struct random *random, uint32_t limit);
/* A number from 2^least_log2 to 2^most_log2 - 1 whose length in bits is evenly distributed. */
uint64_t random_log_uniform(struct random *random, unsigned least_log2, unsigned most_log2);

/* A generator of 32 bits (xorshift32): advances *state, which is not 0, and returns a number below limit. */
uint32_t random32_below(uint32_t *state, uint32_t limit);

#endif
