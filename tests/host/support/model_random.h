/*
 * Random parts, programmings and occurrences for tests of the PMU model that compare two of its ways.
 */
#ifndef TESTS_HOST_SUPPORT_MODEL_RANDOM_H
#define TESTS_HOST_SUPPORT_MODEL_RANDOM_H

#include "model_kit.h"

/* A number below limit; the same sequence for the same seed, which is moved on. */
unsigned below(uint64_t *seed, unsigned limit);

/*
 * Two of the same part, programmed alike: every choice of pmu-rules 10 and 11 taken at random, perhaps a
 * fault that changes what an overflow is, every counter with random CCCR bits.
 */
void random_twins(struct nbpmu **a, struct nbpmu **b, uint64_t *seed);

/* Occurrences of some of the programmed events. */
void random_posts(struct nbpmu *pmu, uint64_t *seed);

void random_state(struct lp_state lps[NBPMU_LPS], uint64_t *seed);

/* All counters and CCCRs of both are the same, and what they listen to. */
void expect_same(struct nbpmu *a, struct nbpmu *b);

#endif
