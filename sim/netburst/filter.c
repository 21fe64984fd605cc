/*
 * The filter of a CCCR, from the ESCR's value to the increment: threshold, complement and edge (R21 to R26).
 */
#include "private.h"

static unsigned number_of(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    return (unsigned)(counter - pmu->counter);
}

/* Is this deviation, of one counter, set for this counter? */
static bool faulty_here(const struct nbpmu *pmu, const struct nbpmu_counter *counter,
                        enum nbpmu_fault_kind kind)
{
    return nbpmu_faulty_on(pmu, kind, number_of(pmu, counter));
}

/* Does this deviation, of all counters, strike this counter now? */
static bool strikes(const struct nbpmu *pmu, const struct nbpmu_counter *counter, enum nbpmu_fault_kind kind)
{
    return nbpmu_faulty_for(pmu, kind, number_of(pmu, counter));
}

/* The faults of threshold and COMPLEMENT. */
static bool passes_wrongly(const struct nbpmu *pmu, const struct nbpmu_counter *counter, unsigned value)
{
    unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(counter->cccr);
    if (nbpmu_faulty(pmu, FAULT_THRESHOLD_ONE_MORE)) {
        threshold++;
    }
    if (faulty_here(pmu, counter, FAULT_THRESHOLD_BIT_DEAD)) {
        threshold &= ~(1u << pmu->fault.to);
    } else if (faulty_here(pmu, counter, FAULT_THRESHOLD_BIT_STUCK)) {
        threshold |= 1u << pmu->fault.to;
    }
    bool edge = counter->cccr & CCCR_EDGE;
    if (faulty_here(pmu, counter, FAULT_THRESHOLD_DEAD) ||
        (edge && nbpmu_faulty(pmu, FAULT_EDGE_IGNORES_THRESHOLD))) {
        threshold = 0;
    }
    bool complement_ignored = nbpmu_faulty(pmu, FAULT_COMPLEMENT_IGNORED) ||
                              faulty_here(pmu, counter, FAULT_COMPLEMENT_DEAD) ||
                              (edge && nbpmu_faulty(pmu, FAULT_EDGE_IGNORES_COMPLEMENT));
    bool inverted = nbpmu_faulty(pmu, FAULT_COMPARE_INVERTED) && value >= pmu->fault.at;
    if ((counter->cccr & CCCR_COMPLEMENT) && !complement_ignored) {
        if (nbpmu_faulty(pmu, FAULT_COMPLEMENT_PASSES) && value >= pmu->fault.at) {
            return counter->complements;
        }
        bool below = strikes(pmu, counter, FAULT_COMPLEMENT_BELOW) ? value < threshold : value <= threshold;
        return counter->complements && below != inverted;
    }
    if (nbpmu_faulty(pmu, FAULT_ABOVE_NEVER) && threshold >= pmu->fault.at) {
        return false;
    }
    if (inverted) {
        return value <= threshold;
    }
    return value > threshold || (value == threshold && strikes(pmu, counter, FAULT_THRESHOLD_REACHED));
}

/* COMPLEMENT without a selected event is question 11.1. */
bool nbpmu_passes_threshold(const struct nbpmu *pmu, const struct nbpmu_counter *counter, unsigned value)
{
    if (!nbpmu_sound(pmu)) {
        return passes_wrongly(pmu, counter, value);
    }
    bool above = value > (unsigned)CCCR_GET_THRESHOLD(counter->cccr);
    return counter->cccr & CCCR_COMPLEMENT ? counter->complements && !above : above;
}

/* Are the other filter fields in use? COMPARE decides (R21). */
static bool compares(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    uint32_t cccr = counter->cccr;
    if (nbpmu_sound(pmu)) {
        return cccr & CCCR_COMPARE;
    }
    if (faulty_here(pmu, counter, FAULT_COMPARE_DEAD)) {
        return false;
    }
    return (cccr & CCCR_COMPARE) ||
           ((cccr & CCCR_COMPLEMENT) && strikes(pmu, counter, FAULT_COMPLEMENT_WITHOUT_COMPARE)) ||
           ((cccr & CCCR_THRESHOLD_MASK) && strikes(pmu, counter, FAULT_THRESHOLD_WITHOUT_COMPARE)) ||
           ((cccr & CCCR_EDGE) && strikes(pmu, counter, FAULT_EDGE_WITHOUT_COMPARE));
}

