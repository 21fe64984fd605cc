/*
 * Erratum E9: now and then a counter whose CCCR has an OVF_PMI flag overflows without OVF. It excuses an OVF
 * that is missing only of such a counter, and only so often. A counter without OVF_PMI is never excused.
 */
#ifndef TESTS_SUITE_UNFLAGGED_H
#define TESTS_SUITE_UNFLAGGED_H

#include <stdbool.h>

/* A counter has overflowed while OVF_PMI was set in its CCCR, and OVF was 0. Is its OVF set now, or is it
 * excused? `came`: its PMI was taken, or none could come, or it comes with the next count. */
bool unflagged_accepts(unsigned counter, bool ovf, bool came);

/* It accepts at most one overflow of so many, and two where there were only few. */
#define UNFLAGGED_SELDOM 5

#endif
