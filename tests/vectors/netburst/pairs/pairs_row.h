/*
 * A row of the covering array as this machine can run it, and who takes part in it.
 *
 * S is the counter that has the features. Its twin T selects the same ESCR, so that both see exactly the same
 * events. T is enabled, far from an overflow, and has neither ACTIVE_THREAD, FORCE_OVF nor OVF_PMI; its
 * filter is S's. In the IQ block a third counter of the ESCR, P, counts plainly, if S is not started by it.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_ROW_H
#define TESTS_VECTORS_NETBURST_PAIRS_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include "pairs.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/vector.h"

struct pairs_row {
    uint8_t level[PAIRS_FEATURES]; /* enum pairs_level, by enum pairs_feature */
    uint8_t counter;
    uint16_t number; /* in its table, from 1 */
};

/* Has the feature this level? pairs_has(row, FILTER, NONE) */
#define pairs_has(row, feature, name) ((row)->level[FEATURE_##feature] == PAIR_##feature##_##name)

/* The table of a counter's block. */
const struct pairs_table *pairs_table_of(unsigned counter);

/*
 * Row `index` of the table when it is the counter's, else false. A level that this machine lacks becomes one
 * that it has: without a sibling this processor works and the other one is halted, without bit 11 CASCADE
 * starts the counter, and so on.
 */
bool pairs_row_of(const struct pairs_table *table, unsigned index, unsigned counter, struct pairs_row *row);

/* The features that meet in the row, except for what every counter has. */
void pairs_words(const struct pairs_row *row, char *out, size_t size);

/* Which counters start it: X by CASCADE or bit 11, and Z, which starts X; PMC_NONE where there is none. */
struct pairs_links {
    int8_t x, z;
    bool by_bit_11, x_by_bit_11;
};
struct pairs_links pairs_links_of(const struct pairs_row *row);

/* Has this logical processor LVTPC open? */
bool pairs_lvtpc_open(const struct pairs_row *row, unsigned lp);

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

#define PAIRS_X_WORK 50 /* occurrences of X's event; X and Z overflow with their first */
#define PAIRS_NEAR   40 /* counts to an overflow early in the work */

/* Choose the counters and program them. The preset is that of PRESET FAR; LAST is for the caller to set. */
void pairs_arrange(struct pairs_life *life, const struct pairs_row *row);
/* The preset of the row; counted: how far S moved in a run from far away, or 0. */
uint64_t pairs_preset(const struct pairs_row *row, uint64_t counted);

#endif
