/*
 * Demand: which events can move a counter as the registers stand, and whether clocks without events can
 * (nbpmu_active_events()).
 */
#include <string.h>
#include "private.h"

/* Can a clock without events move this counter? */
static bool needs_clocks(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    if (counter->early || pmu->variants.edge_follows ||
        nbpmu_carry_at_risk(pmu, counter)) /* E20, question 11.12, E2 */
        return true;
    if ((counter->cccr & CCCR_COMPARE) && (counter->cccr & (CCCR_COMPLEMENT | CCCR_EDGE)))
        return true;
    return counter->escr_index != NO_ESCR && pmu->escr[counter->escr_index].of_clock;
}

/* Can a cascade start this counter so that it counts in the clock of the overflow itself (R37)? */
static bool may_start_now(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    return pmu->variants.start_same_clock && (counter->cccr & (CCCR_CASCADE | CCCR_CASCNT));
}

void nbpmu_find_demand(struct nbpmu *pmu)
{
    for (unsigned event = 0; event < NBPMU_EVENTS; event++)
        pmu->is_active[0][event] = pmu->is_active[1][event] = false;
    pmu->head.active_events = 0;
    pmu->every_clock = 0;
    memset(pmu->selected_by, 0, sizeof pmu->selected_by);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct nbpmu_counter *counter = &pmu->counter[n];
        bool running = pmu->running & (1u << n);
        if (!running && !may_start_now(pmu, counter))
            continue;
        if (running && needs_clocks(pmu, counter)) {
            pmu->head.active_events |= 1ull << NBPMU_NO_EVENT;
            pmu->every_clock |= 1u << n;
        }
        if (running && counter->escr_index != NO_ESCR)
            pmu->selected_by[counter->escr_index] |= 1u << n;
        if (counter->escr_index != NO_ESCR && nbpmu_can_count(pmu, counter->escr_index)) {
            enum nbpmu_event event = pmu->escr[counter->escr_index].event;
            pmu->is_active[counter->escr_index & 1][event] = true;
            pmu->head.active_events |= 1ull << event;
        }
    }
}
