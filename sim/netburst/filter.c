/*
 * The filter of a CCCR, from the ESCR's value to the increment: threshold, complement and edge (R21 to R26).
 */
#include "filter.h"
#include "state.h"
#include "stages.h"

/* R22: a value passes if it is above the threshold, or with COMPLEMENT if it is not. COMPLEMENT without a
 * selected event is question 11.1. */
bool nbpmu_passes_threshold(const struct nbpmu_counter *counter, unsigned value)
{
    bool above = value > (unsigned)CCCR_GET_THRESHOLD(counter->cccr);
    return counter->cccr & CCCR_COMPLEMENT ? counter->complements && !above : above;
}

/* The edge filter takes note of this clock's result. While the gate is closed it keeps its state or, with the
 * variant edge_runs_ungated, goes on (question 11.6). */
static void follow(struct nbpmu *pmu, struct nbpmu_counter *counter, bool result, bool gate_open)
{
    if ((gate_open || pmu->variants.edge_runs_ungated) && counter->previous != result) {
        counter->previous = result;
        pmu->changed = true;
    }
}

/* R26: a closed gate stops the increment, with COMPLEMENT too. */
unsigned nbpmu_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool compare = counter->cccr & CCCR_COMPARE, edge = counter->cccr & CCCR_EDGE;
    if (pmu->variants.edge_follows && !(compare && edge))
        follow(pmu, counter, nbpmu_passes_threshold(counter, value), gate_open);
    /* Without COMPARE the increment is the value itself; COMPLEMENT, THRESHOLD and EDGE have no effect
     * (R21). */
    if (!compare)
        return gate_open ? value : 0;
    bool result = nbpmu_passes_threshold(counter, value);
    if (!edge)
        return gate_open && result;
    /* R23: the value passes, and the value of the clock before did not. Threshold 0 is no exception (R24). */
    bool rising = result && !counter->previous;
    follow(pmu, counter, result, gate_open);
    return gate_open && rising;
}

/* R25 */
void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter)
{
    if (!pmu->variants.edge_kept)
        counter->previous = pmu->variants.edge_from_true;
}
