/*
 * The table of a PMU with a composed fault: the function of its stage, which calls the sound one and gives
 * what the deviation makes of the result, if the fault acts now (acts.c).
 */
#include "compose.h"

/* ---- Time: what may be skipped ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Up to the next value at which the model or the fault does something. */
static uint64_t composed_distance(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const uint64_t value = pmu->counter[n].value, sound = nbpmu_distance(pmu, n);
    const int bit = place_of(composition, PLACE_BIT);
    uint64_t distance = sound;
    if (nbpmu_fault_asks_about(composition, "negative positive"))
        distance = least(distance, nbpmu_distance_to_carry_into(COUNTER_BITS - 1, value));
    if (is_stage(pmu, STAGE_CARRY))
        distance = least(distance, nbpmu_distance_to_carry_into((unsigned)bit, value));
    if (is_stage(pmu, STAGE_SUM))
        distance = deviates_by(pmu, DEVIATION_BIT_0) && bit > 0
                       ? least(distance, nbpmu_distance_to_carry_into((unsigned)bit, value))
                       : 0;
    if (deviates_by(pmu, DEVIATION_EARLY))
        distance = least(distance, sound - (sound > 0));
    if (is_stage(pmu, STAGE_LINK) && deviates_by(pmu, DEVIATION_LATE))
        distance = least(distance, (composition->amount - 1 - value) & COUNTER_MASK);
    return distance;
}

/* Counters that the fault may move in a clock without an event, or that take note of such a clock. */
static uint32_t clocked_by(const struct nbpmu_composition *composition)
{
    const enum deviation deviation = deviation_of(composition);
    const bool sets = deviation == DEVIATION_BIT_1 || deviation == DEVIATION_ALWAYS ||
                      deviation == DEVIATION_INVERTED || deviation == DEVIATION_NEIGHBOUR ||
                      deviation == DEVIATION_KEPT || deviation == DEVIATION_BIT_INVERTED ||
                      deviation == DEVIATION_REACHED;
    const uint64_t stages = 1ull << STAGE_VALUE | 1ull << STAGE_INCREMENT | 1ull << STAGE_THRESHOLD |
                            1ull << STAGE_COMPLEMENT | 1ull << STAGE_EDGE | 1ull << STAGE_FIELD;
    const bool keeps_gate = stage_of(composition) == STAGE_GATE &&
                            (deviation == DEVIATION_KEPT || deviation == DEVIATION_GIVES_0);
    return keeps_gate || (sets && (stages >> stage_of(composition) & 1)) ? FIELD_MASK(PMC_COUNTERS - 1, 0)
                                                                         : 0;
}

/* ---- The table ---- */

struct nbpmu_stages nbpmu_fault_composed(const struct nbpmu_composition *composition)
{
    struct nbpmu_stages stages = nbpmu_sound_stages;
    nbpmu_fault_compose_registers(&stages, composition);
    nbpmu_fault_compose_counts(&stages, composition);
    nbpmu_fault_compose_links(&stages, composition);
    nbpmu_fault_compose_values(&stages, composition);
    stages.distance = composed_distance;
    stages.clocked = clocked_by(composition);
    return stages;
}
