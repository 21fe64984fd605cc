/*
 * Time: one clock, many equal clocks at once (R37, R42), and which occurrences are worth telling.
 */
#include "sim/pmu_private.h"

/* Counter n in this clock: value, gate, filter, count (the order of R26). */
static unsigned advance(struct pmu *pmu, unsigned n, const struct pmu_lp lps[PMU_LPS], unsigned active)
{
    struct pmu_counter *counter = &pmu->counter[n];
    unsigned value = 0;
    if (counter->slot != NO_SLOT) {
        value = pmu_escr_value(pmu, &pmu->escr[counter->slot], lps);
    }
    bool gate_open = pmu_gate_open(pmu, counter->cccr, active);
    counter->last_increment = pmu_filter(pmu, counter, value, gate_open);
    return counter->last_increment ? pmu_count(pmu, n, counter->last_increment) : 0;
}

/* One clock. R37: a counter that an overflow starts counts from the next clock, or as a choice in this one.
 */
static unsigned one_clock(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], unsigned active)
{
    unsigned raised = 0;
    uint32_t counted = 0;
    uint32_t due = pmu->running;
    while (due) {
        counted |= due;
        for (unsigned n = 0; due; n++, due >>= 1) {
            if (due & 1) {
                raised |= advance(pmu, n, lps, active);
            }
        }
        if (pmu->stale) {
            pmu->changed = true;
            pmu_refresh(pmu);
            due = pmu->config.start_same_clock ? pmu->running & ~counted : 0;
        }
    }
    pmu_drop_posts(pmu);
    return raised;
}

/* For how many clocks like the last one does no counter wrap? */
static uint64_t clocks_before_wrap(const struct pmu *pmu, uint64_t limit)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmu_counter *counter = &pmu->counter[n];
        if ((pmu->running & (1u << n)) && counter->last_increment) {
            uint64_t room = (COUNTER_MASK - counter->value) / counter->last_increment;
            limit = room < limit ? room : limit;
        }
    }
    return limit;
}

static void skip_clocks(struct pmu *pmu, uint64_t clocks)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->running & (1u << n)) {
            pmu->counter[n].value += clocks * pmu->counter[n].last_increment;
        }
    }
}

unsigned pmu_clock(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], uint64_t clocks)
{
    unsigned active = pmu_active_count(pmu, lps);
    if (active == 0 && !pmu->config.halted_clocks) { /* R42; 11 #5 */
        pmu_drop_posts(pmu);
        return 0;
    }
    if (clocks == 0) {
        return 0;
    }
    unsigned raised = one_clock(pmu, lps, active);
    clocks--;
    while (clocks && pmu->running) {
        pmu->changed = false;
        raised |= one_clock(pmu, lps, active);
        clocks--;
        /* Nothing but values moved: the next clocks are the same until one of them wraps. */
        if (clocks && !pmu->changed) {
            uint64_t same = clocks_before_wrap(pmu, clocks);
            skip_clocks(pmu, same);
            clocks -= same;
        }
    }
    return raised;
}

/* Does a clock without occurrences matter to this counter? */
static bool needs_clocks(const struct pmu *pmu, const struct pmu_counter *counter)
{
    if ((counter->cccr & CCCR_COMPARE) && (counter->cccr & (CCCR_COMPLEMENT | CCCR_EDGE))) {
        return true;
    }
    return counter->slot != NO_SLOT && pmu->escr[counter->slot].event == PMU_GLOBAL_POWER_EVENTS;
}

/* Could a cascade start this counter in the very clock of the overflow (R37)? */
static bool may_start_now(const struct pmu *pmu, const struct pmu_counter *counter)
{
    return pmu->config.start_same_clock && (counter->cccr & (CCCR_CASCADE | CCCR_CASCNT));
}

void pmu_listen(struct pmu *pmu)
{
    for (unsigned event = 0; event < PMU_EVENTS; event++) {
        pmu->listens[0][event] = pmu->listens[1][event] = false;
    }
    pmu->listening = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmu_counter *counter = &pmu->counter[n];
        bool running = pmu->running & (1u << n);
        if (!running && !may_start_now(pmu, counter)) {
            continue;
        }
        if (running && needs_clocks(pmu, counter)) {
            pmu->listening |= 1ull << PMU_NO_EVENT;
        }
        if (counter->slot != NO_SLOT && pmu_can_count(pmu, counter->slot)) {
            enum pmu_event event = pmu->escr[counter->slot].event;
            pmu->listens[counter->slot & 1][event] = true;
            pmu->listening |= 1ull << event;
        }
    }
}

uint64_t pmu_listening(const struct pmu *pmu)
{
    return pmu->listening;
}
