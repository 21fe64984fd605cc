/*
 * Faults of RDPMC (R57, R60).
 */
#include "defects.h"

#define NO_COUNTER PMC_COUNTERS /* an index that is refused */

static bool is_user(const struct nbpmu *pmu, unsigned lp)
{
    return pmu->lp[lp].cpl > 0;
}

/* CR4.PCE as the fault sees it. */
static bool seen_pce(const struct nbpmu *pmu, unsigned lp, bool cr4_pce, bool fast)
{
    bool *pces = defects_of(pmu)->pce;
    pces[lp] = cr4_pce;
    if (faulty(pmu, FAULT_RDPMC_PCE_OF_OTHER) && pces[lp ^ 1]) {
        return true;
    }
    if (faulty(pmu, FAULT_RDPMC_IGNORES_PCE) || (faulty(pmu, FAULT_RDPMC_FAST_IGNORES_PCE) && fast) ||
        (faulty(pmu, FAULT_RDPMC_CPL_1_2_AS_0) && pmu->lp[lp].cpl < 3)) {
        return true;
    }
    return cr4_pce && !faulty(pmu, FAULT_RDPMC_NEVER_AT_CPL3);
}

/* The counter that the fault reads for this index. */
static uint32_t seen_index(const struct nbpmu *pmu, unsigned lp, uint32_t n, bool fast)
{
    if (faulty(pmu, FAULT_RDPMC_INDEX_UNCHECKED) || (faulty(pmu, FAULT_RDPMC_FAST_INDEX_UNCHECKED) && fast)) {
        return n % PMC_COUNTERS;
    }
    if (faulty(pmu, FAULT_RDPMC_INDEX_NARROW)) {
        return n & FIELD_MASK(fault_of(pmu)->at - 1, 0);
    }
    if (n >= PMC_COUNTERS || (fast && faulty(pmu, FAULT_RDPMC_FAST_FAULTS)) ||
        (fast && is_user(pmu, lp) && faulty(pmu, FAULT_RDPMC_USER_FAST_FAULTS))) {
        return NO_COUNTER;
    }
    if (faulty(pmu, FAULT_RDPMC_INDEX_OFF)) {
        return (n + 1) % PMC_COUNTERS;
    }
    if ((lp == 1 && faulty(pmu, FAULT_LP1_RDPMC_OFF)) ||
        (is_user(pmu, lp) && faulty_at(pmu, FAULT_RDPMC_USER_OFF, n))) {
        return n ^ 1;
    }
    return n;
}

/* Does RDPMC in this form give the low half alone? */
static bool gives_low(const struct nbpmu *pmu, unsigned lp, bool fast)
{
    if (faulty(pmu, FAULT_RDPMC_FAST_IS_FULL) || (lp == 1 && faulty(pmu, FAULT_LP1_RDPMC_FAST_IS_FULL)) ||
        (is_user(pmu, lp) && faulty(pmu, FAULT_RDPMC_USER_FAST_IS_FULL))) {
        return false;
    }
    return fast || faulty(pmu, FAULT_RDPMC_FULL_IS_FAST);
}

/* By R57 RDPMC disturbs nothing. */
static void disturb(struct nbpmu *pmu, unsigned lp, unsigned n, bool fast)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool user = is_user(pmu, lp);
    if (faulty_for(pmu, FAULT_RDPMC_COUNTS, n)) {
        counter->value = (counter->value + 1) & COUNTER_MASK;
    } else if ((faulty(pmu, FAULT_RDPMC_FAST_CLEARS) && fast) ||
               (faulty_at(pmu, FAULT_RDPMC_USER_CLEARS, n) && user)) {
        counter->value = 0;
    } else if (faulty_at(pmu, FAULT_RDPMC_COSTS_OTHER, n)) {
        uint64_t *other = &pmu->counter[fault_of(pmu)->to].value;
        *other = (*other - 1) & COUNTER_MASK;
    } else if (faulty_at(pmu, FAULT_RDPMC_CLEARS_OVF, n) ||
               (faulty_at(pmu, FAULT_RDPMC_USER_CLEARS_OVF, n) && user)) {
        counter->cccr &= ~CCCR_OVF;
        nbpmu_refresh(pmu);
    } else if ((faulty_at(pmu, FAULT_RDPMC_USER_DISABLES, n) && user) ||
               (faulty_at(pmu, FAULT_LP1_RDPMC_FREEZES, n) && lp == 1)) {
        counter->cccr &= ~CCCR_ENABLE;
        nbpmu_refresh(pmu);
    }
}

bool nbpmu_faulty_read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    bool fast = ecx & RDPMC_FAST, low = gives_low(pmu, lp, fast);
    bool pce = seen_pce(pmu, lp, cr4_pce, fast);
    uint32_t n = seen_index(pmu, lp, ecx & ~RDPMC_FAST, fast);
    if (!nbpmu_read_counter(pmu, lp, pce, low ? n | RDPMC_FAST : n, value)) {
        if (faulty(pmu, FAULT_RDPMC_REFUSED_CLEARS) && is_user(pmu, lp) && !pce) {
            pmu->counter[ecx % PMC_COUNTERS].value = 0;
        }
        return false;
    }
    if (faulty_for(pmu, FAULT_RDPMC_ENABLED_LAGS, n) && (pmu->running & (1u << n))) { /* R57 */
        *value = (*value - 1) & (low ? FIELD_MASK64(31, 0) : COUNTER_MASK);
    }
    disturb(pmu, lp, n, fast);
    nbpmu_meanwhile(pmu, n, fast ? MEANWHILE_RDPMC_FAST : MEANWHILE_RDPMC);
    return true;
}
