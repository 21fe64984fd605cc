/*
 * Tagging: the tags that upstream ESCRs put on a uop, for front_end_event, execution_event and replay_event
 * to find at retirement (pmu-rules 4.6). An upstream event counts nothing by being tagged (R15), yet its ESCR
 * must be powered (R44) and qualifies like any other (R12, R13).
 */
#include "private.h"

#include <assert.h>

static bool qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    if (nbpmu_has_ht(pmu) && nbpmu_event_info(escr->event)->ti) {
        return nbpmu_qualify_clock(pmu, escr);
    }
    return nbpmu_qualify_cause(pmu, escr, lp, pmu->lp[lp].cpl);
}

/* Tables 19-31 and 19-33 select these by their mask bits and do not ask for tag enable. */
static bool tags_by_mask(enum nbpmu_event event)
{
    return event == NBPMU_UOP_TYPE || event == NBPMU_MOB_LOAD_REPLAY || event == NBPMU_LOAD_PORT_REPLAY ||
           event == NBPMU_STORE_PORT_REPLAY;
}

unsigned nbpmu_tags(const struct nbpmu *pmu, unsigned lp, enum nbpmu_event event, unsigned mask_bit)
{
    assert(event > NBPMU_NO_EVENT && event < NBPMU_EVENTS && mask_bit < 16 && lp < NBPMU_LPS);
    unsigned tags = 0;
    for (int side = 0; side < 2; side++) {
        int escr_index = ESCR_INDEX(nbpmu_event_info(event)->escr0) + side;
        const struct nbpmu_escr *escr = &pmu->escr[escr_index];
        bool selected = escr->event == event && (escr->mask & (1u << mask_bit)) &&
                        !nbpmu_faulty_at(pmu, FAULT_TAGS_LOST, (unsigned)side);
        if (!selected || !qualifies(pmu, escr, lp) || !nbpmu_powered(pmu, escr_index)) {
            continue;
        }
        if (tags_by_mask(event)) {
            tags |= 1;
        } else if (escr->value & ESCR_TAG_ENABLE) {
            tags |= (unsigned)FIELD_GET(8, 5, escr->value);
        }
    }
    return tags;
}
