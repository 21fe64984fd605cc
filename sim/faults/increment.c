/*
 * Faults of the gate (R18, R42), of the filter (R16, R21 to R26), and of what is added for an increment (R27,
 * R31).
 */
#include "defects.h"

/* ---- ACTIVE_THREAD ---- */

/* The number of active logical processors that the counter sees. */
static unsigned seen_active(struct nbpmu *pmu, unsigned n, unsigned active)
{
    struct counter_defects *defects = &defects_of(pmu)->counter[n];
    bool latched = faulty_at(pmu, FAULT_GATE_LATCHED, n);
    if (defects->active_seen == 0 || (latched && active == NBPMU_LPS)) {
        defects->active_seen = (uint8_t)active;
    }
    if (faulty_at(pmu, FAULT_GATE_SAMPLED, n) || (latched && defects->active_seen == NBPMU_LPS)) {
        return defects->active_seen;
    }
    if (faulty(pmu, FAULT_GATE_LP0_ALWAYS) && nbpmu_has_ht(pmu)) {
        return 1 + (pmu->lp[1].active ? 1u : 0u);
    }
    return active;
}

/* By R42 the counters run while one logical processor is active. */
static bool all_stopped(const struct nbpmu *pmu, unsigned active)
{
    return (faulty(pmu, FAULT_ONE_HALTED_STOPS_ALL) && nbpmu_has_ht(pmu) && active == 1) ||
           (faulty(pmu, FAULT_LP0_HALTED_STOPS_ALL) && !pmu->lp[0].active);
}

bool nbpmu_faulty_gate_open(struct nbpmu *pmu, unsigned n, unsigned active)
{
    unsigned field = (unsigned)CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr);
    if (all_stopped(pmu, active)) {
        return false;
    }
    active = seen_active(pmu, n, active);
    bool wrong = faulty_at(pmu, FAULT_ACTIVE_CELL, field) && fault_of(pmu)->to == active;
    const uint32_t cccr = pmu->counter[n].cccr;
    pmu->counter[n].cccr = nbpmu_seen_cccr(pmu, n);
    const bool single = field == ACTIVE_SINGLE && active == NBPMU_LPS && (cccr & CCCR_COMPARE) &&
                        faulty_at(pmu, FAULT_GATE_SINGLE_COMPARED, n);
    bool open = nbpmu_gate_open(pmu, n, active) != wrong || single;
    pmu->counter[n].cccr = cccr;
    return open || faulty_on(pmu, FAULT_GATE_IGNORED, n);
}

/* ---- The filter: what it sees of its CCCR ---- */

static uint64_t seen_threshold(const struct nbpmu *pmu, unsigned n, uint64_t cccr)
{
    unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(cccr);
    if (faulty(pmu, FAULT_THRESHOLD_ONE_MORE)) {
        threshold += threshold >= fault_of(pmu)->at &&
                     threshold < NBPMU_VALUE_MAX; /* 15 stays: no value is above it */
    } else if (faulty_on(pmu, FAULT_THRESHOLD_BIT_DEAD, n)) {
        threshold &= ~(1u << fault_of(pmu)->to);
    } else if (faulty_on(pmu, FAULT_THRESHOLD_BIT_STUCK, n)) {
        threshold |= 1u << fault_of(pmu)->to;
    } else if (faulty_on(pmu, FAULT_THRESHOLD_DEAD, n) ||
               ((cccr & CCCR_EDGE) && faulty(pmu, FAULT_EDGE_IGNORES_THRESHOLD))) {
        threshold = 0;
    }
    return (cccr & ~CCCR_THRESHOLD_MASK) | CCCR_THRESHOLD(threshold);
}

/* Returns the CCCR without the flags that the filter misses, and with those that it takes for set. */
static uint64_t seen_flags(const struct nbpmu *pmu, unsigned n, uint64_t cccr, unsigned value)
{
    bool edge = cccr & CCCR_EDGE;
    if (faulty_on(pmu, FAULT_COMPARE_DEAD, n)) {
        return cccr & ~CCCR_COMPARE;
    }
    if (faulty(pmu, FAULT_COMPLEMENT_IGNORED) || faulty_on(pmu, FAULT_COMPLEMENT_DEAD, n) ||
        (edge && faulty(pmu, FAULT_EDGE_IGNORES_COMPLEMENT))) {
        return cccr & ~CCCR_COMPLEMENT;
    }
    if (faulty(pmu, FAULT_COMPARE_INVERTED) && value >= fault_of(pmu)->at) {
        return cccr ^ CCCR_COMPLEMENT;
    }
    if (faulty(pmu, FAULT_EDGE_IGNORED) || faulty_on(pmu, FAULT_EDGE_DEAD, n)) {
        return cccr & ~CCCR_EDGE;
    }
    bool compares = ((cccr & CCCR_COMPLEMENT) && faulty_for(pmu, FAULT_COMPLEMENT_WITHOUT_COMPARE, n)) ||
                    ((cccr & CCCR_THRESHOLD_MASK) && faulty_for(pmu, FAULT_THRESHOLD_WITHOUT_COMPARE, n)) ||
                    (edge && faulty_for(pmu, FAULT_EDGE_WITHOUT_COMPARE, n));
    return compares ? cccr | CCCR_COMPARE : cccr;
}

