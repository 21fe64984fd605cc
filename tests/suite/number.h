/*
 * Numbers that a vector reports and does not judge: lines of the log that tools read (docs/log.md,
 * "Numbers").
 *
 *   # number BSQ_cache_reference of 200 occurrences on counter 0: 201 (class never)
 *
 * In brackets is the class (pmu-rules 8.3): by how much the number may differ between two runs.
 * A number has the same name in each run. A brief log has those of vectors that failed.
 */
#ifndef TESTS_SUITE_NUMBER_H
#define TESTS_SUITE_NUMBER_H

#include <stdint.h>

#include "pmc/netburst/event.h"

/* Report what an event has counted. The text says where and of what; the event's name precedes it. */
void report_count(enum pmc_event_id event, uint64_t count, const char *fmt, ...);

/* Report a number of which nothing may be expected, such as how often an erratum struck. The text names it.
 */
void report_number(uint64_t number, const char *fmt, ...);

#endif
