/*
 * Errata of the counters that strike at certain moments (E1, E2, E9). Each is a choice.
 *
 * E1: a write to a running counter loads the high half first, then the low half. Events that arrive in
 * between can carry from the old low half into the new high half. Writing a second time repairs the value.
 * E2: a counter that is disabled in the clock of a carry from bit 31 into bit 32 loses that carry.
 * E9: a PMI comes without OVF. It is not known when; here every E9_PERIODth overflow that finds OVF clear and
 * raises a PMI leaves OVF clear.
 */
#include "private.h"

#define LOW_HALF  FIELD_MASK64(31, 0)
#define E1_EVENTS 16 /* events that arrive between the writes of the two halves */
#define E9_PERIOD 29

static bool is_running(const struct nbpmu *pmu, unsigned n)
{
    return pmu->running & (1u << n);
}

uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value)
{
    bool carries = (pmu->counter[n].value & LOW_HALF) + E1_EVENTS > LOW_HALF;
    if (!pmu->choices.e1_torn_write || !is_running(pmu, n) || !carries) {
        return value;
    }
    return (value + LOW_HALF + 1) & COUNTER_MASK;
}

void nbpmu_lose_carry(struct nbpmu *pmu, unsigned n, bool was_running)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool carried = (counter->value & LOW_HALF) < counter->last_increment;
    if (pmu->choices.e2_lost_carry && was_running && !is_running(pmu, n) && carried) {
        counter->value = (counter->value - (LOW_HALF + 1)) & COUNTER_MASK;
    }
}

bool nbpmu_leaves_unflagged(struct nbpmu *pmu, unsigned n)
{
    if (!pmu->choices.e9_unflagged || !(pmu->counter[n].cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1))) {
        return false;
    }
    pmu->changed = true;
    return ++pmu->interrupting_overflows % E9_PERIOD == 0;
}
