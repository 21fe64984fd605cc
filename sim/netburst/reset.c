/*
 * Life of a PMU model: power-up, RESET (R1), release.
 */
#include "private.h"

#include <stdlib.h>
#include <string.h>

/* pmu-rules 2.3: MSR_TC_PRECISE_EVENT reads FC00H after reset. */
#define PRECISE_EVENT_RESET 0xFC00

struct pmu *pmu_new(const struct pmu_config *config)
{
    struct pmu *pmu = calloc(1, sizeof *pmu);
    if (pmu) {
        pmu->config = *config;
        pmu_reset(pmu);
    }
    return pmu;
}

void pmu_free(struct pmu *pmu)
{
    free(pmu);
}

/* R1: all counters, CCCRs and ESCRs 0. */
void pmu_reset(struct pmu *pmu)
{
    pmu_settle(pmu);
    memset(pmu->counter, 0, sizeof pmu->counter);
    memset(pmu->escr, 0, sizeof pmu->escr);
    pmu->precise_event = PRECISE_EVENT_RESET;
    pmu->pebs_enable = 0;
    pmu->pebs_matrix_vert = 0;
    pmu->running = 0;
    pmu->posted_count = 0;
    pmu_refresh(pmu);
    pmu_tracef(pmu, "RESET");
}

void pmu_receive_init(struct pmu *pmu)
{
    pmu_settle(pmu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu_faulty(pmu, FAULT_INIT_CLEARS_COUNTERS)) {
            pmu->counter[n].value = 0;
        }
        if (pmu_faulty(pmu, FAULT_INIT_CLEARS_CCCRS)) {
            pmu->counter[n].cccr = 0;
        }
    }
    if (pmu_faulty(pmu, FAULT_INIT_CLEARS_ESCRS)) {
        memset(pmu->escr, 0, sizeof pmu->escr);
    }
    pmu_refresh(pmu);
}
