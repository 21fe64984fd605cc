/*
 * Random parts, programmings and events, for tests that compare two ways of driving the PMU model.
 */
#ifndef TESTS_HOST_SUPPORT_MODEL_RANDOM_H
#define TESTS_HOST_SUPPORT_MODEL_RANDOM_H

#include "model_kit.h"
#include "sim/lib/random.h"

/*
 * Two PMUs of one part, programmed alike: every variant of pmu-rules 10 and 11 taken at random, perhaps a
 * fault that changes what an overflow is, every counter with random CCCR bits.
 */
void random_twins(struct nbpmu **a, struct nbpmu **b, struct random *random);

/* Report occurrences of some of the programmed events. */
void random_posts(struct nbpmu *pmu, struct random *random);

void random_state(struct lp_state lps[NBPMU_LPS], struct random *random);

/* Counters, CCCRs and active events of both are equal. */
void expect_same(struct nbpmu *a, struct nbpmu *b);

#endif
