/*
 * Several counters that see their events between the same two moments, each from a preset of its own.
 *
 * All counters run before an ESCR gets its event, and the events end by the ESCRs while the counters run on.
 * So counters that share an ESCR see exactly the same events: they are twins. Neither a count nor OVF can
 * race with a write of a CCCR (R32), and a counter is read when its ESCR has no event (E1). Not for counters
 * with COMPARE and COMPLEMENT, which may count clocks without an event (question 11.1).
 */
#ifndef TESTS_SUITE_GATE_H
#define TESTS_SUITE_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

struct gated {
    struct pmc_programming p;
    uint64_t preset;
    uint64_t value;  /* after gate_run() */
    bool overflowed; /* after gate_run(): OVF */
};

struct gate {
    struct gated counter[PMC_COUNTERS];
    unsigned counters;
    struct msr_write escr[PMC_COUNTERS]; /* each ESCR of the counters once */
    unsigned escrs;
};

/* Add a counter. The gate must have been all 0 at first. Returns its entry. */
struct gated *gate_add(struct gate *g, const struct pmc_programming *p, uint64_t preset);

/*
 * Stop all counters, set the presets, and let the counters of the gate run, their ESCRs without an event. A
 * preset that does not hold fails the vector. Only counters whose bit is set in `running` get ENABLE.
 */
void gate_arm(const struct gate *g, uint32_t running);
#define GATE_ALL FIELD_MASK(PMC_COUNTERS - 1, 0)

/*
 * Give the ESCRs their events, run the phases of a frame (its writes are replaced), take the events away, and
 * read values and OVF. The same code has run once before, without events, so that caches and predictors are
 * warm. What happens between the write of the first ESCR and of another one is counted by the first alone.
 * The frame itself writes up to two ESCRs, one directly after the other.
 */
void gate_run(struct gate *g, const struct frame *phases);

/* gate_run() with n occurrences of one workload; gate_measure() calls gate_arm() first. */
void gate_work(struct gate *g, const struct workload *work, uint32_t n);
void gate_measure(struct gate *g, const struct workload *work, uint32_t n);

/* What a counter has counted since its preset. */
uint64_t gate_counted(const struct gated *counter);

/* Every OVF that is set: one bit for each counter. */
uint32_t gate_overflows(void);

/* Another counter on the counter's ESCRs: the other one of its pair, for 16 and 17 the first one of theirs.
 */
unsigned gate_twin(unsigned counter);

#endif
