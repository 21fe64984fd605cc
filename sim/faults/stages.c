/*
 * The table of a PMU with a fault: each stage of the model with what may be wrong about it.
 */
#include "defects.h"

#include <stdlib.h>

#define STAGE(type, name, ...) .name = nbpmu_faulty_##name,
static const struct nbpmu_stages faulty_stages = {.every_clock = true, NBPMU_STAGES(STAGE)};

bool nbpmu_set_fault(struct nbpmu *pmu, const struct nbpmu_fault *fault)
{
    struct defects *defects = NULL;
    if (fault->kind != FAULT_NONE) {
        defects = calloc(1, sizeof *defects);
        if (!defects) {
            return false;
        }
        defects->fault = *fault;
    }
    free(pmu->defects);
    pmu->defects = defects;
    pmu->stages = defects ? &faulty_stages : &nbpmu_sound_stages;
    nbpmu_reset(pmu);
    return true;
}
