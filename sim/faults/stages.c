/*
 * The table of a PMU with a fault: each stage of the model with what may be wrong about it.
 */
#include "defects.h"

#include <stdlib.h>

static const struct nbpmu_stages faulty_stages = {
    .write = nbpmu_faulty_write,
    .read = nbpmu_faulty_read,
    .cccr_kept = nbpmu_faulty_cccr_kept,
    .rdpmc = nbpmu_faulty_rdpmc,
    .init = nbpmu_faulty_init,
    .set_lp = nbpmu_faulty_set_lp,
    .decode = nbpmu_faulty_decode,
    .match = nbpmu_faulty_match,
    .qualify = nbpmu_faulty_qualify,
    .qualify_clock = nbpmu_faulty_qualify_clock,
    .value = nbpmu_faulty_value,
    .tag = nbpmu_faulty_tag,
    .gate = nbpmu_faulty_gate,
    .filter = nbpmu_faulty_filter,
    .count = nbpmu_faulty_count,
    .add = nbpmu_faulty_add,
    .overflow = nbpmu_faulty_overflow,
    .targets = nbpmu_faulty_targets,
    .unmasked = nbpmu_faulty_unmasked,
    .route = nbpmu_faulty_route,
    .source = nbpmu_faulty_source,
    .link = nbpmu_faulty_link,
    .counts = nbpmu_faulty_counts,
    .due = nbpmu_faulty_due,
    .distance = nbpmu_faulty_distance,
    .every_clock = true,
};

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
