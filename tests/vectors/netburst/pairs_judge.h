/*
 * What a row of the covering array must have given.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_JUDGE_H
#define TESTS_VECTORS_NETBURST_PAIRS_JUDGE_H

#include "pairs_life.h"

/* The first quantity that is wrong; null when all are right. */
struct pairs_wrong {
    const char *quantity;
    uint64_t low, high, observed;
};

struct pairs_wrong pairs_judge(const struct pairs_life *life, const struct pairs_seen *seen);

#endif
