/*
 * Tagging: the tags that upstream ESCRs put on a uop, for front_end_event, execution_event and replay_event
 * to find at retirement (pmu-rules 4.6). An upstream event counts nothing by being tagged (R15), yet its ESCR
 * must be powered (R44) and qualifies like any other (R12, R13).
 */
#include "private.h"

#include <assert.h>

static bool qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    if (lp == 1 && nbpmu_faulty(pmu, FAULT_TAG_LP1_DEAD)) {
        return false;
    }
    if (nbpmu_faulty(pmu, FAULT_TAG_UNQUALIFIED)) {
        return true;
    }
    if (pmu->lp[lp].cpl > 0 && nbpmu_faulty_at(pmu, FAULT_TAG_USR_DEAD, escr->event == NBPMU_UOP_TYPE)) {
        return false;
    }
    if (nbpmu_has_ht(pmu) && nbpmu_is_ti(pmu, escr->event)) {
        return nbpmu_qualify_clock(pmu, escr);
    }
    return nbpmu_qualify_cause(pmu, escr, lp, pmu->lp[lp].cpl);
}

/* The tag value that an ESCR puts on uops (pmu-rules 4.6). */
static unsigned tag_value(const struct nbpmu *pmu, int escr_index)
{
    if (nbpmu_faulty(pmu, FAULT_TAG_VALUE_OF_TWIN)) {
        escr_index &= ~1;
    }
    unsigned value = (unsigned)FIELD_GET(8, 5, pmu->escr[escr_index].value);
    unsigned lowest = value & -value;
    if (nbpmu_faulty(pmu, FAULT_TAG_BIT_DEAD)) {
        return value & ~(1u << pmu->fault.at);
    }
    if (nbpmu_faulty(pmu, FAULT_TAG_LOWEST_BIT)) {
        return lowest;
    }
    if (nbpmu_faulty(pmu, FAULT_TAG_HIGHEST_BIT)) {
        return value & 8 ? 8 : value & 4 ? 4 : value & 3 ? 1 + (value >> 1) : 0;
    }
    return value != lowest && nbpmu_faulty(pmu, FAULT_TAG_SEVERAL_BITS_NONE) ? 0 : value;
}

unsigned nbpmu_tags(const struct nbpmu *pmu, unsigned lp, enum nbpmu_event event, unsigned mask_bit)
{
    assert(event > NBPMU_NO_EVENT && event < NBPMU_EVENTS && mask_bit < 16 && lp < NBPMU_LPS);
    unsigned tags = 0;
    if (!pmu->taggers) {
        return 0;
    }
    for (int side = 0; side < 2; side++) {
        int escr_index = ESCR_INDEX(nbpmu_event_info(event)->escr0) + side;
        const struct nbpmu_escr *escr = &pmu->escr[escr_index];
        bool selected = escr->event == event && (escr->mask & (1u << mask_bit)) &&
                        !nbpmu_faulty_at(pmu, FAULT_TAGS_LOST, (unsigned)side);
        if (!selected || !qualifies(pmu, escr, lp) || !nbpmu_powered(pmu, escr_index)) {
            continue;
        }
        if (nbpmu_tags_by_mask(event)) {
            tags |= 1;
        } else if (escr->value & ESCR_TAG_ENABLE) {
            tags |= tag_value(pmu, escr_index);
        }
    }
    return tags;
}
