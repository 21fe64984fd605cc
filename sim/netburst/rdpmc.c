/*
 * RDPMC: at which privilege level, which counter, which of its bits (R57, R60; pmu-rules 3.5).
 */
#include "private.h"

/* R60: RDPMC is allowed at CPL 0, and elsewhere with CR4.PCE, for ECX[30:0] = 0..17. The fast form gives the
 * low half. R57: the counter goes on undisturbed. */
bool nbpmu_read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    unsigned n = ecx & ~RDPMC_FAST;
    if ((pmu->lp[lp].cpl > 0 && !cr4_pce) || n >= PMC_COUNTERS)
        return false;
    *value = pmu->counter[n].value & (ecx & RDPMC_FAST ? FIELD_MASK64(31, 0) : COUNTER_MASK);
    if (pmu->variants.e1_access_adds)
        nbpmu_add_at_access(pmu, n, lp);
    return true;
}

bool nbpmu_rdpmc(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    nbpmu_sync(pmu);
    return pmu->stages->read_counter(pmu, lp, cr4_pce, ecx, value);
}
