/*
 * Pseudo-random numbers, for p4sim and for the programs that test it on the host. They do not depend on the
 * host: a run depends on its seed alone.
 */
#ifndef SIM_LIB_RANDOM_H
#define SIM_LIB_RANDOM_H

#include <stdint.h>

/* A generator of 64 bits (xorshift64*). */
struct random {
    uint64_t state; /* not 0 */
};

struct random random_of_seed(uint32_t seed);
/* 64 random bits. */
uint64_t random_bits(struct random *random);
/* A number below limit, which is at least 1. */
uint32_t random_below(struct random *random, uint32_t limit);
/* A number from 2^least_log2 to 2^most_log2 - 1 whose length in bits is evenly distributed. */
uint64_t random_log_uniform(struct random *random, unsigned least_log2, unsigned most_log2);

#endif
