/*
 * What the rules say of a row of the covering array.
 *
 * S moves exactly as its twin does, or not at all when its ACTIVE_THREAD gate is closed (R18) or no clock
 * passes its filter (R22). OVF is the carry out of bit 39, or any count with FORCE_OVF (R28, R31). A PMI
 * comes with a count after the overflow to whom OVF_PMI names, if LVTPC is open there, and none to anybody
 * else (R45, R46, R50).
 */
#include "pairs_judge.h"

#include "kernel/smp/smp.h"
#include "pmc/out_of_line.h"
#include "tests/suite/count.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

#define UNBOUNDED UINT64_MAX

#define MOST_EDGES    64     /* of an event of every clock: when it begins, and where the CPL changes */
#define LEAST_CLOCKS  5000   /* at least so many pass in STRETCH_US of each half */
#define HEAD_START    200000 /* clocks from X's overflow to the start of the twin, at most */
#define CLEAR_OF_LAST 16     /* counts after an overflow that are surely not part of its own clock */
#define X_LESS        10     /* counts before a chained X starts, and slack */
#define BOTH_RUN      3      /* a WRMSR takes at most so many times as long while both processors run */

/* Expect low <= observed <= high, unless something is wrong already. */
static void within(struct pairs_wrong *wrong, uint32_t rules, uint64_t low, uint64_t high, uint64_t observed,
                   const char *quantity)
{
    if (low <= observed && observed <= high)
        rules_held(rules);
    else if (!wrong->quantity)
        *wrong = (struct pairs_wrong){quantity, rules, low, high, observed};
}

bool pairs_is_edge(const struct pairs_row *row)
{
    return pairs_has(row, FILTER, RISING) || pairs_has(row, FILTER, FALLING);
}

/* Taken branches: one count each, and hardly any around the work. */
static bool is_exact(const struct pairs_row *row)
{
    return PMC_COUNTER[row->counter].block == BLOCK_IQ && pairs_has(row, EVENT, SINGLE);
}

/* ---- Whom the flags select ---- */

enum selection { EXCLUDED, SELECTED, OPEN };

static bool is_flame(const struct pairs_row *row)
{
    return PMC_COUNTER[row->counter].block == BLOCK_FLAME;
}

/* Do the flags select a thread-independent event (R13)? The CPL of a halted processor is open (11.9). */
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

/* Do the flags of the ESCR select the work (R11 to R13)? */
static enum selection selects(const struct pairs_row *row)
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

/* ---- The twin ----
 *
 * It has S's event, flags and filter alone. It counts at least what the work causes when the flags of the
 * ESCR select it, and nothing when they exclude it (R11 to R13). And it obeys the plain counter: clocks with
 * more than t events are no more than a (t + 1)th of the events (R22). */

/* Expect of the twin what follows from the plain counter of the same ESCR. */
static void judge_against_plain(const struct pairs_life *life, const struct pairs_seen *seen,
                                struct pairs_wrong *wrong)
{
    const bool several = pairs_has(&life->row, EVENT, SEVERAL) && selects(&life->row) == SELECTED;
    unsigned threshold = 0;

    if (life->twin_is_plain) {
        within(wrong, RULES(R6, R27), seen->plain, seen->plain, seen->twin,
               "counts of the twin, as of the plain counter");
        return;
    }
    if (life->complemented)
        return;
    if (pairs_has(&life->row, FILTER, ABOVE_1))
        threshold = 1;
    if (pairs_has(&life->row, FILTER, ABOVE_3))
        threshold = 3;
    within(wrong, RULES(R22, R23), 0, (uint32_t)seen->plain / (threshold + 1) - (several && threshold == 0),
           seen->twin, "counts of the filtered twin, of those of the plain counter");
}

