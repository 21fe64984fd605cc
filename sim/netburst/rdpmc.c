/*
 * RDPMC: at which privilege level, which counter, which of its bits (R57, R60; pmu-rules 3.5).
 */
#include "private.h"

/* R60: at CPL 0 always, elsewhere with CR4.PCE. */
static bool allowed(const struct nbpmu *pmu, unsigned cpl, bool pce, bool fast)
{
    if (nbpmu_faulty(pmu, FAULT_RDPMC_IGNORES_PCE) ||
        (nbpmu_faulty(pmu, FAULT_RDPMC_FAST_IGNORES_PCE) && fast)) {
        return true;
    }
    if (nbpmu_faulty(pmu, FAULT_RDPMC_CPL_1_2_AS_0) && cpl < 3) {
        return true;
    }
    if (nbpmu_faulty(pmu, FAULT_RDPMC_USER_FAST_FAULTS) && fast && cpl > 0) {
        return false;
    }
    return cpl == 0 || (pce && !nbpmu_faulty(pmu, FAULT_RDPMC_NEVER_AT_CPL3));
}

/* The faults that give the value of another counter. */
static unsigned read_instead(const struct nbpmu *pmu, unsigned lp, unsigned n)
{
    if (nbpmu_faulty(pmu, FAULT_RDPMC_INDEX_OFF)) {
        return (n + 1) % PMC_COUNTERS;
    }
    if ((lp == 1 && nbpmu_faulty(pmu, FAULT_LP1_RDPMC_OFF)) ||
        (pmu->lp[lp].cpl > 0 && nbpmu_faulty_at(pmu, FAULT_RDPMC_USER_OFF, n))) {
        return n ^ 1;
    }
    return n;
}

/* R60, pmu-rules 3.5: the counter that ECX names, or -1. */
static int rdpmc_counter(const struct nbpmu *pmu, unsigned lp, uint32_t index)
{
    uint32_t n = index & ~RDPMC_FAST;
    if (nbpmu_faulty(pmu, FAULT_RDPMC_INDEX_UNCHECKED) ||
        (nbpmu_faulty(pmu, FAULT_RDPMC_FAST_INDEX_UNCHECKED) && (index & RDPMC_FAST))) {
        return (int)(n % PMC_COUNTERS);
    }
    if (nbpmu_faulty(pmu, FAULT_RDPMC_INDEX_NARROW)) {
        n &= FIELD_MASK(pmu->fault.at - 1, 0);
    }
    if (n >= PMC_COUNTERS || (nbpmu_faulty(pmu, FAULT_RDPMC_FAST_FAULTS) && (index & RDPMC_FAST))) {
        return -1;
    }
    return (int)read_instead(pmu, lp, n);
}

/* Does the fast form give the low half alone? */
static bool fast_is_low(const struct nbpmu *pmu, unsigned lp)
{
    return !nbpmu_faulty(pmu, FAULT_RDPMC_FAST_IS_FULL) &&
           !(lp == 1 && nbpmu_faulty(pmu, FAULT_LP1_RDPMC_FAST_IS_FULL)) &&
           !(pmu->lp[lp].cpl > 0 && nbpmu_faulty(pmu, FAULT_RDPMC_USER_FAST_IS_FULL));
}

/* The faults that make RDPMC change something. By R57 it disturbs nothing. */
static void after_rdpmc(struct nbpmu *pmu, unsigned lp, unsigned n, bool fast)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool user = pmu->lp[lp].cpl > 0;
    if (nbpmu_faulty_for(pmu, FAULT_RDPMC_COUNTS, n)) {
        counter->value = (counter->value + 1) & COUNTER_MASK;
    } else if ((nbpmu_faulty(pmu, FAULT_RDPMC_FAST_CLEARS) && fast) ||
               (nbpmu_faulty_at(pmu, FAULT_RDPMC_USER_CLEARS, n) && user)) {
        counter->value = 0;
    } else if (nbpmu_faulty_at(pmu, FAULT_RDPMC_USER_CLEARS_OVF, n) && user) {
        counter->cccr &= ~CCCR_OVF;
        nbpmu_refresh(pmu);
    } else if ((nbpmu_faulty_at(pmu, FAULT_RDPMC_USER_DISABLES, n) && user) ||
               (nbpmu_faulty_at(pmu, FAULT_LP1_RDPMC_FREEZES, n) && lp == 1)) {
        counter->cccr &= ~CCCR_ENABLE;
        nbpmu_refresh(pmu);
    }
}

/* R60, pmu-rules 3.5: ECX[30:0] = 0..17; the fast form gives the low half. */
bool nbpmu_rdpmc(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t index, uint64_t *value)
{
    bool fast = index & RDPMC_FAST;
    bool may = allowed(pmu, pmu->lp[lp].cpl, cr4_pce, fast);
    int n = may ? rdpmc_counter(pmu, lp, index) : -1;
    nbpmu_sync(pmu);
    if (n < 0) {
        if (!may && nbpmu_faulty(pmu, FAULT_RDPMC_REFUSED_CLEARS)) {
            pmu->counter[index % PMC_COUNTERS].value = 0;
        }
        return false;
    }
    *value = pmu->counter[n].value;
    if (nbpmu_faulty_for(pmu, FAULT_RDPMC_ENABLED_LAGS, (unsigned)n) &&
        (pmu->running & (1u << n))) { /* R57 */
        *value = (*value - 1) & COUNTER_MASK;
    }
    if ((fast && fast_is_low(pmu, lp)) || nbpmu_faulty(pmu, FAULT_RDPMC_FULL_IS_FAST)) {
        *value &= FIELD_MASK(31, 0);
    }
    after_rdpmc(pmu, lp, (unsigned)n, fast);
    nbpmu_disturb_by_rdpmc(pmu, (unsigned)n);
    if (pmu->choices.e1_access_adds) {
        nbpmu_add_at_access(pmu, (unsigned)n, lp);
    }
    return true;
}
