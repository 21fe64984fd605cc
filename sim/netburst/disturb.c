/*
 * The faults of an access to one register that disturbs another one, or its own counter beyond what it says:
 * by R2, R3, R23, R32 and R57 it does not.
 */
#include "private.h"

static struct nbpmu_counter *victim(struct nbpmu *pmu)
{
    return &pmu->counter[pmu->fault.to];
}

static void take_one(struct nbpmu_counter *counter)
{
    counter->value = (counter->value - 1) & COUNTER_MASK;
}

void nbpmu_disturb_by_cccr(struct nbpmu *pmu, unsigned n, uint32_t before)
{
    const uint32_t now = pmu->counter[n].cccr;
    if (nbpmu_faulty_at(pmu, FAULT_ACK_CLEARS_OTHER, n) && (before & ~now & CCCR_OVF)) {
        victim(pmu)->cccr &= ~CCCR_OVF;
    } else if (nbpmu_faulty_at(pmu, FAULT_STOP_STOPS_OTHER, n) && (before & ~now & CCCR_ENABLE)) {
        victim(pmu)->cccr &= ~CCCR_ENABLE;
    } else if (nbpmu_faulty_at(pmu, FAULT_START_CLEARS_OTHER, n) && (~before & now & CCCR_ENABLE)) {
        victim(pmu)->value = 0;
    } else if (nbpmu_faulty_at(pmu, FAULT_CCCR_COSTS_OTHER, n) && (pmu->running >> pmu->fault.to & 1)) {
        take_one(victim(pmu));
    } else if (nbpmu_faulty_at(pmu, FAULT_STOP_COSTS_COUNT, n) && (before & ~now & CCCR_ENABLE)) {
        take_one(&pmu->counter[n]);
    }
}

/* R23: the filter of a counter is about the value of its own ESCR. */
static void restart_edges_of_twin(struct nbpmu *pmu, unsigned escr_index)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].escr_index == (int)(escr_index ^ 1u)) {
            pmu->counter[n].previous = false;
        }
    }
}

void nbpmu_disturb_by_escr(struct nbpmu *pmu, unsigned escr_index)
{
    if (nbpmu_faulty(pmu, FAULT_ESCR_RESTARTS_TWINS_EDGE)) {
        restart_edges_of_twin(pmu, escr_index);
    }
    if (nbpmu_faulty_at(pmu, FAULT_ESCR_CLEARS_OVF, escr_index)) {
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            if (nbpmu_counter_reaches(n, ESCR_MSR(escr_index))) {
                pmu->counter[n].cccr &= ~CCCR_OVF;
            }
        }
    }
}

void nbpmu_disturb_by_rdpmc(struct nbpmu *pmu, unsigned n)
{
    if (nbpmu_faulty_at(pmu, FAULT_RDPMC_CLEARS_OVF, n)) {
        pmu->counter[n].cccr &= ~CCCR_OVF;
        nbpmu_refresh(pmu);
    } else if (nbpmu_faulty_at(pmu, FAULT_RDPMC_COSTS_OTHER, n)) {
        take_one(victim(pmu));
    }
}
