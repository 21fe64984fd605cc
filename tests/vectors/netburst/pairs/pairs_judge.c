/*
 * What the rules say of a row of the covering array.
 *
 * S moves exactly as its twin does, or not at all when ACTIVE_THREAD closes its gate (R18) or no clock passes
 * its filter (R22). OVF is the carry out of bit 39, or any count with FORCE_OVF (R28, R31). A PMI comes with
 * a count after the overflow to whom OVF_PMI names, if LVTPC is open there, and none to anybody else (R45,
 * R46, R50). pairs_twin.c judges the twin.
 */
#include "pairs_judge.h"

#include "kernel/smp/smp.h"
#include "tests/suite/count.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "pmc/out_of_line.h"

#define HEAD_START    200000 /* clocks from X's overflow to the start of the twin, at most */
#define CLEAR_OF_LAST 16     /* counts after an overflow that are surely not part of its own clock */
#define X_LESS        10     /* counts before a chained X starts, and slack */
#define BOTH_RUN      3      /* times as long takes a WRMSR then, at most */

/* ---- Of the row ---- */

/* Something accesses the counter while it selects an event, which may add to it (E1). */
static bool is_accessed(const struct pairs_row *row)
{
    return pairs_has(row, MEANWHILE, RDMSR) || pairs_has(row, MEANWHILE, RDPMC) ||
           pairs_has(row, MEANWHILE, ACCESS);
}

static bool is_cccr_written(const struct pairs_row *row)
{
    return pairs_has(row, MEANWHILE, CCCR) || pairs_has(row, MEANWHILE, ACKNOWLEDGE);
}

static bool names(const struct pairs_row *row, unsigned lp)
{
    return pairs_has(row, PMI, BOTH) || (lp == 0 ? pairs_has(row, PMI, T0) : pairs_has(row, PMI, T1));
}

/* Does ACTIVE_THREAD let the counter count with the processors that are active in the work? */
static bool gate_open(const struct pairs_row *row)
{
    if (pairs_has(row, ACTIVE, ANY))
        return true;
    return pairs_has(row, OTHER, RUNNING) ? pairs_has(row, ACTIVE, BOTH) : pairs_has(row, ACTIVE, SINGLE);
}

/* Are equally many processors active whenever S may count? HLT and a PMI to a halted processor change that,
 * but the work's own events come while its processor runs, except for FIRM uops, which need not retire (F11).
 */
static bool gate_steady(const struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;
    const bool of_the_work = PMC_COUNTER[row->counter].block != BLOCK_FLAME && !life->complemented &&
                             pairs_has(row, EVENT, SINGLE) && !pairs_has(row, FLAGS, OTHER);

    if (pairs_has(row, WORKER, SIBLING) && pairs_has(row, OTHER, HALTED) && names(row, smp_self()) &&
        pairs_lvtpc_open(row, smp_self()))
        return false;
    if (pairs_has(row, MEANWHILE,
                  INIT)) /* what counts without an event counts before INIT has taken effect */
        return !life->complemented;
    return of_the_work || !pairs_has(row, MEANWHILE, HLT);
}

/* ---- S ---- */

/* Clocks of the WRMSRs between the starts, and the ends, of two counters that end by their CCCRs. */
static uint64_t skew_of(const struct pairs_row *row)
{
    return COUNTER_GROUP_SKEW * (pairs_has(row, OTHER, RUNNING) ? BOTH_RUN : 1u);
}

static void judge_movement(const struct pairs_life *life, const struct pairs_seen *seen,
                           struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;
    const bool above_1 =
        pairs_has(row, FILTER, ABOVE_15) ||
        (life->twin_is_plain && (pairs_has(row, FILTER, ABOVE_1) || pairs_has(row, FILTER, ABOVE_3)));
    const uint64_t access = is_accessed(row) ? ACCESSES_ADD : 0;
    const uint64_t skew = skew_of(row);
    uint64_t less = 0, more = access;

    if (pairs_is_edge(row))
        less += 2, more += 2; /* R25 */
    else if (life->complemented)
        less += skew, more += skew + (life->links.x != PMC_NONE ? HEAD_START : 0);
    if (is_cccr_written(row) && (pairs_has(row, EVENT, CLOCKS)))
        less += ACCESSES_ADD, more += ACCESSES_ADD;
    if (above_1) {
        pairs_within(wrong, 0, access, seen->moved, "counts, above the threshold");
    } else if (!gate_steady(life) && !pairs_has(row, ACTIVE, ANY)) {
        pairs_within(wrong, 0, pairs_has(row, ACTIVE, NONE) ? UNBOUNDED : seen->twin + more, seen->moved,
                     "counts, against its twin");
    } else if (!gate_open(row)) {
        pairs_within(wrong, 0, access, seen->moved, "counts, with ACTIVE_THREAD closed");
    } else {
        pairs_within(wrong, seen->twin > less ? seen->twin - less : 0, seen->twin + more, seen->moved,
                     "counts, as its twin");
    }
}

/* Counts from the preset to the overflow. */
OUT_OF_LINE static uint64_t distance(const struct pairs_life *life)
{
    return COUNTER_MASK + 1 - life->preset;
}

