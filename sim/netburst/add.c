/*
 * The adder of a counter: 40 bits, and the carry out of the last one (R27, R28).
 */
#include "private.h"

/* Is this the fault of a bit of the adder, and does it strike counter n? */
static bool strikes(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return nbpmu_faulty_for(pmu, kind, n) && (pmu->fault.to == EVERY_COUNTER || pmu->fault.to == n);
}

static bool carries_into(unsigned bit, uint64_t before, unsigned increment)
{
    uint64_t below = 1ull << bit;
    return (before & (below - 1)) + increment >= below;
}

/* The sum of an adder whose carry into bit fault.at goes wrong. */
static uint64_t wrong_carry(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    uint64_t before = pmu->counter[n].value, sum = before + increment;
    if (pmu->fault.kind < FAULT_WRAPS_AT_BIT || pmu->fault.kind > FAULT_CARRY_TWICE ||
        !strikes(pmu, pmu->fault.kind, n)) {
        return sum;
    }
    switch (pmu->fault.kind) {
    case FAULT_WRAPS_AT_BIT:
        return sum & FIELD_MASK64(pmu->fault.at - 1, 0);
    case FAULT_CARRY_LOST:
        return carries_into(pmu->fault.at, before, increment) ? sum - (1ull << pmu->fault.at) : sum;
    case FAULT_CARRY_STICKS:
        return carries_into(pmu->fault.at, before, increment) ? before : sum;
    case FAULT_CARRY_TWICE:
        return carries_into(pmu->fault.at, before, increment) ? sum + (1ull << pmu->fault.at) : sum;
    default:
        return sum;
    }
}

/* One count in 2^fault.at is lost. */
static unsigned without_lost(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (!strikes(pmu, FAULT_COUNT_LOST, n)) {
        return increment;
    }
    bool lost = carries_into(pmu->fault.at, counter->counts, increment);
    counter->counts += increment;
    return lost ? increment - 1 : increment;
}

uint64_t nbpmu_sum(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    return wrong_carry(pmu, n, without_lost(pmu, n, increment)) & COUNTER_MASK;
}

/* R28: overflow is the carry out of bit 39. */
bool nbpmu_carries_out(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    uint64_t before = pmu->counter[n].value;
    uint64_t sum = before + increment;
    if (strikes(pmu, FAULT_WRAPS_AT_BIT, n)) {
        return carries_into(pmu->fault.at, before, increment);
    }
    if (nbpmu_faulty_for(pmu, FAULT_STEP_OVER_MISSED, n) ||
        nbpmu_faulty_at(pmu, FAULT_STEP_OVER_MISSED_HERE, n)) {
        return sum == COUNTER_MASK + 1;
    }
    if (nbpmu_faulty_for(pmu, FAULT_OVF_EARLY, n)) { /* R29: OVF comes with that very count */
        return before != COUNTER_MASK && sum >= COUNTER_MASK;
    }
    if (nbpmu_faulty_for(pmu, FAULT_OVF_LATE, n)) {
        return before == 0 && increment;
    }
    if (strikes(pmu, FAULT_OVF_AT_CARRY, n)) {
        return sum > COUNTER_MASK || carries_into(pmu->fault.at, before, increment);
    }
    return sum > COUNTER_MASK;
}
