/*
 * On which parts a fault has an effect: what it needs, and whether what it deviates from is there at all.
 */
#include "faults.h"

#include "sim/netburst/count.h"
#include "sim/netburst/event_table.h"
#include "sim/netburst/qualify.h"

static const char *misfit_of(enum fault_part needed, const struct nbpmu_part *part)
{
    switch (needed) {
    case PART_HT:
        return part->lps > 1 ? NULL : "it needs Hyper-Threading";
    case PART_NO_HT:
        return part->lps < 2 ? NULL : "it needs a part without Hyper-Threading";
    case PART_EXTENDED:
        return part->model >= 2 ? NULL : "it needs extended cascading (models 2, 3, 4, 6)";
    case PART_0F43:
        return part->model == 4 && part->stepping == 3
                   ? NULL
                   : "what a write of a reserved bit does is on record of 0F43H alone";
    case PART_PMI_T1:
        return nbpmu_has_pmi_t1(part)
                   ? NULL
                   : "it needs Hyper-Threading, and an OVF_PMI_T1 that acts (not 0F44H: E5)";
    case PART_CASCADE_PMI:
        return nbpmu_has_e3(part) ? "a counter that has CASCADE or bit 11 raises no PMI there (E3)" : NULL;
    default:
        return NULL;
    }
}

const char *nbpmu_fault_misfit(const struct nbpmu_fault *fault, const struct nbpmu_part *part)
{
    for (enum fault_part needed = PART_ANY; needed < PARTS; needed++) {
        const char *why = fault->needs >> needed & 1 ? misfit_of(needed, part) : NULL;
        if (why)
            return why;
    }
    return is_composed(fault) ? nbpmu_fault_idle_on(&fault->composition, part) : NULL;
}

/* ---- What a stage deviates from ---- */

static bool adds_bits(const struct nbpmu_composition *composition)
{
    const enum deviation deviation = deviation_of(composition);
    return stage_of(composition) == STAGE_ESCR_READ &&
           (deviation == DEVIATION_BIT_1 || deviation == DEVIATION_BIT_INVERTED);
}

/* Does an ESCR at the place keep one of the bits (pmu-rules 3.4), or do readings have bits that it lacks? */
static bool concerns_bits(const struct nbpmu_composition *composition, const struct nbpmu *pmu)
{
    for (unsigned i = 0; i < ESCR_INDICES; i++)
        if (is_at(composition, PLACE_ESCR, i) && nbpmu_escr_exists(ESCR_MSR(i)) &&
            (adds_bits(composition) || (nbpmu_escr_kept(pmu, ESCR_MSR(i)) & nbpmu_fault_bits(composition))))
            return true;
    return false;
}

/* May a logical processor cause something at this privilege level, while the conditions hold? */
static bool may_cause(const struct nbpmu_composition *composition, const struct nbpmu *pmu, unsigned lp,
                      unsigned cpl)
{
    const bool alone = pmu->part.lps < 2; /* then nobody else is above CPL 0, */
    const bool above = nbpmu_fault_asks_for(composition, "above-cpl-0");
    const bool halted = nbpmu_fault_asks_for(composition, "lp-halted"); /* or executes something */
    return is_at(composition, PLACE_LP, lp) && is_at_cpl(composition, cpl) &&
           !(above && cpl == 0 && (alone || halted));
}

/* Is there anybody for whom an ESCR with this value counts, by the fault, otherwise than it should? */
static bool counts_otherwise(const struct nbpmu_composition *composition, const struct nbpmu *pmu,
                             const struct nbpmu_escr *escr)
{
    /* What is in the clock already was caused by the one logical processor, at the same privilege level. */
    const bool one_causer = pmu->part.lps < 2 && nbpmu_fault_asks_for(composition, "several from-4");
    for (unsigned lp = 0; lp < pmu->part.lps; lp++)
        for (unsigned cpl = 0; cpl <= 3; cpl++) {
            const bool sound = nbpmu_qualifies(pmu, escr, lp, cpl);
            if (may_cause(composition, pmu, lp, cpl) && (sound || !one_causer) &&
                sound != nbpmu_fault_counts_causer(composition, pmu, escr, lp, cpl))
                return true;
        }
    return false;
}

static bool has_conditions_of_escr(const struct nbpmu_composition *composition, const struct nbpmu *pmu,
                                   const struct nbpmu_escr *escr)
{
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] && nbpmu_fault_condition_is_of_escr(composition->condition[i]) &&
            !nbpmu_fault_condition_holds_of_escr(pmu, escr, composition->condition[i]))
            return false;
    return true;
}

/* Does the fault of who is counted make a difference for this event, with one of the sixteen values of the
 * flags? */
static bool qualifies_otherwise(const struct nbpmu_composition *composition, struct nbpmu *pmu,
                                enum nbpmu_event event)
{
    const struct nbpmu_event_info *info = nbpmu_event_info(event);
    struct nbpmu_escr *escr = &pmu->escr[ESCR_INDEX(info->escr0)];
    const uint64_t masks[] = {UINT16_MAX, 1}; /* all of it, or not */
    for (uint64_t flags = 0; flags <= ESCR_CPL_MASK; flags++)
        for (unsigned i = 0; i < COUNT_OF(masks); i++) {
            *escr = (struct nbpmu_escr){
                .event = event,
                .value = (uint32_t)(ESCR_EVENT_SELECT(info->select) | ESCR_EVENT_MASK(masks[i]) | flags)};
            escr->causes = nbpmu_causes(pmu, escr);
            if (has_conditions_of_escr(composition, pmu, escr) && counts_otherwise(composition, pmu, escr))
                return true;
        }
    return false;
}

/* Is the event there, on this part (E10)? */
static bool is_here(const struct nbpmu *pmu, enum nbpmu_event event)
{
    const struct nbpmu_event_info *info = nbpmu_event_info(event);
    return nbpmu_event_here(pmu, info->escr0, info->select) == event ||
           nbpmu_event_here(pmu, info->escr0 + 1, info->select) == event;
}

static const char *idle_qualify(const struct nbpmu_composition *composition, struct nbpmu *pmu)
{
    const enum deviation deviation = deviation_of(composition);
    /* What an ESCR acted by before, and the flags of a thread-independent event, are not looked at here. */
    const bool is_placed = composition->place[PLACE_LP] || composition->place[PLACE_CPL];
    if (deviation == DEVIATION_KEPT ||
        (deviation == DEVIATION_FLAGS_IGNORED && nbpmu_has_ht(pmu) && !is_placed))
        return NULL;
    for (enum nbpmu_event event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++)
        if (is_here(pmu, event) && nbpmu_fault_may_select(composition, event) &&
            qualifies_otherwise(composition, pmu, event))
            return NULL;
    return "whoever causes an event here is counted, or not, as by a sound ESCR";
}

const char *nbpmu_fault_idle_on(const struct nbpmu_composition *composition, const struct nbpmu_part *part)
{
    struct nbpmu pmu = {.part = *part};
    const int event = place_of(composition, PLACE_EVENT);
    const enum stage stage = stage_of(composition);
    if (event >= 0 && !is_here(&pmu, (enum nbpmu_event)event))
        return "this part does not have the event";
    if ((stage == STAGE_ESCR_WRITE || stage == STAGE_ESCR_READ) && !concerns_bits(composition, &pmu))
        return "the ESCRs here do not have these bits on this part";
    return stage == STAGE_QUALIFY ? idle_qualify(composition, &pmu) : NULL;
}
