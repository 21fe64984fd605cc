/*
 * What a CCCR makes of the ESCR's value: threshold, complement and edge (R21-R26).
 */
#include "sim/pmu_private.h"

/* R22. COMPLEMENT needs a selected event to have something to complement (R16; 11 #1). */
static bool compare(const struct pmu_counter *counter, unsigned value)
{
    unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(counter->cccr);
    if (counter->cccr & CCCR_COMPLEMENT) {
        return counter->has_event && value <= threshold;
    }
    return value > threshold;
}

unsigned pmu_filter(struct pmu *pmu, struct pmu_counter *counter, unsigned value, bool gate_open)
{
    /* R21: without COMPARE the value itself, and COMPLEMENT, THRESHOLD and EDGE have no effect. */
    if (!(counter->cccr & CCCR_COMPARE)) {
        return gate_open ? value : 0;
    }
    bool result = compare(counter, value);
    if (!(counter->cccr & CCCR_EDGE)) {
        return gate_open && result; /* R26: a closed gate stops a complemented condition too */
    }
    /* R23; 11 #6: behind a closed gate the filter holds, or runs on without counting. */
    bool rising = result && !counter->previous;
    if ((gate_open || pmu->config.edge_runs_ungated) && counter->previous != result) {
        counter->previous = result;
        pmu->changed = true;
    }
    return gate_open && rising;
}

void pmu_filter_start(const struct pmu *pmu, struct pmu_counter *counter)
{
    if (pmu->config.edge_state != PMU_EDGE_KEPT) {
        counter->previous = pmu->config.edge_state == PMU_EDGE_TRUE;
    }
}
