/*
 * What was seen of a row of the covering array, and what the rules say of it.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_JUDGE_H
#define TESTS_VECTORS_NETBURST_PAIRS_JUDGE_H

#include "pairs_row.h"

struct pairs_seen {
    uint64_t early; /* counts before X overflowed */
    uint64_t moved, twin, plain;
    bool x_overflowed, disturber_overflowed;
    bool ovf_at_half;  /* OVF before what MEANWHILE names is done, half way through the work */
    bool ovf_half_way; /* OVF when it was acknowledged, half way through the work */
    bool ovf;
    uint64_t x_moved;
    bool lasts;      /* OVF and the count stay as they are when they are read, and written as they are */
    bool ends;       /* OVF ends when it is written 0 */
    unsigned pmi[2]; /* by logical processor */
    bool was_nmi;
};

/* The first quantity that is wrong; null when all are right. */
struct pairs_wrong {
    const char *quantity;
    uint32_t rules;
    uint64_t low, high, observed;
};

struct pairs_wrong pairs_judge(const struct pairs_life *life, const struct pairs_seen *seen);

bool pairs_is_edge(const struct pairs_row *row);

#endif