/* Does COMPLEMENT count the clocks without the event? By R16 it does whatever mask and CPL bits are. */
static bool complements(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    uint32_t escr = counter->escr_index == NO_ESCR ? 0 : pmu->escr[counter->escr_index].value;
    bool fails = (faulty(pmu, FAULT_COMPLEMENT_NEEDS_MASK) && ESCR_GET_EVENT_MASK(escr) == 0) ||
                 (faulty(pmu, FAULT_COMPLEMENT_OBEYS_CPL) && (escr & ESCR_CPL_MASK) == 0) ||
                 (faulty(pmu, FAULT_COMPLEMENT_NEEDS_OS) && (escr & (ESCR_T0_OS | ESCR_T1_OS)) == 0);
    return counter->complements && !(counter->has_event && fails);
}

/* Returns the value that the filter gets. With one more, "above" becomes "at least"; 0 is never above a
 * threshold. */
static unsigned seen_value(const struct nbpmu *pmu, unsigned n, uint64_t cccr, unsigned value)
{
    const unsigned least = fault_of(pmu)->at, threshold = (unsigned)CCCR_GET_THRESHOLD(cccr);
    if (!(cccr & CCCR_COMPARE)) {
        return value > 1 && threshold && faulty(pmu, FAULT_THRESHOLD_LIMITS) ? 1 : value;
    }
    if (cccr & CCCR_COMPLEMENT) {
        bool next = faulty(pmu, FAULT_COMPLEMENT_LETS_NEXT) && threshold == least && value == threshold + 1;
        bool passes = next || (faulty(pmu, FAULT_COMPLEMENT_PASSES) && value >= least);
        bool below = faulty_at(pmu, FAULT_COMPLEMENT_BELOW_HERE, n) && threshold >= fault_of(pmu)->to;
        return passes ? 0 : value + (below || faulty_for(pmu, FAULT_COMPLEMENT_BELOW, n));
    }
    bool never = faulty(pmu, FAULT_ABOVE_NEVER) && threshold >= least;
    bool reached = faulty_at(pmu, FAULT_REACHED_HERE, n) && threshold >= fault_of(pmu)->to;
    return never ? 0 : value + (reached || faulty_for(pmu, FAULT_THRESHOLD_REACHED, n));
}

/* ---- The filter: what it makes of the edge (R23) ---- */

/* The increment of a counter with EDGE, by this clock's result and that of the clock before. */
static unsigned edge_increment(struct nbpmu *pmu, unsigned n, bool before, bool result, unsigned increment)
{
    struct counter_defects *defects = &defects_of(pmu)->counter[n];
    bool rising = result && !before;
    const uint32_t cccr = pmu->counter[n].cccr;
    if (faulty(pmu, FAULT_FALLING_DEAD) && (cccr & CCCR_COMPLEMENT) &&
        CCCR_GET_THRESHOLD(cccr) >= fault_of(pmu)->at) {
        return 0;
    }
    if (faulty_for(pmu, FAULT_EDGE_FALLING, n)) {
        return before && !result;
    }
    if (faulty_for(pmu, FAULT_EDGE_BOTH, n)) {
        return before != result;
    }
    if (faulty(pmu, FAULT_EDGE_NEEDS_THRESHOLD)) { /* R24 */
        return pmu->counter[n].cccr & CCCR_THRESHOLD_MASK ? increment : 0;
    }
    if (faulty(pmu, FAULT_EDGE_ONCE) && rising) {
        increment = defects->edge_seen ? 0 : increment;
        defects->edge_seen = true;
    }
    return increment;
}

