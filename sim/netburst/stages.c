/*
 * The table of a PMU that is as the rules say.
 */
#include "stages.h"

const struct nbpmu_stages nbpmu_sound_stages = {
    .write = nbpmu_write,
    .read = nbpmu_read,
    .cccr_kept = nbpmu_cccr_kept,
    .rdpmc = nbpmu_read_counter,
    .init = nbpmu_init,
    .set_lp = nbpmu_change_lp,
    .decode = nbpmu_decode_escr,
    .match = nbpmu_matches,
    .qualify = nbpmu_qualifies,
    .qualify_clock = nbpmu_clock_qualifies,
    .value = nbpmu_value,
    .tag = nbpmu_tag,
    .gate = nbpmu_gate_open,
    .filter = nbpmu_filter,
    .count = nbpmu_count,
    .add = nbpmu_add,
    .overflow = nbpmu_overflow,
    .targets = nbpmu_pmi_targets,
    .unmasked = nbpmu_pmi_again,
    .route = nbpmu_route,
    .source = nbpmu_link_source,
    .link = nbpmu_link_runs,
    .counts = nbpmu_counts,
    .due = nbpmu_due,
    .distance = nbpmu_distance,
};
