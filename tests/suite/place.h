/*
 * Work at any privilege level, by either logical processor of our core, with events on for just as long.
 */
#ifndef TESTS_SUITE_PLACE_H
#define TESTS_SUITE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

/* Where work is done: at CPL 0 to 3, by this logical processor or by its sibling. */
struct place {
    uint8_t level;
    bool on_sibling;
};

/* The logical processor of a place, 0 or 1. */
unsigned place_lp(struct place place);

struct placed_work {
    struct place place;
    const struct frame *phases;   /* its WRMSRs are not executed */
    const struct msr_write *escr; /* before the phases, at CPL 0: ESCRs that get their event */
    unsigned escrs;
    bool paged;            /* with paging, and the uncached page; the caller has tried paging_on() */
    const uint32_t *after; /* what is written to each ESCR after the phases; null: 0 */
};

/*
 * Give the ESCRs their events, run the phases and write `after` to the ESCRs, all by the logical processor of
 * the place. This processor halts while its sibling works, so it retires nothing while the events are on.
 * Interrupts are off when this returns. A sibling that does not do the work fails the vector.
 */
void place_run(const struct placed_work *work);

#endif
