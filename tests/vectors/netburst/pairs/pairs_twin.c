/*
 * What the rules say of the twin in a row of the covering array, which has S's event, flags and filter alone:
 * it counts at least what the work causes when the flags of the ESCR select it, and nothing when they exclude
 * it (R11 to R13), and it obeys the plain counter: clocks with more than t events are no more than a (t +
 * 1)th of the events (R22).
 */
#include "pairs_judge.h"

#include "tests/suite/machine.h"

#define MOST_EDGES \
    64 /* of an event of every clock: it begins, and the privilege level changes now and then */
#define LEAST_CLOCKS 5000 /* of STRETCH_US in each half */

void pairs_within(struct pairs_wrong *wrong, uint64_t low, uint64_t high, uint64_t observed,
                  const char *quantity)
{
    if (!wrong->quantity && (observed < low || observed > high))
        *wrong = (struct pairs_wrong){quantity, low, high, observed};
}

bool pairs_is_edge(const struct pairs_row *row)
{
    return pairs_has(row, FILTER, RISING) || pairs_has(row, FILTER, FALLING);
}

bool pairs_is_exact(const struct pairs_row *row)
{
    return PMC_COUNTER[row->counter].block == BLOCK_IQ && pairs_has(row, EVENT, SINGLE);
}

/* ---- Whom the flags select ---- */

static bool is_flame(const struct pairs_row *row)
{
    return PMC_COUNTER[row->counter].block == BLOCK_FLAME;
}

/* A thread-independent event, by R13. The CPL of a halted processor is open (question 11.9). */
static enum selection selects_independent(const struct pairs_row *row)
{
    const bool at_0 = pairs_has(row, CPL, 0), usr = pairs_has(row, FLAGS, USR);

    if (pairs_has(row, FLAGS, NONE))
        return EXCLUDED;
    if ((!usr && !pairs_has(row, FLAGS, OS)) || usr == !at_0)
        return SELECTED;
    if (!machine_may_have_ht())
        return EXCLUDED;
    return pairs_has(row, OTHER, HALTED) ? OPEN : usr ? EXCLUDED : SELECTED;
}

enum selection pairs_selects(const struct pairs_row *row)
{
    if (is_flame(row))
        return selects_independent(row);
    switch (row->level[FEATURE_FLAGS]) {
    case PAIR_FLAGS_ALL:
        return SELECTED;
    case PAIR_FLAGS_OS:
        return pairs_has(row, CPL, 0) ? SELECTED : EXCLUDED;
    case PAIR_FLAGS_USR:
        return pairs_has(row, CPL, 0) ? EXCLUDED : SELECTED;
    case PAIR_FLAGS_OTHER:
        return pairs_has(row, OTHER, RUNNING) ? OPEN : EXCLUDED;
    default:
        return EXCLUDED;
    }
}

/* ---- The twin ---- */

/* The twin as the plain counter of the same ESCR lets it. */
static void judge_against_plain(const struct pairs_life *life, const struct pairs_seen *seen,
                                struct pairs_wrong *wrong)
{
    const bool several = pairs_has(&life->row, EVENT, SEVERAL) && pairs_selects(&life->row) == SELECTED;
    unsigned threshold = 0;

    if (life->twin_is_plain) {
        pairs_within(wrong, seen->plain, seen->plain, seen->twin,
                     "counts of the twin, as of the plain counter");
        return;
    }
    if (life->complemented)
        return;
    if (pairs_has(&life->row, FILTER, ABOVE_1))
        threshold = 1;
    if (pairs_has(&life->row, FILTER, ABOVE_3))
        threshold = 3;
    pairs_within(wrong, 0, (uint32_t)seen->plain / (threshold + 1) - (several && threshold == 0), seen->twin,
                 "counts of the filtered twin, of those of the plain counter");
}

/* How often the work must at least have been counted. */
static uint32_t least_counted(const struct pairs_life *life)
{
    const uint32_t work = 2 * life->n;

    switch (life->row.level[FEATURE_FILTER]) {
    case PAIR_FILTER_NONE:
    case PAIR_FILTER_INERT:
    case PAIR_FILTER_ABOVE_15: /* the twin is plain */
        return work - life->event->slack;
    case PAIR_FILTER_ABOVE_0:
        return work / 15 - life->event->slack / 2;
    case PAIR_FILTER_ABOVE_1:
    case PAIR_FILTER_ABOVE_3:
        return life->twin_is_plain ? work : 0;
    case PAIR_FILTER_RISING:
        return 1;
    default:
        return 0;
    }
}

/* Hardly anything but the work is executed while the ESCR has its event. */
static bool is_short(const struct pairs_row *row)
{
    return !pairs_has(row, MEANWHILE, HLT) && !pairs_has(row, MEANWHILE, INIT) &&
           !pairs_has(row, MEANWHILE, ACCESS) && (pairs_has(row, LVTPC, MASKED) || pairs_has(row, PMI, NONE));
}

void pairs_judge_twin(const struct pairs_life *life, const struct pairs_seen *seen, struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;
    const bool clocks = pairs_has(row, EVENT, CLOCKS);
    const enum selection selected = pairs_selects(row);

    if (life->has_plain)
        judge_against_plain(life, seen, wrong);
    if (clocks && pairs_is_edge(row))
        pairs_within(wrong, 0, MOST_EDGES, seen->twin, "edges of the twin, of an event of every clock");
    if (pairs_has(row, FILTER, AT_MOST_15) || (pairs_has(row, FILTER, AT_MOST_0) && !clocks))
        pairs_within(wrong, LEAST_CLOCKS, UNBOUNDED, seen->twin, "clocks that the complemented twin counts");
    if (pairs_is_exact(row) && life->twin_is_plain && selected == SELECTED && is_short(row))
        pairs_within(wrong, 0, 3 * life->n, seen->twin,
                     "counts of the twin, of work of which each count is known");
    if (selected == SELECTED)
        pairs_within(wrong, least_counted(life), UNBOUNDED, seen->twin,
                     "counts of the twin, of events that the flags select");
    if (selected != EXCLUDED || life->complemented)
        return;
    /* With the work at CPL 0 everything is at CPL 0; else the code around the work is. A PMI makes a halted
     * processor run. */
    const bool by_other = pairs_has(row, FLAGS, OTHER);
    const bool none = by_other ? pairs_has(row, LVTPC, MASKED) && !clocks
                               : pairs_has(row, CPL, 0) || pairs_has(row, FLAGS, NONE) || is_flame(row);
    const bool few = !by_other && pairs_has(row, EVENT, SINGLE) && pairs_has(row, MEANWHILE, NOTHING);
    if (none || few)
        pairs_within(wrong, 0, none ? 0 : 2 * life->n - 1, seen->twin,
                     "counts of the twin, of events that the flags exclude");
}
