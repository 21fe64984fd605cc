/*
 * One random case for the property test: a part, some options, and a sequence of register writes and clocks
 * that the model and the naive statement (naive.h) both go through.
 */
#ifndef TESTS_HOST_SECOND_MODEL_PROPERTY_CASE_H
#define TESTS_HOST_SECOND_MODEL_PROPERTY_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/faults/nbpmu_fault.h"

#define CASE_STEPS 90

struct property_case {
    uint64_t seed;         /* decides everything */
    bool left[CASE_STEPS]; /* steps to leave out; each step has random numbers of its own, so the others stay
                              the same */
    bool narrate;          /* print the part and every step on standard error */
    struct nbpmu_fault fault; /* fault put into the model; none by default */
};

/* The outcome of a case. */
struct property_result {
    unsigned steps;       /* steps that were run; the last of them differed, if any did */
    uint64_t clocks;      /* clocks that passed */
    char difference[160]; /* the first one, in words; "" when there was none */
};

/* Run the case. */
struct property_result property_run(const struct property_case *which);

/*
 * Shorten a case that differs: leave out every step that is not needed for the difference, and every step
 * after it.
 */
void property_shorten(struct property_case *which);

#endif
