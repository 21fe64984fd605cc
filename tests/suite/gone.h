/*
 * A stage of the PMU is gone when its counters do not do any of it (stages.h). That is found out when a
 * vector has failed that rests on it: each counter of the stage is then tried alone. What rests on a stage
 * that is gone is not run, and the run says in one sentence what everything else follows from.
 */
#ifndef TESTS_SUITE_GONE_H
#define TESTS_SUITE_GONE_H

#include <stdbool.h>
#include "vector.h"

/* Runs the test of a stage on one counter, guarded, and clears the PMU. Returns whether all was right. */
typedef bool stage_try(const struct stage *stage, unsigned counter);

/* The vector with this id has failed: find out which of the stages that it rests on are gone. Each stage is
 * tried once in a run. */
void gone_judge(const struct vector *row, const char *id, stage_try *try);

/* The first stage on which the vector rests, and which is gone; or null. */
const struct stage *gone_below(const struct vector *row);

/* Report the point of a vector as not run, because it rests on this stage. */
void gone_skip(const char *id, const struct stage *stage);

/* Write a line for each stage that is gone: what no counter does, how that was found, and how many vectors
 * were not run. */
void gone_report(void);

/* ---- For bringup.c ---- */

/* Try each counter of the stage alone: the set of those that are right. Afterwards gone_sentence() is about
 * them. */
uint32_t gone_try_all(const struct stage *stage, stage_try *try);
/* What no counter of the stage does; null if some do it. */
const char *gone_sentence(const struct stage *stage);

#endif
