/*
 * Several counters over the same workload: the same events seen through different CCCRs.
 *
 * counter_group_run() starts the counters one after the other before the workload and stops them in the same
 * order after it, by their CCCRs: with COMPLEMENT an ESCR without event might still count (question 11.1).
 * Without COMPLEMENT counter_group_window() is better: it starts and ends the events.
 */
#ifndef TESTS_SUITE_COUNTER_GROUP_H
#define TESTS_SUITE_COUNTER_GROUP_H

#include <stdint.h>
#include "frame.h"

#define COUNTER_GROUP_MAX 6

struct counter_group {
    struct pmc_programming p[COUNTER_GROUP_MAX];
    unsigned counters;
    const struct workload *work;
    uint32_t n;
    uint64_t count[COUNTER_GROUP_MAX]; /* after a run: what each has counted */
};

/*
 * counter_group_run() does not start and stop the counters at once: COUNTER_GROUP_SKEW bounds by how much the
 * clocks of two WRMSRs at the start differ from those at the end (F1: 780 to 1400 clocks each, half as many
 * again now and then). That is a small part of the at least ten thousand clocks of COUNTER_GROUP_WORK laps of
 * work_loop.
 */
#define COUNTER_GROUP_WORK 10000
#define COUNTER_GROUP_SKEW 3000

/* Add a counter for an event of this logical processor at every CPL; filter: CCCR bits on top. Returns its
 * programming. */
struct pmc_programming *counter_group_add(struct counter_group *g, enum pmc_event_id event, uint16_t mask,
                                          unsigned counter, uint32_t filter);

/* Clear the PMU, run the workload once to warm the caches, and once measured. */
void counter_group_run(struct counter_group *g);

/* As counter_group_run(), but the counters see their events in a window (window.h). Not for counters with
 * COMPLEMENT and COMPARE. */
void counter_group_window(struct counter_group *g);

/*
 * Count n occurrences of a workload on every counter of p's block that takes p's event, with p's ESCR and
 * CCCR: in one window on the even ESCR, in another one on the odd ESCR. Expect that the counters of one ESCR
 * count the same (R17). count[0] and count[1]: what the even and the odd ESCR gave. Counter 1 is left out
 * where it is dead (E4).
 */
void count_on_all(const struct pmc_programming *p, enum pmc_event_id event, const struct workload *work,
                  uint32_t n, uint64_t count[2]);

/* CCCR filters: count the clocks whose value is above a threshold, or is not above it. */
uint32_t above(unsigned threshold);
uint32_t at_or_below(unsigned threshold);

#endif
