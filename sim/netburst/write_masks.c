/*
 * Which bits of a CCCR and of an ESCR a write keeps, and which the manual documents (R3; pmu-rules 3.2
 * to 3.4).
 */
#include "private.h"

/* The write masks of 0F43H are known by record (pmu-rules 3.4). */
static bool has_recorded_masks(const struct nbpmu *pmu)
{
    return pmu->part.model == 4 && pmu->part.stepping == 3;
}

/* Bits of a CCCR that a write keeps (R3): 31:12, bit 11 where defined, and on 0F43H 10:8 of the last two. */
uint64_t nbpmu_cccr_kept(const struct nbpmu *pmu, unsigned n)
{
    uint64_t kept = FIELD_MASK(31, 12);
    if (nbpmu_extended_source(pmu, n) >= 0)
        kept |= CCCR_CASCNT;
    if (has_recorded_masks(pmu) && n >= 16)
        kept |= FIELD_MASK(10, 8);
    return kept;
}

/* Bits of a CCCR that the manual documents (pmu-rules 3.2); the others fault under the generic rule. */
uint64_t nbpmu_cccr_documented(const struct nbpmu *pmu, unsigned n)
{
    uint64_t documented = FIELD_MASK(31, 12) & ~CCCR_RESERVED_MID;
    if (nbpmu_extended_source(pmu, n) >= 0)
        documented |= CCCR_CASCNT;
    if (!nbpmu_has_ht(pmu))
        documented &= ~CCCR_OVF_PMI_T1;
    return documented;
}

/* IQ_ESCR0/1 answer on models 3 and later and hold nothing (pmu-rules 1.1). */
static bool escr_is_empty(const struct nbpmu *pmu, uint32_t msr)
{
    return (msr == MSR_IQ_ESCR0 || msr == MSR_IQ_ESCR1) && pmu->part.model > 2;
}

/* E19: perfctr's authors met the fault on 0F33H, which a Nocona of the same model does not show (F32). */
bool nbpmu_escr_faults(const struct nbpmu *pmu, uint32_t msr)
{
    return pmu->variants.iq_escr_faults && escr_is_empty(pmu, msr);
}

/* Recorded on 0F43H (pmu-rules 2.3), and assumed on other parts. */
uint64_t nbpmu_storage_kept(uint32_t msr)
{
    switch (msr) {
    case MSR_TC_PRECISE_EVENT:
        return FIELD_MASK(17, 5);
    case MSR_PEBS_ENABLE:
        return FIELD_MASK(26, 0);
    default:
        return FIELD_MASK(12, 0);
    }
}

uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr)
{
    uint64_t kept = FIELD_MASK(30, 0);
    if (has_recorded_masks(pmu))
        kept = nbpmu_escr_f43_mask(msr);
    if (escr_is_empty(pmu, msr))
        kept = 0;
    if (!nbpmu_has_ht(pmu) && pmu->variants.no_t1_storage)
        kept &= ~ESCR_T1_ALL;
    return kept;
}

uint64_t nbpmu_escr_documented(const struct nbpmu *pmu, uint32_t msr)
{
    if (escr_is_empty(pmu, msr))
        return 0;
    return FIELD_MASK(30, 0) & ~(nbpmu_has_ht(pmu) ? 0 : ESCR_T1_ALL);
}