/* The filter of a counter with COMPARE and EDGE. */
static unsigned filter_edges(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const unsigned other = fault_of(pmu)->to;
    bool shared = faulty_on(pmu, FAULT_EDGE_SHARED, n);
    if (shared) { /* R23: each counter has a filter of its own */
        counter->previous = pmu->counter[other].previous;
    }
    bool before = counter->previous, result = nbpmu_passes_threshold(counter, value);
    unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    if ((faulty_at(pmu, FAULT_EDGE_REARMS_AT_0, n) ||
         faulty_at(pmu, FAULT_EDGE_REARMS_AT_0, EVERY_COUNTER)) &&
        before && value && !(counter->cccr & CCCR_COMPLEMENT)) {
        counter->previous = true;
    }
    if (shared) {
        pmu->counter[other].previous = result;
    }
    increment = edge_increment(pmu, n, before, result, increment);
    return gate_open ? increment : 0;
}

/* ---- What is added ---- */

/* Returns what is added to counter n for an increment. By R27 it is the increment itself. */
static unsigned addend(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    if (faulty_on(pmu, FAULT_COUNTER_DEAD, n) ||
        (faulty_at(pmu, FAULT_IDLE_WHEN_ALL_RUN, n) && pmu->running == FIELD_MASK(PMC_COUNTERS - 1, 0))) {
        return 0;
    }
    if (faulty_at(pmu, FAULT_INCREMENT_BIT_DEAD, n)) {
        return increment & ~(1u << fault_of(pmu)->to);
    }
    if (faulty_for(pmu, FAULT_COUNTS_TWICE, n)) {
        return 2 * increment;
    }
    bool one = faulty_at(pmu, FAULT_COUNTS_ONE_HERE, n) || faulty_for(pmu, FAULT_COUNTS_ONE, n);
    return one && increment ? 1 : increment;
}

/* The faults of FORCE_OVF in a clock whose event the filter or the gate suppresses: by R31 there is no
 * overflow without a count. */
static void force_without_count(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool passed = (value && faulty_at(pmu, FAULT_FORCE_BEFORE_FILTER, n)) ||
                  (!gate_open && faulty(pmu, FAULT_FORCE_BEFORE_GATE));
    if (passed && (counter->cccr & CCCR_FORCE_OVF) && !(counter->cccr & CCCR_OVF)) {
        counter->cccr |= CCCR_OVF;
        pmu->stale = true;
    }
}

/* The sound filter, with the CCCR and the value that the fault lets it see. */
static unsigned filter(struct nbpmu *pmu, unsigned n, uint32_t seen, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const uint32_t cccr = counter->cccr;
    const bool was_complementing = counter->complements;
    value = seen_value(pmu, n, seen, value);
    if ((seen & CCCR_COMPARE) && faulty(pmu, FAULT_GATE_BEFORE_COMPLEMENT)) { /* R26 */
        value = gate_open ? value : 0;
        gate_open = true;
    }
    counter->complements = complements(pmu, counter);
    counter->cccr = seen;
    bool edge = (seen & CCCR_COMPARE) && (seen & CCCR_EDGE);
    unsigned increment =
        edge ? filter_edges(pmu, n, value, gate_open) : nbpmu_filter(pmu, n, value, gate_open);
    counter->cccr = cccr;
    counter->complements = was_complementing;
    return increment;
}

/* By R22 a value that passes counts 1. */
static bool passes_value(const struct nbpmu *pmu, unsigned n, uint32_t seen)
{
    if (!(seen & CCCR_COMPARE)) {
        return false;
    }
    return seen & CCCR_EDGE ? faulty_for(pmu, FAULT_EDGE_PASSES_VALUE, n)
                            : faulty_for(pmu, FAULT_THRESHOLD_PASSES_VALUE, n) ||
                                  faulty_on(pmu, FAULT_THRESHOLD_PASSES_HERE, n);
}

unsigned nbpmu_faulty_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint64_t filter_bits = FIELD_MASK(24, 18);
    uint64_t cccr = nbpmu_seen_cccr(pmu, n);
    if (faulty_at(pmu, FAULT_FILTER_OF_PAIR, n) && pmu->counter[n ^ 1].cccr & CCCR_ENABLE) {
        cccr = (cccr & ~filter_bits) | (pmu->counter[n ^ 1].cccr & filter_bits);
    }
    uint32_t seen = (uint32_t)seen_threshold(pmu, n, seen_flags(pmu, n, cccr, value));
    unsigned increment = filter(pmu, n, seen, value, gate_open);
    if (increment && passes_value(pmu, n, seen)) {
        increment = value;
    }
    increment = addend(pmu, n, increment);
    if (!increment) {
        force_without_count(pmu, n, value, gate_open);
    }
    return increment;
}
