/*
 * RDPMC: at which privilege level, which counter, which of its bits (R57, R60; pmu-rules 3.5).
 */
#include "private.h"

/* R60: at CPL 0 always, elsewhere with CR4.PCE. */
static bool allowed(const struct nbpmu *pmu, unsigned cpl, bool pce)
{
    if (nbpmu_faulty(pmu, FAULT_RDPMC_IGNORES_PCE)) {
        return true;
    }
    if (nbpmu_faulty(pmu, FAULT_RDPMC_CPL_1_2_AS_0) && cpl < 3) {
        return true;
    }
    return cpl == 0 || (pce && !nbpmu_faulty(pmu, FAULT_RDPMC_NEVER_AT_CPL3));
}

/* R60, pmu-rules 3.5: the counter that ECX names, or -1. */
static int rdpmc_counter(const struct nbpmu *pmu, uint32_t index)
{
    uint32_t n = index & ~RDPMC_FAST;
    if (nbpmu_faulty(pmu, FAULT_RDPMC_INDEX_UNCHECKED)) {
        return (int)(n % PMC_COUNTERS);
    }
    if (nbpmu_faulty(pmu, FAULT_RDPMC_INDEX_NARROW)) {
        n &= FIELD_MASK(pmu->fault.at - 1, 0);
    }
    if (n >= PMC_COUNTERS || (nbpmu_faulty(pmu, FAULT_RDPMC_FAST_FAULTS) && (index & RDPMC_FAST))) {
        return -1;
    }
    return (int)(nbpmu_faulty(pmu, FAULT_RDPMC_INDEX_OFF) ? (n + 1) % PMC_COUNTERS : n);
}

/* R60, pmu-rules 3.5: ECX[30:0] = 0..17; the fast form gives the low half. */
bool nbpmu_rdpmc(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t index, uint64_t *value)
{
    int n = allowed(pmu, pmu->lp[lp].cpl, cr4_pce) ? rdpmc_counter(pmu, index) : -1;
    nbpmu_sync(pmu);
    if (n < 0) {
        return false;
    }
    *value = pmu->counter[n].value;
    if (nbpmu_faulty_for(pmu, FAULT_RDPMC_ENABLED_LAGS, (unsigned)n) &&
        (pmu->running & (1u << n))) { /* R57 */
        *value = (*value - 1) & COUNTER_MASK;
    }
    bool fast = ((index & RDPMC_FAST) && !nbpmu_faulty(pmu, FAULT_RDPMC_FAST_IS_FULL)) ||
                nbpmu_faulty(pmu, FAULT_RDPMC_FULL_IS_FAST);
    if (fast) {
        *value &= FIELD_MASK(31, 0);
    }
    if (nbpmu_faulty_for(pmu, FAULT_RDPMC_COUNTS, (unsigned)n)) { /* R57 */
        pmu->counter[n].value = (pmu->counter[n].value + 1) & COUNTER_MASK;
    }
    if (pmu->choices.e1_access_adds) {
        nbpmu_add_at_access(pmu, (unsigned)n, lp);
    }
    return true;
}
