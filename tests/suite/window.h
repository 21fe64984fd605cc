/*
 * A window: several counters that see their events between the same two moments, each from a preset of its
 * own.
 *
 * All counters run before an ESCR gets its event, and the events end by the ESCRs while the counters run on.
 * So counters that share an ESCR see exactly the same events: they are twins. Neither a count nor OVF can
 * race with a write of a CCCR (R32), and a counter is read when its ESCR has no event (E1). Not for counters
 * with COMPARE and COMPLEMENT, which may count clocks without an event (question 11.1).
 */
#ifndef TESTS_SUITE_WINDOW_H
#define TESTS_SUITE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

struct window_counter {
    struct pmc_programming p;
    uint64_t preset;
    uint64_t value;  /* after window_run() */
    bool overflowed; /* after window_run(): OVF */
};

struct window {
    struct window_counter counter[PMC_COUNTERS];
    unsigned counters;
    struct msr_write escr[PMC_COUNTERS]; /* each ESCR of the counters once */
    unsigned escrs;
};

/* Add a counter. The window must have been all 0 at first. Returns its entry. */
struct window_counter *window_add(struct window *g, const struct pmc_programming *p, uint64_t preset);

/*
 * Stop all counters, set the presets, and let the counters of the window run, their ESCRs without an event. A
 * preset that does not hold fails the vector. Only counters whose bit is set in `running` get ENABLE.
 */
void window_arm(const struct window *g, uint32_t running);
#define WINDOW_ALL FIELD_MASK(PMC_COUNTERS - 1, 0)

/*
 * Give the ESCRs their events, run the phases of a frame (its writes are replaced), take the events away, and
 * read values and OVF. The same code has run once before, without events, so that caches and predictors are
 * warm. What happens between the write of the first ESCR and of another one is counted by the first alone.
 * The frame itself writes up to two ESCRs, one directly after the other.
 */
void window_run(struct window *g, const struct frame *phases);

/* window_run() with n occurrences of one workload; window_measure() calls window_arm() first. */
void window_work(struct window *g, const struct workload *work, uint32_t n);
void window_measure(struct window *g, const struct workload *work, uint32_t n);

/* What a counter has counted since its preset. */
uint64_t window_counted(const struct window_counter *counter);

/* Every OVF that is set: one bit for each counter. */
uint32_t window_overflows(void);

/* Another counter on the counter's ESCRs: the other one of its pair, for 16 and 17 the first one of theirs.
 */
unsigned window_twin(unsigned counter);

#endif
