/*
 * All 18 counters at once, each with the event A of its block (stimulus.h), for vectors about accesses.
 *
 * Their ESCRs have an event only while the work runs, so that an access before or after adds nothing (E1).
 */
#ifndef TESTS_SUITE_ALL_COUNTERS_H
#define TESTS_SUITE_ALL_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/setup.h"

#define ALL_FEW    20  /* occurrences that overflow no counter but one of clocks */
#define ALL_ENOUGH 114 /* occurrences that overflow every counter */

extern struct pmc_programming all_program[PMC_COUNTERS];

/* Clear the PMU and preset all counters; their CCCRs stay 0. A preset that does not hold ends the run. */
void all_counters_arm(void);
/* The preset of counter 0 to 17: near the overflow, a different one for each. */
uint64_t all_counters_preset(unsigned n);
/* Is the counter judged? A counter 1 that shows erratum E4 is not; valid after all_counters_arm(). */
bool all_counters_judge(unsigned n);
/* Switch the events of all ESCRs on, cause n occurrences for each block, call meanwhile() (may be null), and
 * switch the events off. */
void all_counters_work(uint32_t n, void (*meanwhile)(void));
/* Read all counters. */
void all_counters_read(uint64_t value[PMC_COUNTERS]);
/* How far a counter has come since its preset, up to 2^39, when it has this value. */
uint64_t all_counters_progress(unsigned n, uint64_t value);

#endif
