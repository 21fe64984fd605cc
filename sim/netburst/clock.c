/*
 * Advancing time: one clock, and many identical clocks at once (R37, R42).
 */
#include <assert.h>
#include "private.h"

/* Does counter n get the value of its ESCR? Every counter that selects the ESCR does (R6), but for a fault.
 */
static bool receives_value(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < n && nbpmu_faulty_for(pmu, FAULT_ESCR_FEEDS_ONE, n); other++) {
        if ((pmu->running & (1u << other)) && pmu->counter[other].escr_index == pmu->counter[n].escr_index) {
            return false;
        }
    }
    return true;
}

/* What is added to counter n for an increment: the increment itself (R27), but for a fault. */
static unsigned addend(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    if (nbpmu_faulty_on(pmu, FAULT_COUNTER_DEAD, n)) {
        return 0;
    }
    if (nbpmu_faulty_at(pmu, FAULT_IDLE_WHEN_ALL_RUN, n) && pmu->running == FIELD_MASK(PMC_COUNTERS - 1, 0)) {
        return 0;
    }
    if (nbpmu_faulty_at(pmu, FAULT_INCREMENT_BIT_DEAD, n)) {
        return increment & ~(1u << pmu->fault.to);
    }
    if (increment && nbpmu_faulty_at(pmu, FAULT_COUNTS_ONE_HERE, n)) {
        return 1;
    }
    if (nbpmu_faulty_for(pmu, FAULT_COUNTS_TWICE, n)) {
        return 2 * increment;
    }
    return increment && nbpmu_faulty_for(pmu, FAULT_COUNTS_ONE, n) ? 1 : increment;
}

/* The faults of FORCE_OVF in a clock whose event the filter or the gate suppresses: without a count there is
 * no overflow (R31). */
static void force_without_count(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool passed = (value && nbpmu_faulty_at(pmu, FAULT_FORCE_BEFORE_FILTER, n)) ||
                  (!gate_open && nbpmu_faulty(pmu, FAULT_FORCE_BEFORE_GATE));
    if (passed && (counter->cccr & CCCR_FORCE_OVF) && !(counter->cccr & CCCR_OVF)) {
        counter->cccr |= CCCR_OVF;
        pmu->stale = true;
    }
}

/* The value that counter n gets in this clock. */
static unsigned value_for(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    unsigned value = 0;
    if (counter->escr_index != NO_ESCR && (nbpmu_sound(pmu) || receives_value(pmu, n))) {
        value = nbpmu_escr_value(pmu, &pmu->escr[counter->escr_index]);
    }
    if (nbpmu_faulty_at(pmu, FAULT_GETS_NEIGHBOURS, n) && (pmu->running >> (n ^ 1) & 1) &&
        pmu->counter[n ^ 1].escr_index != counter->escr_index) { /* R6 */
        value |= nbpmu_escr_value(pmu, &pmu->escr[pmu->counter[n ^ 1].escr_index]);
    }
    if (counter->early) {
        value += nbpmu_early_counts(pmu, counter);
        value = value < NBPMU_VALUE_MAX ? value : NBPMU_VALUE_MAX;
    }
    return value;
}

/* Take counter n through this clock, in the order of R26: value, gate, filter, count. Returns the logical
 * processors that get a PMI. */
static unsigned advance(struct nbpmu *pmu, unsigned n, unsigned active)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    unsigned value = value_for(pmu, n), raised = 0;
    active = nbpmu_active_seen(pmu, n, active);
    bool gate_open =
        nbpmu_gate_open(pmu, counter->cccr, active) || nbpmu_faulty_on(pmu, FAULT_GATE_IGNORED, n); /* R18 */
    bool at_risk = nbpmu_carry_at_risk(pmu, counter);
    unsigned increment = nbpmu_filter(pmu, counter, value, gate_open);
    counter->last_increment = nbpmu_sound(pmu) ? increment : addend(pmu, n, increment);
    if (counter->last_increment) {
        pmu->moved |= 1u << n;
        raised = nbpmu_count(pmu, n, counter->last_increment);
    } else if (!nbpmu_sound(pmu)) {
        force_without_count(pmu, n, value, gate_open);
    }
    if (nbpmu_carry_at_risk(pmu, counter) != at_risk) {
        pmu->stale = true; /* the demand for clocks changes */
    }
    return raised;
}

/* May this clock pass over counters that have nothing to count? Always without an injected fault; with one
 * only if the fault does not change which counters a clock affects. */
static bool fault_allows_skipping(const struct nbpmu *pmu)
{
    return nbpmu_faulty(pmu, FAULT_NONE) || pmu->fault.keeps_skipping_valid;
}