/* Does the result differ from the previous clock's in the way that EDGE counts (R23)? Threshold 0 is no
 * exception (R24). */
static bool is_edge(const struct nbpmu *pmu, struct nbpmu_counter *counter, bool result)
{
    bool changed = result != counter->previous;
    bool rising = changed && result;
    if (nbpmu_sound(pmu)) {
        return rising;
    }
    if (strikes(pmu, counter, FAULT_EDGE_FALLING)) {
        return changed && !result;
    }
    if (strikes(pmu, counter, FAULT_EDGE_BOTH)) {
        return changed;
    }
    if (nbpmu_faulty(pmu, FAULT_EDGE_NEEDS_THRESHOLD)) {
        return rising && (counter->cccr & CCCR_THRESHOLD_MASK);
    }
    if (nbpmu_faulty(pmu, FAULT_EDGE_ONCE) && rising) {
        bool first = !counter->edge_seen;
        counter->edge_seen = true;
        return first;
    }
    return rising;
}

/* The edge filter takes note of this clock's result. While the gate is closed it keeps its state or, with the
 * choice edge_runs_ungated, goes on (question 11.6). */
static void follow(struct nbpmu *pmu, struct nbpmu_counter *counter, bool result, bool gate_open)
{
    if ((gate_open || pmu->choices.edge_runs_ungated) && counter->previous != result) {
        counter->previous = result;
        pmu->changed = true;
    }
}

unsigned nbpmu_filter(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value, bool gate_open)
{
    bool in_use = (counter->cccr & CCCR_COMPARE) && (counter->cccr & CCCR_EDGE);
    if (pmu->choices.edge_follows && !in_use) {
        follow(pmu, counter, nbpmu_passes_threshold(pmu, counter, value), gate_open);
    }
    /* Without COMPARE the increment is the value itself; COMPLEMENT, THRESHOLD and EDGE have no effect
     * (R21). */
    if (!compares(pmu, counter)) {
        if (value > 1 && (counter->cccr & CCCR_THRESHOLD_MASK) && nbpmu_faulty(pmu, FAULT_THRESHOLD_LIMITS)) {
            value = 1;
        }
        return gate_open ? value : 0;
    }
    if (nbpmu_faulty(pmu, FAULT_GATE_BEFORE_COMPLEMENT)) {
        value = gate_open ? value : 0;
        gate_open = true;
    }
    bool result = nbpmu_passes_threshold(pmu, counter, value);
    if (!(counter->cccr & CCCR_EDGE) || nbpmu_faulty(pmu, FAULT_EDGE_IGNORED) ||
        faulty_here(pmu, counter, FAULT_EDGE_DEAD)) {
        bool passes_value = strikes(pmu, counter, FAULT_THRESHOLD_PASSES_VALUE) ||
                            faulty_here(pmu, counter, FAULT_THRESHOLD_PASSES_HERE);
        unsigned increment = passes_value ? value : 1;
        return gate_open && result ? increment
                                   : 0; /* R26: a closed gate stops a complemented condition too */
    }
    if (faulty_here(pmu, counter, FAULT_EDGE_SHARED)) { /* R23: each counter has a filter of its own */
        counter->previous = pmu->counter[pmu->fault.to].previous;
    }
    bool edge = is_edge(pmu, counter, result);
    follow(pmu, counter, result, gate_open);
    if (faulty_here(pmu, counter, FAULT_EDGE_SHARED)) {
        pmu->counter[pmu->fault.to].previous = result;
    }
    if (strikes(pmu, counter, FAULT_EDGE_PASSES_VALUE)) {
        return gate_open && edge ? value : 0;
    }
    return gate_open && edge;
}

void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter)
{
    if (!pmu->choices.edge_kept) {
        counter->previous = pmu->choices.edge_from_true;
    }
    counter->edge_seen = false;
    counter->active_seen = 0;
}
