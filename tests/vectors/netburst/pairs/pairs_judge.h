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

/* ---- Between pairs_judge.c and pairs_twin.c ---- */

#define UNBOUNDED UINT64_MAX

/* Expect low <= observed <= high, unless something is wrong already. */
void pairs_within(struct pairs_wrong *wrong, uint64_t low, uint64_t high, uint64_t observed,
                  const char *quantity);

bool pairs_is_edge(const struct pairs_row *row);
/* Taken branches: one count each, and hardly any around the work. */
bool pairs_is_exact(const struct pairs_row *row);

/* Do the flags of the ESCR select the work (R11 to R13)? */
enum selection { EXCLUDED, SELECTED, OPEN };
enum selection pairs_selects(const struct pairs_row *row);

/* What T counts, by itself and beside P. */
void pairs_judge_twin(const struct pairs_life *life, const struct pairs_seen *seen,
                      struct pairs_wrong *wrong);

#endif
