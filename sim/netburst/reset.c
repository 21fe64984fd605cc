/*
 * Life of a PMU model: power-up, RESET (R1), release.
 */
#include "reset.h"
#include "state.h"
#include "stages.h"
#include "routing.h"
#include "enable.h"
#include "fast_forward.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* pmu-rules 2.3: MSR_TC_PRECISE_EVENT reads FC00H after reset. */
#define PRECISE_EVENT_RESET 0xFC00

/* The part that a CPUID signature names. Models 0 to 4 and 6 of family 0FH are NetBurst processors. */
bool nbpmu_part_of_signature(uint32_t cpuid_1_eax, unsigned lps, struct nbpmu_part *part)
{
    unsigned family = (unsigned)FIELD_GET(11, 8, cpuid_1_eax), model = (unsigned)FIELD_GET(7, 4, cpuid_1_eax);
    unsigned stepping = (unsigned)FIELD_GET(3, 0, cpuid_1_eax);
    bool extended = FIELD_GET(27, 16, cpuid_1_eax) != 0; /* extended model and family: later processors */
    if (family != 0xF || extended || model > 6 || model == 5 || lps < 1 || lps > NBPMU_LPS)
        return false;
    *part = (struct nbpmu_part){.model = (uint8_t)model, .stepping = (uint8_t)stepping, .lps = (uint8_t)lps};
    return true;
}

/* The table of a PMU that is as the rules say. */
#define STAGE(type, name, ...) .name = nbpmu_##name,
const struct nbpmu_stages nbpmu_sound_stages = {NBPMU_STAGES(STAGE)};

/* The routes (R17) do not change: look them up once. */
static void note_routes(struct nbpmu *pmu)
{
    for (unsigned escr_index = 0; escr_index < ESCR_INDICES; escr_index++)
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            pmu->reached_by[escr_index] |= nbpmu_counter_reaches(n, ESCR_MSR(escr_index)) ? 1u << n : 0;
}

struct nbpmu *nbpmu_new(const struct nbpmu_part *part, const struct nbpmu_variants *variants)
{
    struct nbpmu *pmu = calloc(1, sizeof *pmu);
    if (pmu) {
        pmu->stages = &nbpmu_sound_stages;
        pmu->part = *part;
        if (variants)
            pmu->variants = *variants;
        pmu->lp[0].active = true;
        note_routes(pmu);
        nbpmu_reset(pmu);
    }
    return pmu;
}

void nbpmu_free(struct nbpmu *pmu)
{
    if (pmu) {
        free(pmu->defects);
        free(pmu);
    }
}

void nbpmu_clear_escrs(struct nbpmu *pmu)
{
    memset(pmu->escr, 0, sizeof pmu->escr);
    memset(pmu->lingering, 0, sizeof pmu->lingering);
    pmu->taggers = 0;
}

/* R1: all counters, CCCRs and ESCRs 0. */
void nbpmu_reset(struct nbpmu *pmu)
{
    nbpmu_sync(pmu);
    memset(pmu->counter, 0, sizeof pmu->counter);
    nbpmu_clear_escrs(pmu);
    pmu->precise_event = PRECISE_EVENT_RESET;
    pmu->pebs_enable = 0;
    pmu->pebs_matrix_vert = 0;
    pmu->running = 0;
    pmu->posted_count = 0;
    nbpmu_refresh(pmu);
    nbpmu_tracef(pmu, "RESET");
}

/* R1: INIT leaves the registers as they are. */
void nbpmu_init(struct nbpmu *pmu)
{
    nbpmu_refresh(pmu);
}

void nbpmu_init_received(struct nbpmu *pmu)
{
    nbpmu_sync(pmu);
    pmu->stages->init(pmu);
}
