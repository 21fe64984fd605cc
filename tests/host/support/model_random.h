/*
 * Random parts, programmings and events, for tests that compare two ways of driving the PMU model.
 */
#ifndef TESTS_HOST_SUPPORT_MODEL_RANDOM_H
#define TESTS_HOST_SUPPORT_MODEL_RANDOM_H

#include "model_kit.h"

/* A number below limit. Changes *seed; equal seeds give equal sequences. */
unsigned below(uint64_t *seed, unsigned limit);

/*
 * Two PMUs of one part, programmed alike: every variant of pmu-rules 10 and 11 taken at random, perhaps a
 * fault that changes what an overflow is, every counter with random CCCR bits.
 */
void random_twins(struct nbpmu **a, struct nbpmu **b, uint64_t *seed);

/* Report occurrences of some of the programmed events. */
void random_posts(struct nbpmu *pmu, uint64_t *seed);

void random_state(struct lp_state lps[NBPMU_LPS], uint64_t *seed);

/* Counters, CCCRs and active events of both are equal. */
void expect_same(struct nbpmu *a, struct nbpmu *b);

#endif