/* Between the last reading of its CCCR and its end, no one sees an overflow. */
static bool overflow_unseen(const struct pairs_life *life, const struct pairs_seen *seen)
{
    return life->complemented && !pairs_has(&life->row, FORCE, ON) && seen->moved >= distance(life) &&
           seen->moved - distance(life) < skew_of(&life->row);
}

static void judge_overflow(const struct pairs_life *life, const struct pairs_seen *seen,
                           struct pairs_wrong *wrong)
{
    const bool forced = pairs_has(&life->row, FORCE, ON);
    const bool due = forced ? seen->moved > 0 : seen->moved >= distance(life);

    if (overflow_unseen(life, seen))
        return;
    /* Whether a forced counter overflows by what an access adds (E1) is open. */
    if (forced && is_accessed(&life->row) && seen->moved <= ACCESSES_ADD)
        return;
    bool ovf = seen->ovf || seen->ovf_half_way;

    if (!ovf && due && seen->pmi[0] + seen->pmi[1] > 0) {
        report_erratum(PMC_E9);
        ovf = true;
    }
    pairs_within(wrong, due, due, ovf, "OVF");
    if (pairs_has(&life->row, MEANWHILE, ACKNOWLEDGE) && !forced)
        pairs_within(wrong, 0, 1, seen->ovf + seen->ovf_half_way, "OVF before and after it was acknowledged");
}

/* Does S surely count in the first half of the work, and alike in both: all of the work's events? */
static bool counts_evenly(const struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;

    return pairs_selects(row) == SELECTED && !pairs_has(row, EVENT, CLOCKS) &&
           !pairs_has(row, FLAGS, OTHER) && gate_open(row) && gate_steady(life) &&
           (pairs_has(row, FILTER, NONE) || pairs_has(row, FILTER, INERT) || pairs_has(row, FILTER, ABOVE_0));
}

static void judge_half_way(const struct pairs_life *life, const struct pairs_seen *seen,
                           struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;

    if (!counts_evenly(life))
        return;
    if (pairs_has(row, FORCE, ON))
        pairs_within(wrong, 1, 1, seen->ovf_at_half, "OVF half way, with FORCE_OVF");
    else if (pairs_has(row, FILTER, ABOVE_0))
        return;
    else if (pairs_has(row, PRESET, NEAR))
        pairs_within(wrong, 1, 1, seen->ovf_at_half, "OVF half way, after the overflow");
    else if (seen->moved < distance(life) + life->n / 2)
        pairs_within(wrong, 0, 0, seen->ovf_at_half, "OVF half way, before the overflow");
}

/* The PMIs that logical processor lp takes, at least and at most. */
static void judge_pmi(const struct pairs_life *life, const struct pairs_seen *seen, unsigned lp,
                      struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;
    const uint64_t to = pairs_has(row, FORCE, ON) ? 0 : distance(life);
    uint64_t least = 0, most = 0;

    if (names(row, lp) && pairs_lvtpc_open(row, lp)) {
        least = seen->moved >= to + CLEAR_OF_LAST;
        most = seen->moved > to || (seen->moved == to && !pairs_is_exact(row) && to > 0);
    }
    if ((life->links.x != PMC_NONE && machine_has_erratum(PMC_E3)) || overflow_unseen(life, seen))
        least = 0;
    if (lp == 1 && machine_has_erratum(PMC_E5))
        least = 0;
    pairs_within(wrong, least, most, seen->pmi[lp], lp == 0 ? "PMIs taken on LP0" : "PMIs taken on LP1");
}

struct pairs_wrong pairs_judge(const struct pairs_life *life, const struct pairs_seen *seen)
{
    struct pairs_wrong wrong = {.quantity = 0};

    if (life->links.x != PMC_NONE) {
        pairs_within(&wrong, 0, life->complemented ? ACCESSES_ADD : 0, seen->early,
                     "counts before X overflows");
        pairs_within(&wrong, 1, 1, seen->x_overflowed, "OVF of X");
        pairs_within(&wrong, PAIRS_X_WORK - X_LESS, UNBOUNDED, seen->x_moved, "counts of X, which counts on");
    }
    pairs_judge_twin(life, seen, &wrong);
    judge_movement(life, seen, &wrong);
    judge_overflow(life, seen, &wrong);
    judge_half_way(life, seen, &wrong);
    pairs_within(&wrong, 1, 1, seen->lasts, "the count and the CCCR last, read and written as they are");
    pairs_within(&wrong, 1, 1, seen->ends, "OVF ends by a write of the CCCR");
    for (unsigned lp = 0; lp < 2; lp++)
        judge_pmi(life, seen, lp, &wrong);
    if (seen->pmi[0] + seen->pmi[1] > 0)
        pairs_within(&wrong, pairs_has(&life->row, LVTPC, NMI), pairs_has(&life->row, LVTPC, NMI),
                     seen->was_nmi, "the PMI came as an NMI");
    if (life->disturbed)
        pairs_within(&wrong, 1, 1, seen->disturber_overflowed, "OVF of the counter that overflows half way");
    return wrong;
}
