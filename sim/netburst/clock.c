/*
 * Time: one clock, many equal clocks at once (R37, R42), and which occurrences are worth telling.
 */
#include <string.h>
#include "private.h"

/* R6: the ESCR's value reaches every counter that selects it. */
static bool feeds(const struct pmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < n && pmu_faulty(pmu, FAULT_ESCR_FEEDS_ONE); other++) {
        if ((pmu->running & (1u << other)) && pmu->counter[other].slot == pmu->counter[n].slot) {
            return false;
        }
    }
    return true;
}

/* R27: what the adder of counter n is given for an increment. */
static unsigned addend(const struct pmu *pmu, unsigned n, unsigned increment)
{
    if (pmu_faulty_at(pmu, FAULT_COUNTER_DEAD, n)) {
        return 0;
    }
    if (pmu_faulty(pmu, FAULT_COUNTS_TWICE)) {
        return 2 * increment;
    }
    return increment && pmu_faulty(pmu, FAULT_COUNTS_ONE) ? 1 : increment;
}

/* Counter n in this clock: value, gate, filter, count (the order of R26). */
static unsigned advance(struct pmu *pmu, unsigned n, const struct pmu_lp lps[PMU_LPS], unsigned active)
{
    struct pmu_counter *counter = &pmu->counter[n];
    unsigned value = 0;
    if (counter->slot != NO_SLOT && feeds(pmu, n)) {
        value = pmu_escr_value(pmu, &pmu->escr[counter->slot], lps);
    }
    bool gate_open =
        pmu_gate_open(pmu, counter->cccr, active) || pmu_faulty_at(pmu, FAULT_GATE_IGNORED, n); /* R18 */
    counter->last_increment = addend(pmu, n, pmu_filter(pmu, counter, value, gate_open));
    if (!counter->last_increment) {
        return 0;
    }
    pmu->moved |= 1u << n;
    return pmu_count(pmu, n, counter->last_increment);
}

/* Is it by the rules which counters a clock concerns? These faults leave that as it is: of the registers'
 * access, of one counter's filter that does less, of what a count does, of routes and links, of LVTPC. Others
 * may not. */
static bool counts_soundly(const struct pmu *pmu)
{
    enum pmu_fault_kind kind = pmu->config.fault.kind;
    return kind <= FAULT_RDPMC_CPL_1_2_AS_0 || kind == FAULT_ESCR_UNQUALIFIED || kind == FAULT_ESCR_T1_DEAD ||
           (kind >= FAULT_COMPARE_DEAD && kind <= FAULT_EDGE_DEAD) ||
           (kind >= FAULT_COUNTER_DEAD && kind <= FAULT_ROUTE_TWIN) ||
           (kind >= FAULT_LINK_BROKEN && kind <= FAULT_LINK_ONE_DIRECTION) ||
           kind >= FAULT_LVTPC_NMI_AS_FIXED;
}

/*
 * The running counters in which this clock may change anything: those with an occurrence, those that look at
 * every clock, and those whose last increment has to become 0. Where a fault may count, all of them.
 */
static uint32_t concerned(struct pmu *pmu)
{
    if (!counts_soundly(pmu)) {
        return pmu->running;
    }
    uint32_t due = pmu->every_clock | pmu->moved;
    for (unsigned i = 0; i < pmu->posted_count; i++) {
        due |= pmu->fed[pmu->posted[i]];
    }
    pmu->moved = 0;
    return due & pmu->running;
}

/* One clock. R37: a counter that an overflow starts counts from the next clock, or as a choice in this one.
 */
static unsigned one_clock(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], unsigned active)
{
    unsigned raised = 0;
    uint32_t counted = pmu->running;
    uint32_t due = concerned(pmu);
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
    return raised;
}

/* How far counter n may go from its value without an overflow, or what a fault makes of one. */
static uint64_t plain_way(const struct pmu *pmu, unsigned n)
{
    const struct pmu_fault *fault = &pmu->config.fault;
    uint64_t value = pmu->counter[n].value;
    switch (fault->kind) {
    case FAULT_WRAPS_AT_BIT:
    case FAULT_OVF_AT_CARRY:
        return FIELD_MASK(fault->at - 1, 0) - (value & FIELD_MASK(fault->at - 1, 0));
    case FAULT_LINK_LATE:
        return value < FAULTY_LATENCY ? FAULTY_LATENCY - 1 - value : COUNTER_MASK - value;
    case FAULT_LINK_EARLY:
    case FAULT_OVF_EARLY:
        return value < COUNTER_MASK ? COUNTER_MASK - 1 - value : 0;
    case FAULT_OVF_LATE:
        return value == 0 ? 0 : COUNTER_MASK - value;
    case FAULT_FORCE_POSITIVE_ONLY:
        return (value > COUNTER_MASK / 2 ? COUNTER_MASK : COUNTER_MASK / 2) - value;
    default:
        return COUNTER_MASK - value;
    }
}

