/*
 * One random case for the property test: a part, some options, and a sequence of register writes and clocks
 * that the model and the naive statement (naive.h) both go through.
 */
#ifndef TESTS_HOST_SECOND_MODEL_PROPERTY_CASE_H
#define TESTS_HOST_SECOND_MODEL_PROPERTY_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/netburst/nbpmu_fault.h"

#define CASE_STEPS 90

struct property_case {
    uint64_t seed;         /* decides everything */
    bool left[CASE_STEPS]; /* steps to leave out: each is random by itself, so the others stay as they are */
    bool narrate;          /* print the part and every step on standard error */
    struct nbpmu_fault fault; /* deviation of the model, none by default */
};

/* What came of it. */
struct property_result {
    unsigned steps;       /* gone through; the last of them is the one that differed */
    uint64_t clocks;      /* that passed */
    char difference[160]; /* the first one, in words; "" when there was none */
};

/* Go through the case. */
struct property_result property_run(const struct property_case *which);

/*
 * A case that differs, made shorter: leave out every step that the difference does not need, and all after
 * it.
 */
void property_shorten(struct property_case *which);

#endif
