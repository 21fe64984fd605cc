/*
 * What a composed fault does to a counter besides: something has happened that should change nothing else.
 */
#include "compose.h"

#include <string.h>

static void affect(struct nbpmu_counter *counter, enum deviation deviation)
{
    switch (deviation) {
    case DEVIATION_CLEARS_COUNTER:
        counter->value = 0;
        break;
    case DEVIATION_CLEARS_CCCR:
        counter->cccr = 0;
        break;
    case DEVIATION_CLEARS_OVF:
        counter->cccr &= ~CCCR_OVF;
        break;
    case DEVIATION_CLEARS_ENABLE:
        counter->cccr &= ~CCCR_ENABLE;
        break;
    case DEVIATION_CLEARS_CASCADE:
        counter->cccr &= ~CCCR_CASCADE;
        break;
    case DEVIATION_CLEARS_BIT_11:
        counter->cccr &= ~CCCR_CASCNT;
        break;
    case DEVIATION_CLEARS_REQUEST:
        counter->request = REQUEST_NONE;
        counter->raised = false;
        break;
    case DEVIATION_RESTARTS_EDGE:
        counter->previous = false;
        break;
    case DEVIATION_COSTS_COUNT:
        counter->value = (counter->value - 1) & COUNTER_MASK;
        break;
    case DEVIATION_ADDS_COUNT:
        counter->value = (counter->value + 1) & COUNTER_MASK;
        break;
    default:
        break;
    }
}

uint32_t nbpmu_fault_victims(const struct nbpmu_composition *composition, unsigned n)
{
    switch ((enum victim)place_of(composition, PLACE_ON)) {
    case ON_NEIGHBOUR:
        return 1u << (n ^ 1);
    case ON_PARTNER:
        return 1u << partner_of(n);
    case ON_OTHER_BLOCK:
        return 1u << (n + 7) % PMC_COUNTERS;
    case ON_ALL:
        return FIELD_MASK(PMC_COUNTERS - 1, 0);
    default:
        return 1u << n;
    }
}

static void affect_counters(struct nbpmu *pmu, unsigned n)
{
    const enum deviation deviation = deviation_of(composition_of(pmu));
    struct nbpmu_counter counter[PMC_COUNTERS];
    memcpy(counter, pmu->counter, sizeof counter);
    for (uint32_t victims = nbpmu_fault_victims(composition_of(pmu), n); victims; victims &= victims - 1)
        affect(&counter[nbpmu_lowest(victims)], deviation);
    if (memcmp(counter, pmu->counter, sizeof counter) == 0 || !acts_in_clock(pmu, n))
        return;
    memcpy(pmu->counter, counter, sizeof counter);
    pmu->stale = pmu->changed = true;
}

/* The PMI that is due comes one count late (nbpmu_fault_count()). */
static void delay_requests(struct nbpmu *pmu, unsigned n)
{
    uint32_t due = 0;
    for (uint32_t victims = nbpmu_fault_victims(composition_of(pmu), n); victims; victims &= victims - 1) {
        const unsigned victim = nbpmu_lowest(victims);
        due |= is_due(pmu, victim) && !life_of(pmu, victim)->is_put_off ? 1u << victim : 0;
    }
    if (!due || !acts_in_clock(pmu, n))
        return;
    for (; due; due &= due - 1)
        life_of(pmu, nbpmu_lowest(due))->is_put_off = true;
}

static void clear_escrs(struct nbpmu *pmu, unsigned n)
{
    bool is_clear = true;
    for (unsigned i = 0; i < ESCR_INDICES; i++)
        is_clear &= pmu->escr[i].value == 0;
    if (is_clear || !nbpmu_fault_acts_at(pmu, n))
        return;
    nbpmu_clear_escrs(pmu);
    pmu->stale = pmu->changed = true;
}

void nbpmu_fault_affect(struct nbpmu *pmu, unsigned n)
{
    if (deviates_by(pmu, DEVIATION_DELAYS_REQUEST))
        delay_requests(pmu, n);
    else if (deviates_by(pmu, DEVIATION_CLEARS_ESCRS))
        clear_escrs(pmu, n);
    else
        affect_counters(pmu, n);
}

void nbpmu_fault_affect_at_access(struct nbpmu *pmu, unsigned n)
{
    nbpmu_fault_affect(pmu, n);
    if (pmu->stale)
        nbpmu_refresh(pmu);
}
