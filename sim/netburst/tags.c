/*
 * Tagging: the tags that upstream ESCRs put on a uop, for front_end_event, execution_event and replay_event
 * to find at retirement (pmu-rules 4.6). An upstream event counts nothing by being tagged (R15), yet its ESCR
 * must be powered (R44) and qualifies like any other (R12, R13).
 */
#include "tags.h"
#include "state.h"
#include "stages.h"
#include "event_table.h"
#include "enable.h"

#include <assert.h>

/* The tag value is in the ESCR, but for the events that tag by their mask (pmu-rules 4.6). */
unsigned nbpmu_tag_value(const struct nbpmu_escr *escr)
{
    if (nbpmu_tags_by_mask(escr->event))
        return 1;
    return escr->value & ESCR_TAG_ENABLE ? (unsigned)FIELD_GET(8, 5, escr->value) : 0;
}

unsigned nbpmu_tag(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    bool qualifies =
        pmu->stages->qualifies(pmu, escr, lp, pmu->lp[lp].cpl) && pmu->stages->clock_qualifies(pmu, escr);
    return qualifies ? nbpmu_tag_value(escr) : 0;
}

void nbpmu_linger(struct nbpmu *pmu, int escr_index, const struct nbpmu_escr *before)
{
    struct nbpmu_escr *lingering = &pmu->lingering[escr_index];
    bool ends = pmu->escr[escr_index].tags || nbpmu_powered(pmu, escr_index);
    if (lingering->tags && ends) {
        lingering->tags = false;
        pmu->taggers--;
    } else if (pmu->variants.tags_linger && before->tags && !ends) {
        *lingering = *before;
        pmu->taggers++;
    }
}

unsigned nbpmu_tags(const struct nbpmu *pmu, unsigned lp, enum nbpmu_event event, unsigned mask_bit)
{
    assert(event > NBPMU_NO_EVENT && event < NBPMU_EVENTS && mask_bit < 16 && lp < NBPMU_LPS);
    unsigned tags = 0;
    if (!pmu->taggers)
        return 0;
    for (int side = 0; side < 2; side++) {
        int escr_index = ESCR_INDEX(nbpmu_event_info(event)->escr0) + side;
        const struct nbpmu_escr *lingering = &pmu->lingering[escr_index];
        const struct nbpmu_escr *escr = lingering->tags ? lingering : &pmu->escr[escr_index];
        bool selected = escr->event == event && (escr->mask & (1u << mask_bit));
        if (selected && nbpmu_powered(pmu, escr_index))
            tags |= pmu->stages->tag(pmu, escr, lp);
    }
    return tags;
}
