/*
 * Fast forward: clocks that repeat the latest one pass by multiplication instead of one by one (R37, R42).
 *
 * Two users. clock.c lets a given number of equal clocks pass at once. And after a clock in which nothing but
 * counter values changed, the model announces "quiet clocks": as many clocks as cannot carry out of any
 * counter. The caller takes them from the announced number by a subtraction; nbpmu_sync() applies what was
 * taken.
 */
#include "private.h"

/* How far a counter can advance from this value without a carry out of the bits below `bit`. */
static uint64_t distance_to_carry_into(unsigned bit, uint64_t value)
{
    return FIELD_MASK64(bit - 1, 0) - (value & FIELD_MASK64(bit - 1, 0));
}

/* How far counter n can advance without a carry out of bit 39, and without losing a count by
 * FAULT_COUNT_LOST. */
static uint64_t distance_to_loss(const struct nbpmu *pmu, unsigned n)
{
    uint64_t carry = COUNTER_MASK - pmu->counter[n].value;
    uint64_t loss = distance_to_carry_into(pmu->fault.at, pmu->counter[n].counts);
    bool loses = pmu->fault.to == EVERY_COUNTER || pmu->fault.to == n;
    return loses && loss < carry ? loss : carry;
}

/* How far counter n can advance from its value without a carry out of bit 39 or whatever an injected fault
 * takes for an overflow. */
static uint64_t distance_to_overflow(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = &pmu->fault;
    uint64_t value = pmu->counter[n].value;
    switch (fault->kind) {
    case FAULT_COUNT_LOST:
        return distance_to_loss(pmu, n);
    case FAULT_WRAPS_AT_BIT:
    case FAULT_CARRY_LOST:
    case FAULT_CARRY_STICKS:
    case FAULT_CARRY_TWICE:
    case FAULT_OVF_AT_CARRY:
        return distance_to_carry_into(fault->at, value);
    case FAULT_LINK_LATE:
        return value < FAULTY_LATENCY ? FAULTY_LATENCY - 1 - value : COUNTER_MASK - value;
    case FAULT_LINK_EARLY:
    case FAULT_OVF_EARLY:
        return value < COUNTER_MASK ? COUNTER_MASK - 1 - value : 0;
    case FAULT_OVF_LATE:
        return value == 0 ? 0 : COUNTER_MASK - value;
    case FAULT_FORCE_POSITIVE_ONLY:
        return (value > COUNTER_MASK / 2 ? COUNTER_MASK : COUNTER_MASK / 2) - value;
    default:
        return COUNTER_MASK - value;
    }
}

/* The same, but no further than to a carry inside the counter that something depends on: E2, or the sign for
 * a fault in pairs. */
static uint64_t distance_to_carry(const struct nbpmu *pmu, unsigned n)
{
    enum nbpmu_fault_while condition = pmu->fault.condition;
    uint64_t distance = distance_to_overflow(pmu, n), inside = COUNTER_MASK;
    if (pmu->choices.e2_lost_carry) {
        inside = distance_to_carry_into(32, pmu->counter[n].value);
    } else if (condition == WHILE_NEGATIVE || condition == WHILE_POSITIVE) {
        inside = distance_to_carry_into(COUNTER_BITS - 1, pmu->counter[n].value);
    }
    return inside < distance ? inside : distance;
}

uint64_t nbpmu_clocks_before_carry(const struct nbpmu *pmu, uint64_t limit)
{
    for (uint32_t moved = pmu->moved & pmu->running; moved; moved &= moved - 1) {
        unsigned n = nbpmu_lowest(moved), increment = pmu->counter[n].last_increment;
        if (increment) {
            uint64_t distance = distance_to_carry(pmu, n);
            uint64_t room = increment == 1 ? distance : distance / increment;
            limit = room < limit ? room : limit;
        }
    }
    return limit;
}

void nbpmu_repeat_increments(struct nbpmu *pmu, uint64_t clocks)
{
    for (uint32_t moved = pmu->moved & pmu->running; moved; moved &= moved - 1) {
        struct nbpmu_counter *counter = &pmu->counter[nbpmu_lowest(moved)];
        counter->value += clocks * counter->last_increment;
        counter->counts += (uint32_t)(clocks * counter->last_increment);
    }
}

void nbpmu_extend_quiet_clocks(struct nbpmu *pmu)
{
    pmu->head.quiet = pmu->quiet_at_first = nbpmu_clocks_before_carry(pmu, COUNTER_MASK);
}

void nbpmu_pmi_undelivered(struct nbpmu *pmu)
{
    if (pmu->steady) {
        nbpmu_extend_quiet_clocks(pmu);
    }
}

void nbpmu_sync(struct nbpmu *pmu)
{
    if (pmu->head.quiet < pmu->quiet_at_first) {
        nbpmu_repeat_increments(pmu, pmu->quiet_at_first - pmu->head.quiet);
    }
    pmu->head.quiet = pmu->quiet_at_first = 0;
    pmu->steady = false;
}