/* For how many clocks like the last one does no counter wrap? */
static uint64_t clocks_before_wrap(const struct pmu *pmu, uint64_t limit)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmu_counter *counter = &pmu->counter[n];
        if ((pmu->running & (1u << n)) && counter->last_increment) {
            uint64_t room = plain_way(pmu, n) / counter->last_increment;
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

uint64_t *pmu_clocks_untold(struct pmu *pmu)
{
    return &pmu->untold;
}

static void expect_more(struct pmu *pmu)
{
    pmu->untold = pmu->untold_at_first = clocks_before_wrap(pmu, COUNTER_MASK);
}

void pmu_raised_in_vain(struct pmu *pmu)
{
    if (pmu->steady) {
        expect_more(pmu);
    }
}

void pmu_settle(struct pmu *pmu)
{
    if (pmu->untold < pmu->untold_at_first) {
        skip_clocks(pmu, pmu->untold_at_first - pmu->untold);
    }
    pmu->untold = pmu->untold_at_first = 0;
    pmu->steady = false;
}

static bool same_lps(const struct pmu_lp a[PMU_LPS], const struct pmu_lp b[PMU_LPS])
{
    return a[0].active == b[0].active && a[0].cpl == b[0].cpl && a[1].active == b[1].active &&
           a[1].cpl == b[1].cpl;
}

/* Do the counters have power with so many logical processors active (R42; 11 #5)? */
static bool powered(const struct pmu *pmu, unsigned active)
{
    bool one_sleeps = pmu->config.ht && active == 1;
    return !(one_sleeps && pmu_faulty(pmu, FAULT_ONE_HALTED_STOPS_ALL)) &&
           (active > 0 || pmu->config.halted_clocks);
}

/*
 * Of clocks that all have what is posted now, let those pass that can be told at once: one, and when nothing
 * but values moved in it, those that follow until one of them wraps.
 */
static uint64_t some_clocks(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], unsigned active,
                            uint64_t clocks, unsigned *raised)
{
    pmu->changed = false;
    *raised |= one_clock(pmu, lps, active);
    if (clocks == 1 || pmu->changed) {
        return 1;
    }
    uint64_t same = clocks_before_wrap(pmu, clocks - 1);
    skip_clocks(pmu, same);
    return 1 + same;
}

unsigned pmu_clock(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], uint64_t clocks)
{
    unsigned active = pmu_active_count(pmu, lps), raised = 0;
    if (clocks == 0) {
        return 0;
    }
    if (clocks <= pmu->untold && same_lps(lps, pmu->steady_lps)) {
        pmu->untold -= clocks;
        return 0;
    }
    pmu_settle(pmu);
    if (!powered(pmu, active)) {
        pmu_drop_posts(pmu);
        return 0;
    }
    bool posted = pmu->posted_count;
    pmu->changed = false;
    raised = one_clock(pmu, lps, active);
    pmu_drop_posts(pmu);
    clocks--;
    while (clocks && pmu->running) {
        posted = false;
        clocks -= some_clocks(pmu, lps, active, clocks, &raised);
    }
    /* Nothing was posted and nothing but values moved: so it will be in the clocks that follow. */
    pmu->steady = pmu->every_clock && !posted && !pmu->changed;
    if (pmu->steady) {
        memcpy(pmu->steady_lps, lps, sizeof pmu->steady_lps);
    }
    if (pmu->steady && !raised) {
        expect_more(pmu);
    }
    return raised;
}

uint64_t pmu_clocks_alike(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], uint64_t clocks,
                          unsigned *raised)
{
    unsigned active = pmu_active_count(pmu, lps);
    pmu_settle(pmu);
    *raised = 0;
    uint64_t passed = powered(pmu, active) ? some_clocks(pmu, lps, active, clocks, raised) : clocks;
    pmu_drop_posts(pmu);
    return passed;
}

/* Does a clock without occurrences matter to this counter? */
static bool needs_clocks(const struct pmu *pmu, const struct pmu_counter *counter)
{
    if ((counter->cccr & CCCR_COMPARE) && (counter->cccr & (CCCR_COMPLEMENT | CCCR_EDGE))) {
        return true;
    }
    return counter->slot != NO_SLOT && pmu_value_of_clock(pmu, &pmu->escr[counter->slot]);
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
    pmu->every_clock = 0;
    memset(pmu->fed, 0, sizeof pmu->fed);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmu_counter *counter = &pmu->counter[n];
        bool running = pmu->running & (1u << n);
        if (!running && !may_start_now(pmu, counter)) {
            continue;
        }
        if (running && needs_clocks(pmu, counter)) {
            pmu->listening |= 1ull << PMU_NO_EVENT;
            pmu->every_clock |= 1u << n;
        }
        if (running && counter->slot != NO_SLOT) {
            pmu->fed[counter->slot] |= 1u << n;
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
