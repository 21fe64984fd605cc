/*
 * One row of the covering array lived through by a counter.
 *
 * S is the counter that has the features. Its twin T selects the same ESCR, so that both see exactly the same
 * events. T is enabled, far from an overflow, and has neither ACTIVE_THREAD, FORCE_OVF nor OVF_PMI; its
 * filter is S's. In the IQ block a third counter of the ESCR, P, counts plainly, if S is not started by it.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_LIFE_H
#define TESTS_VECTORS_NETBURST_PAIRS_LIFE_H

#include <stdbool.h>
#include <stdint.h>
#include "pairs_row.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/stimulus.h"

struct pairs_life {
    struct pairs_row row;
    struct pairs_links links;
    struct pmc_programming s, t, plain, x, z;
    struct pmc_programming disturber; /* overflows half way */
    bool has_plain, disturbed;
    bool twin_is_plain; /* what S's filter lets through follows from the plain count */
    bool complemented;  /* S counts clocks without its event: it ends by its CCCR (question 11.1) */
    const struct stimulus *event, *x_event;
    uint32_t n; /* occurrences in each half of the work */
    uint64_t preset;
};

struct pairs_seen {
    uint64_t early; /* counts before X overflowed */
    uint64_t moved, twin, plain;
    bool x_overflowed, disturber_overflowed;
    bool ovf_at_half;  /* before what happens half way */
    bool ovf_half_way; /* when it was acknowledged */
    bool ovf;
    uint64_t x_moved;
    bool lasts;      /* OVF and the count stay as they are when they are read, and written as they are */
    bool ends;       /* OVF ends when it is written 0 */
    unsigned pmi[2]; /* by logical processor */
    bool was_nmi;
};

#define PAIRS_X_WORK 50 /* occurrences of X's event; X and Z overflow with their first */
#define PAIRS_NEAR   40 /* counts to an overflow early in the work */

/* Choose the counters and program them. The preset is that of PRESET FAR; LAST is for the caller to set. */
void pairs_arrange(struct pairs_life *life, const struct pairs_row *row);
/* The preset of the row; counted: how far S moved in a run from far away, or 0. */
uint64_t pairs_preset(const struct pairs_row *row, uint64_t counted);

/* Live through it once, and leave the PMU, LVTPC and the sibling as they were, but for a sibling that waits
 * for a start-up IPI after INIT. */
struct pairs_seen pairs_live(const struct pairs_life *life);

/* Has this logical processor LVTPC open? */
bool pairs_lvtpc_open(const struct pairs_row *row, unsigned lp);

#endif
