/*
 * A row of the covering array as this machine can run it, in words.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_ROW_H
#define TESTS_VECTORS_NETBURST_PAIRS_ROW_H

#include <stdbool.h>
#include "pairs.h"
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

#endif
