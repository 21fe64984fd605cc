/*
 * Families of the fault catalogue about privilege levels and logical processors: one fault for every
 * qualification bit of an ESCR, for every ESCR, or for every register that both share.
 */
#include "fault_catalogue.h"
#include "private.h"

#define ESCR_FLAGS 4u /* ESCR 3:0 */

/* ESCRs with a thread-specific event that the suite's work causes at every privilege level. */
static bool ts_escr(unsigned number, struct fault_member *member)
{
    const struct fault_family *family =
        (ESCR_MSR(number) & ~1u) == MSR_BSU_ESCR0 ? &nbpmu_every_escr : &nbpmu_every_qualified_escr;
    return family->member(number, member);
}

static bool ti_escr(unsigned number, struct fault_member *member)
{
    switch (ESCR_MSR(number) & ~1u) {
    case MSR_FIRM_ESCR0:
    case MSR_PMH_ESCR0:
    case MSR_TC_ESCR0:
        return nbpmu_every_escr.member(number, member);
    default:
        return false;
    }
}

/* One of the four qualification bits of an ESCR. */
static bool flag(unsigned number, bool (*escr)(unsigned, struct fault_member *), struct fault_member *member)
{
    static const char *const name[ESCR_FLAGS] = {"t1-usr", "t1-os", "t0-usr", "t0-os"};
    struct fault_member of = {0};
    if (!escr(number / ESCR_FLAGS, &of)) {
        return false;
    }
    *member = of;
    member->to = (uint8_t)(number % ESCR_FLAGS);
    snprintf(member->suffix, sizeof member->suffix, "%.15s-%s", of.suffix, name[member->to]);
    return true;
}

static bool ts_flag(unsigned number, struct fault_member *member)
{
    return flag(number, ts_escr, member);
}

static bool ti_flag(unsigned number, struct fault_member *member)
{
    return flag(number, ti_escr, member);
}

/* Counters, CCCRs and the ESCRs that hold something, by address. */
static bool any_register(unsigned number, struct fault_member *member)
{
    uint32_t msr = MSR_COUNTER(0) + number;
    bool counted = msr < MSR_COUNTER(PMC_COUNTERS) || (msr >= MSR_CCCR(0) && msr < MSR_CCCR(PMC_COUNTERS));
    member->at = (uint8_t)number;
    snprintf(member->suffix, sizeof member->suffix, "-%03XH", (unsigned)msr);
    return counted || (nbpmu_escr_exists(msr) && (msr & ~1u) != MSR_IQ_ESCR0);
}

const struct fault_family nbpmu_every_register = {MSR_CRU_ESCR5 - MSR_COUNTER(0) + 1, any_register};
const struct fault_family nbpmu_every_ts_escr = {ESCR_INDICES, ts_escr};
const struct fault_family nbpmu_every_ts_flag = {ESCR_INDICES * ESCR_FLAGS, ts_flag};
const struct fault_family nbpmu_every_ti_flag = {ESCR_INDICES * ESCR_FLAGS, ti_flag};
