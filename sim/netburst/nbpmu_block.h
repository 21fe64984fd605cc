/*
 * nbpmu_block: many clocks with events in them at once, for a caller that knows what a stretch of program
 * does before, or after, it has gone through it.
 *
 * nbpmu_event() and nbpmu_advance() let the PMU see each clock with the events of that clock. Where no
 * counter cares which events share a clock, it is enough to say how many there are in the whole block:
 *
 *     const struct nbpmu_block_event events[] = {{NBPMU_UOPS_RETIRED, 1u << 0, 3, 40},
 *                                                {NBPMU_BRANCH_RETIRED, 1u << 2, 1, 1}};
 *     if (!nbpmu_take_block(pmu, 0, 17, events, 2)) {
 *         ... report the events clock by clock ...
 *     }
 */
#ifndef NBPMU_BLOCK_H
#define NBPMU_BLOCK_H

#include "nbpmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The occurrences of one event in a block. Several entries may have the same event. */
struct nbpmu_block_event {
    enum nbpmu_event event;
    uint16_t mask_bits; /* of each occurrence, as for nbpmu_event() */
    unsigned most;      /* in one clock, at most: 1 to 15 */
    uint64_t total;     /* in all clocks of the block: 1 to most * clocks */
};

#define NBPMU_BLOCK_EVENTS 16 /* entries of a block, at most */

/*
 * Do these events, all by logical processor lp at its CPL, in the clocks (1 or more) that come next, have one
 * and the same outcome however they are spread over the clocks with at most `most` in each? And is that
 * outcome that counters advance, and nothing else: no overflow, no PMI, no start of a counter?
 *
 * It is so if each counter that counts one of them counts plainly (no COMPARE, FORCE_OVF or requested PMI)
 * and stays below its overflow, if no ESCR gets more than 15 in a clock, if of events that are states of a
 * clock an ESCR gets one entry with most = 1, and if each counter to which every clock matters gets none of
 * the events, overflows in none of the clocks and has no requested PMI. With an injected fault, with a carry
 * that a choice makes matter (e2_lost_carry), while all logical processors are halted, and with more than
 * NBPMU_BLOCK_EVENTS entries the answer is no; entries of events that are not active are allowed and cost
 * time alone. Events that were reported before by nbpmu_event(), and whose clock has not passed, belong to
 * the first clock of the block and are asked about with it.
 *
 * The question changes nothing that any other function shows.
 */
bool nbpmu_block_fits(struct nbpmu *pmu, unsigned lp, uint64_t clocks, const struct nbpmu_block_event *events,
                      unsigned count);

/*
 * If nbpmu_block_fits(), let the clocks pass with these events, and with those that were reported before for
 * the first of them; otherwise do nothing. Returns whether it did.
 *
 * It promises that every later call (of any function but nbpmu_quiet()) has the outcome that it would have
 * had if each clock had passed by itself, with nbpmu_event() for its part of the events and
 * nbpmu_advance(pmu, 1): registers, PMIs, edge filters, active events and traces. No PMI comes in the block.
 * The number of quiet clocks may be another one. The PMU's time ends with the last clock of the block: an
 * event of the clock after it is to be reported by nbpmu_event() afterwards.
 */
bool nbpmu_take_block(struct nbpmu *pmu, unsigned lp, uint64_t clocks, const struct nbpmu_block_event *events,
                      unsigned count);

#ifdef __cplusplus
}
#endif

#endif
