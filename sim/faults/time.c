/*
 * Time for a PMU with a fault: which counters a clock concerns, and how many clocks are alike.
 */
#include "defects.h"

/*
 * If the fault breaks skipping, every running counter takes part. If it does not, those that counted in the
 * clock before take part, too: their values have changed.
 */
uint32_t nbpmu_faulty_due(struct nbpmu *pmu)
{
    const uint32_t moved = pmu->moved;
    defects_of(pmu)->overflowing = 0;
    defects_of(pmu)->raised = 0;
    if (!fault_of(pmu)->keeps_skipping_valid) {
        return pmu->running;
    }
    return nbpmu_due(pmu) | (moved & pmu->running);
}

/* Returns the counts from counter n's value to the next value at which the fault does something. */
static uint64_t distance_to_deviation(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    uint64_t value = pmu->counter[n].value;
    switch (fault->kind) {
    case FAULT_COUNT_LOST:
        return fault->to == n || fault->to == EVERY_COUNTER
                   ? nbpmu_distance_to_carry_into(fault->at, nbpmu_counted(pmu, n))
                   : COUNTER_MASK;
    case FAULT_WRAPS_AT_BIT:
    case FAULT_CARRY_LOST:
    case FAULT_CARRY_STICKS:
    case FAULT_CARRY_TWICE:
    case FAULT_OVF_AT_CARRY:
        return nbpmu_distance_to_carry_into(fault->at, value);
    case FAULT_LINK_LATE:
        return value < FAULTY_LATENCY ? FAULTY_LATENCY - 1 - value : COUNTER_MASK;
    case FAULT_LINK_EARLY:
    case FAULT_OVF_EARLY:
        return value < COUNTER_MASK ? COUNTER_MASK - 1 - value : 0;
    case FAULT_OVF_LATE:
        return value == 0 ? 0 : COUNTER_MASK;
    case FAULT_FORCE_POSITIVE_ONLY:
        return value > COUNTER_MASK / 2 ? COUNTER_MASK : COUNTER_MASK / 2 - value;
    default:
        return COUNTER_MASK;
    }
}

uint64_t nbpmu_faulty_distance(const struct nbpmu *pmu, unsigned n)
{
    uint64_t sound = nbpmu_distance(pmu, n), deviation = distance_to_deviation(pmu, n);
    enum nbpmu_fault_while condition = fault_of(pmu)->condition;
    if (condition == WHILE_NEGATIVE || condition == WHILE_POSITIVE) {
        uint64_t sign = nbpmu_distance_to_carry_into(COUNTER_BITS - 1, pmu->counter[n].value);
        deviation = sign < deviation ? sign : deviation;
    }
    return deviation < sound ? deviation : sound;
}
