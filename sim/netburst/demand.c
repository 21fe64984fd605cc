/*
 * Demand: which events, and whether clocks themselves, can move a counter as the registers stand. The caller
 * posts the events asked for and no others.
 */
#include <string.h>
#include "private.h"

/* Does a clock without occurrences matter to this counter? */
static bool needs_clocks(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    if ((counter->cccr & CCCR_COMPARE) && (counter->cccr & (CCCR_COMPLEMENT | CCCR_EDGE))) {
        return true;
    }
    return counter->slot != NO_SLOT && nbpmu_value_of_clock(pmu, &pmu->escr[counter->slot]);
}

/* Could a cascade start this counter in the very clock of the overflow (R37)? */
static bool may_start_now(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    return pmu->choices.start_same_clock && (counter->cccr & (CCCR_CASCADE | CCCR_CASCNT));
}

void nbpmu_find_demand(struct nbpmu *pmu)
{
    for (unsigned event = 0; event < NBPMU_EVENTS; event++) {
        pmu->listens[0][event] = pmu->listens[1][event] = false;
    }
    pmu->head.active_events = 0;
    pmu->every_clock = 0;
    memset(pmu->selected_by, 0, sizeof pmu->selected_by);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct nbpmu_counter *counter = &pmu->counter[n];
        bool running = pmu->running & (1u << n);
        if (!running && !may_start_now(pmu, counter)) {
            continue;
        }
        if (running && needs_clocks(pmu, counter)) {
            pmu->head.active_events |= 1ull << NBPMU_NO_EVENT;
            pmu->every_clock |= 1u << n;
        }
        if (running && counter->slot != NO_SLOT) {
            pmu->selected_by[counter->slot] |= 1u << n;
        }
        if (counter->slot != NO_SLOT && nbpmu_can_count(pmu, counter->slot)) {
            enum nbpmu_event event = pmu->escr[counter->slot].event;
            pmu->listens[counter->slot & 1][event] = true;
            pmu->head.active_events |= 1ull << event;
        }
    }
}
