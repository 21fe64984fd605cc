/*
 * Advancing time: one clock, and many identical clocks at once (R37, R42).
 */
#include <assert.h>
#include "clock.h"
#include "state.h"
#include "stages.h"
#include "match.h"
#include "qualify.h"
#include "errata.h"
#include "enable.h"
#include "fast_forward.h"
#include "trace.h"

static void trace_pmi(const struct nbpmu *pmu, unsigned n, unsigned targets)
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++)
        if (targets >> lp & 1)
            nbpmu_tracef(pmu, "PMI to LP%u by counter %u", lp, n);
}

/* Take counter n through this clock, in the order of R26: value, gate, filter, count. Returns the logical
 * processors that get a PMI. */
static unsigned advance(struct nbpmu *pmu, unsigned n, unsigned active)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    unsigned value = pmu->stages->value(pmu, n), raised = 0;
    if (counter->early)
        value = nbpmu_with_early_counts(pmu, counter, value);
    bool gate_open = pmu->stages->gate_open(pmu, n, active);
    bool at_risk = nbpmu_carry_at_risk(pmu, counter);
    counter->last_increment = pmu->stages->filter(pmu, n, value, gate_open);
    if (counter->last_increment) {
        pmu->moved |= 1u << n;
        raised = pmu->stages->count(pmu, n, counter->last_increment);
    }
    if (nbpmu_carry_at_risk(pmu, counter) != at_risk)
        pmu->stale = true; /* the demand for clocks changes */
    if (raised)
        trace_pmi(pmu, n, raised);
    return raised;
}

/* This clock has no event for these counters. Only their last increments change: they become 0. */
static void forget_increments(struct nbpmu *pmu, uint32_t counters)
{
    for (; counters; counters &= counters - 1)
        pmu->counter[nbpmu_lowest(counters)].last_increment = 0;
}

/* These are the running counters that an event was posted for, and those to which every clock matters. The
 * last increments of the others become 0. */
uint32_t nbpmu_due(struct nbpmu *pmu)
{
    uint32_t due = pmu->every_clock;
    for (unsigned i = 0; i < pmu->posted_count; i++)
        due |= pmu->selected_by[pmu->posted[i]];
    forget_increments(pmu, pmu->moved & ~due);
    pmu->moved = 0;
    return due & pmu->running;
}

/* Let one clock pass. A counter that an overflow starts counts from the next clock on, or, with the variant
 * start_same_clock, in this one as well (R37). */
static unsigned one_clock(struct nbpmu *pmu, unsigned active)
{
    unsigned raised = 0;
    uint32_t counted = pmu->running;
    uint32_t due = pmu->stages->due(pmu);
    while (due) {
        counted |= due;
        for (; due; due &= due - 1)
            raised |= advance(pmu, nbpmu_lowest(due), active);
        if (pmu->stale) {
            pmu->changed = true;
            nbpmu_refresh(pmu);
            due = pmu->variants.start_same_clock ? pmu->running & ~counted : 0;
        }
    }
    return raised;
}

/* With no active logical processor the counters run only by the variant halted_clocks (question 11.5). */
bool nbpmu_clocked(const struct nbpmu *pmu, unsigned active)
{
    return active > 0 || pmu->variants.halted_clocks;
}

/*
 * Advance by one clock, then by as many identical ones as fit before the next counter overflows, provided the
 * first changed nothing but counter values. Each has the posted events. Returns how many clocks passed.
 */
static uint64_t advance_repeated(struct nbpmu *pmu, unsigned active, uint64_t clocks, unsigned *raised)
{
    pmu->changed = false;
    *raised |= one_clock(pmu, active);
    if (clocks == 1 || pmu->changed)
        return 1;
    uint64_t same = nbpmu_clocks_before_carry(pmu, clocks - 1);
    nbpmu_repeat_increments(pmu, same);
    return 1 + same;
}

/* Do clocks without events change nothing but last increments? */
static bool only_events_matter(const struct nbpmu *pmu)
{
    return !pmu->every_clock && !pmu->stages->every_clock;
}

static void pass_without_events(struct nbpmu *pmu)
{
    forget_increments(pmu, pmu->moved);
    pmu->moved = 0;
}

unsigned nbpmu_advance(struct nbpmu *pmu, uint64_t clocks)
{
    unsigned active = nbpmu_active_count(pmu), raised = 0;
    if (clocks == 0)
        return 0;
    if (clocks <= pmu->head.quiet) {
        pmu->head.quiet -= clocks;
        return 0;
    }
    nbpmu_sync(pmu);
    if (!pmu->posted_count && only_events_matter(pmu)) {
        pass_without_events(pmu);
        return 0;
    }
    if (!nbpmu_clocked(pmu, active)) {
        nbpmu_drop_posts(pmu);
        return 0;
    }
    bool posted = pmu->posted_count;
    pmu->changed = false;
    raised = one_clock(pmu, active);
    nbpmu_drop_posts(pmu);
    clocks--;
    if (clocks && only_events_matter(pmu)) {
        pass_without_events(pmu);
        clocks = 0;
    }
    while (clocks && pmu->running) {
        posted = false;
        clocks -= advance_repeated(pmu, active, clocks, &raised);
    }
    /* Steady: without events, and with no change but counter values, the next clocks repeat this one. */
    pmu->steady = pmu->every_clock && !posted && !pmu->changed;
    if (pmu->steady && !raised)
        nbpmu_extend_quiet_clocks(pmu);
    return raised;
}

unsigned nbpmu_repeat(struct nbpmu *pmu, uint64_t *clocks)
{
    unsigned active = nbpmu_active_count(pmu), raised = 0;
    if (*clocks == 0)
        return 0;
    nbpmu_sync(pmu);
    if (nbpmu_clocked(pmu, active))
        *clocks = advance_repeated(pmu, active, *clocks, &raised);
    nbpmu_drop_posts(pmu);
    return raised;
}

void nbpmu_set_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl)
{
    assert(lp < NBPMU_LPS && cpl <= 3);
    if (pmu->lp[lp].active == active && pmu->lp[lp].cpl == cpl)
        return;
    nbpmu_sync(pmu);
    pmu->stages->change_lp(pmu, lp, active, cpl);
}

/* A logical processor that halts changes no register (R42). */
void nbpmu_change_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl)
{
    pmu->lp[lp] = (struct lp_state){.active = active, .cpl = (uint8_t)cpl};
}