/* A clock has no event for these counters, to which clocks without events do nothing else. */
static void forget_increments(struct nbpmu *pmu, uint32_t counters)
{
    for (; counters; counters &= counters - 1) {
        pmu->counter[nbpmu_lowest(counters)].last_increment = 0;
    }
}

/*
 * The running counters in which this clock may change anything: those that an event was posted for, and those
 * to which every clock matters. The last increments of the others become 0. With an injected fault these are
 * taken through the clock as well; with one that does not keep skipping valid, all that run.
 */
static uint32_t concerned(struct nbpmu *pmu)
{
    if (!fault_allows_skipping(pmu)) {
        return pmu->running;
    }
    uint32_t due = pmu->every_clock, moved = pmu->moved;
    for (unsigned i = 0; i < pmu->posted_count; i++) {
        due |= pmu->selected_by[pmu->posted[i]];
    }
    pmu->moved = 0;
    if (nbpmu_sound(pmu)) {
        forget_increments(pmu, moved & ~due);
    } else {
        due |= moved;
    }
    return due & pmu->running;
}

/* Let one clock pass. A counter that an overflow starts counts from the next clock on, or, with the choice
 * start_same_clock, in this one as well (R37). */
static unsigned one_clock(struct nbpmu *pmu, unsigned active)
{
    unsigned raised = 0;
    pmu->overflowing = 0;
    uint32_t counted = pmu->running;
    uint32_t due = concerned(pmu);
    while (due) {
        counted |= due;
        for (; due; due &= due - 1) {
            unsigned n = nbpmu_lowest(due), targets = advance(pmu, n, active);
            if (raised && targets && nbpmu_faulty(pmu, FAULT_PMI_SAME_CLOCK_LOST)) { /* R46 */
                pmu->counter[n].raised = false;
                targets = 0;
            }
            raised |= targets;
        }
        if (pmu->stale) {
            pmu->changed = true;
            nbpmu_refresh(pmu);
            due = pmu->choices.start_same_clock ? pmu->running & ~counted : 0;
        }
    }
    return raised;
}

/* With no active logical processor the counters run only by the choice halted_clocks (question 11.5). */
bool nbpmu_clocked(const struct nbpmu *pmu, unsigned active)
{
    if (nbpmu_sound(pmu)) {
        return active > 0 || pmu->choices.halted_clocks;
    }
    bool one_halted = nbpmu_has_ht(pmu) && active == 1;
    return !(one_halted && nbpmu_faulty(pmu, FAULT_ONE_HALTED_STOPS_ALL)) &&
           !(nbpmu_faulty(pmu, FAULT_LP0_HALTED_STOPS_ALL) && !pmu->lp[0].active) &&
           (active > 0 || pmu->choices.halted_clocks);
}

/*
 * Advance by one clock, then by as many identical ones as fit before the next counter overflows, provided the
 * first changed nothing but counter values. Each has the posted events. Returns how many clocks passed.
 */
static uint64_t advance_repeated(struct nbpmu *pmu, unsigned active, uint64_t clocks, unsigned *raised)
{
    pmu->changed = false;
    *raised |= one_clock(pmu, active);
    if (clocks == 1 || pmu->changed) {
        return 1;
    }
    uint64_t same = nbpmu_clocks_before_carry(pmu, clocks - 1);
    nbpmu_repeat_increments(pmu, same);
    return 1 + same;
}

/* Do clocks without events change nothing but last increments? */
static bool only_events_matter(const struct nbpmu *pmu)
{
    return nbpmu_sound(pmu) && !pmu->every_clock;
}

static void pass_without_events(struct nbpmu *pmu)
{
    forget_increments(pmu, pmu->moved);
    pmu->moved = 0;
}

unsigned nbpmu_advance(struct nbpmu *pmu, uint64_t clocks)
{
    unsigned active = nbpmu_active_count(pmu), raised = 0;
    if (clocks == 0) {
        return 0;
    }
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
    if (pmu->steady && !raised) {
        nbpmu_extend_quiet_clocks(pmu);
    }
    return raised;
}

unsigned nbpmu_repeat(struct nbpmu *pmu, uint64_t *clocks)
{
    unsigned active = nbpmu_active_count(pmu), raised = 0;
    if (*clocks == 0) {
        return 0;
    }
    nbpmu_sync(pmu);
    if (nbpmu_clocked(pmu, active)) {
        *clocks = advance_repeated(pmu, active, *clocks, &raised);
    }
    nbpmu_drop_posts(pmu);
    return raised;
}

void nbpmu_set_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl)
{
    assert(lp < NBPMU_LPS && cpl <= 3);
    struct lp_state *state = &pmu->lp[lp];
    if (state->active == active && state->cpl == cpl) {
        return;
    }
    nbpmu_sync(pmu);
    if (state->active && !active) {
        nbpmu_halted(pmu);
    }
    state->active = active;
    state->cpl = (uint8_t)cpl;
}