/* A twin that counts too little may also have a filter that lets nothing through. */
static uint32_t rules_of_selected(const struct pairs_life *life)
{
    return pairs_is_edge(&life->row) ? R23
           : pairs_has(&life->row, FILTER, NONE) || pairs_has(&life->row, FILTER, INERT) ||
                   life->twin_is_plain
               ? rules_of_flags(PMC_EVENT[life->event->event].thread)
               : R22;
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

static void judge_twin(const struct pairs_life *life, const struct pairs_seen *seen,
                       struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;
    const bool clocks = pairs_has(row, EVENT, CLOCKS);
    const enum selection selected = selects(row);

    if (life->has_plain)
        judge_against_plain(life, seen, wrong);
    if (clocks && pairs_is_edge(row))
        within(wrong, R23, 0, MOST_EDGES, seen->twin, "edges of the twin, of an event of every clock");
    if (pairs_has(row, FILTER, AT_MOST_15) || (pairs_has(row, FILTER, AT_MOST_0) && !clocks))
        within(wrong, RULES(R22, R16), LEAST_CLOCKS, UNBOUNDED, seen->twin,
               "clocks that the complemented twin counts");
    if (is_exact(row) && life->twin_is_plain && selected == SELECTED && is_short(row))
        within(wrong, RULES(R27, R7), 0, 3 * life->n, seen->twin,
               "counts of the twin, of work of which each count is known");
    if (selected == SELECTED)
        within(wrong, rules_of_selected(life), least_counted(life), UNBOUNDED, seen->twin,
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
        within(wrong, rules_of_flags(PMC_EVENT[life->event->event].thread), 0, none ? 0 : 2 * life->n - 1,
               seen->twin, "counts of the twin, of events that the flags exclude");
}

/* ---- Of the row ---- */

/* Is the counter accessed while it selects an event? An access may then add to it (E1). */
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

/* The rules by which S counts as its twin does: that of a feature which the twin lacks, or else of the filter
 * that both have. */
static uint32_t rules_of_count(const struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;

    if (life->links.x != PMC_NONE)
        return life->links.by_bit_11 ? RULES(R35, R33, R27) : RULES(R34, R33, R27);
    if (!pairs_has(row, ACTIVE, ANY))
        return RULES(R18, R27);
    if (pairs_is_edge(row))
        return RULES(R23, R27);
    return pairs_has(row, FILTER, NONE)    ? R27
           : pairs_has(row, FILTER, INERT) ? RULES(R21, R27)
                                           : RULES(R22, R27);
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
        within(wrong, R22, 0, access, seen->moved, "counts, above the threshold");
    } else if (!gate_steady(life) && !pairs_has(row, ACTIVE, ANY)) {
        within(wrong, RULES(R18, R27), 0, pairs_has(row, ACTIVE, NONE) ? UNBOUNDED : seen->twin + more,
               seen->moved, "counts, against its twin");
    } else if (!gate_open(row)) {
        within(wrong, R18, 0, access, seen->moved, "counts, with ACTIVE_THREAD closed");
    } else {
        within(wrong, rules_of_count(life), seen->twin > less ? seen->twin - less : 0, seen->twin + more,
               seen->moved, "counts, as its twin");
    }
}

/* Counts from the preset to the overflow. */
OUT_OF_LINE static uint64_t distance(const struct pairs_life *life)
{
    return COUNTER_MASK + 1 - life->preset;
}

/* Has S perhaps overflowed after the last reading of its CCCR, where no one sees it? */
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
    within(wrong,
           forced ? RULES(R31, R29)
           : due  ? RULES(R29, R28)
                  : R28,
           due, due, seen->ovf || seen->ovf_half_way, "OVF");
    if (pairs_has(&life->row, MEANWHILE, ACKNOWLEDGE) && !forced)
        within(wrong, RULES(R32, R29), 0, 1, seen->ovf + seen->ovf_half_way,
               "OVF before and after it was acknowledged");
}

/* Does S surely count in the first half of the work, and alike in both: all of the work's events? */
static bool counts_evenly(const struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;

    return selects(row) == SELECTED && !pairs_has(row, EVENT, CLOCKS) && !pairs_has(row, FLAGS, OTHER) &&
           gate_open(row) && gate_steady(life) &&
           (pairs_has(row, FILTER, NONE) || pairs_has(row, FILTER, INERT) || pairs_has(row, FILTER, ABOVE_0));
}

static void judge_half_way(const struct pairs_life *life, const struct pairs_seen *seen,
                           struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;

    if (!counts_evenly(life))
        return;
    if (pairs_has(row, FORCE, ON))
        within(wrong, RULES(R31, R29), 1, 1, seen->ovf_at_half, "OVF half way, with FORCE_OVF");
    else if (pairs_has(row, FILTER, ABOVE_0))
        return;
    else if (pairs_has(row, PRESET, NEAR))
        within(wrong, RULES(R29, R28), 1, 1, seen->ovf_at_half, "OVF half way, after the overflow");
    else if (seen->moved < distance(life) + life->n / 2)
        within(wrong, R28, 0, 0, seen->ovf_at_half, "OVF half way, before the overflow");
}

static uint32_t rules_of_pmi(const struct pairs_life *life, unsigned lp)
{
    if (!names(&life->row, lp))
        return R45;
    if (!pairs_lvtpc_open(&life->row, lp))
        return R50;
    return pairs_has(&life->row, FORCE, ON) ? RULES(R48, R45)
           : life->links.x != PMC_NONE      ? RULES(R55, R46, R45)
                                            : RULES(R46, R45);
}

/* Judge how many PMIs logical processor lp has taken. */
static void judge_pmi(const struct pairs_life *life, const struct pairs_seen *seen, unsigned lp,
                      struct pairs_wrong *wrong)
{
    const struct pairs_row *row = &life->row;
    const uint64_t to = pairs_has(row, FORCE, ON) ? 0 : distance(life);
    uint64_t least = 0, most = 0;

    if (names(row, lp) && pairs_lvtpc_open(row, lp)) {
        least = seen->moved >= to + CLEAR_OF_LAST;
        most = seen->moved > to || (seen->moved == to && !is_exact(row) && to > 0);
    }
    if ((life->links.x != PMC_NONE && machine_has_erratum(PMC_E3)) || overflow_unseen(life, seen))
        least = 0;
    /* Unless every occurrence of the first half is a count, the overflow may have come with the last count
     * before OVF was acknowledged: no count followed while OVF stood. */
    if (seen->ovf_half_way && to > 0 && (!counts_evenly(life) || pairs_has(row, FILTER, ABOVE_0)))
        least = 0;
    if (lp == 1 && machine_has_erratum(PMC_E5))
        least = 0;
    within(wrong, rules_of_pmi(life, lp), least, most, seen->pmi[lp],
           lp == 0 ? "PMIs taken on LP0" : "PMIs taken on LP1");
}

struct pairs_wrong pairs_judge(const struct pairs_life *life, const struct pairs_seen *seen)
{
    struct pairs_wrong wrong = {.quantity = 0};

    if (life->links.x != PMC_NONE) {
        within(&wrong, RULES(R37, R33), 0, life->complemented ? ACCESSES_ADD : 0, seen->early,
               "counts before X overflows");
        within(&wrong, RULES(R29, R28), 1, 1, seen->x_overflowed, "OVF of X");
        within(&wrong, RULES(R37, R27), PAIRS_X_WORK - X_LESS, UNBOUNDED, seen->x_moved,
               "counts of X, which counts on");
    }
    judge_twin(life, seen, &wrong);
    judge_movement(life, seen, &wrong);
    judge_overflow(life, seen, &wrong);
    judge_half_way(life, seen, &wrong);
    within(&wrong, RULES(R32, R57, R4), 1, 1, seen->lasts,
           "the count and the CCCR last, read and written as they are");
    within(&wrong, R32, 1, 1, seen->ends, "OVF ends by a write of the CCCR");
    for (unsigned lp = 0; lp < 2; lp++)
        judge_pmi(life, seen, lp, &wrong);
    if (seen->pmi[0] + seen->pmi[1] > 0)
        within(&wrong, R50, pairs_has(&life->row, LVTPC, NMI), pairs_has(&life->row, LVTPC, NMI),
               seen->was_nmi, "the PMI came as an NMI");
    if (life->disturbed)
        within(&wrong, RULES(R29, R28), 1, 1, seen->disturber_overflowed,
               "OVF of the counter that overflows half way");
    return wrong;
}
