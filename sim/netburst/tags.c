/*
 * Tagging: what upstream ESCRs put on a uop for front_end_event, execution_event and replay_event to find at
 * retirement (pmu-rules 4.6). An upstream event counts nothing by being tagged (R15), yet its ESCR must be
 * powered (R44) and qualifies like any other (R12, R13).
 */
#include "private.h"

#include <assert.h>

static bool qualifies(const struct pmu *pmu, const struct pmu_escr *escr, unsigned lp,
                      const struct pmu_lp lps[PMU_LPS])
{
    if (pmu->config.ht && pmu_event_info(escr->event)->ti) {
        return pmu_qualify_clock(pmu, escr->value, lps);
    }
    return pmu_qualify_cause(pmu, escr, lp, lps[lp].cpl);
}

/* Tables 19-31 and 19-33 select these by their mask bits and do not ask for tag enable. */
static bool tags_by_mask(enum pmu_event event)
{
    return event == PMU_UOP_TYPE || event == PMU_MOB_LOAD_REPLAY || event == PMU_LOAD_PORT_REPLAY ||
           event == PMU_STORE_PORT_REPLAY;
}

unsigned pmu_tags(const struct pmu *pmu, enum pmu_event event, unsigned mask_bit, unsigned lp,
                  const struct pmu_lp lps[PMU_LPS])
{
    assert(event > PMU_NO_EVENT && event < PMU_EVENTS && mask_bit < 16 && lp < PMU_LPS);
    unsigned tags = 0;
    for (int side = 0; side < 2; side++) {
        int slot = ESCR_SLOT(pmu_event_info(event)->escr0) + side;
        const struct pmu_escr *escr = &pmu->escr[slot];
        bool selected = escr->event == event && (escr->mask & (1u << mask_bit)) &&
                        !pmu_faulty_at(pmu, FAULT_TAGS_LOST, (unsigned)side);
        if (!selected || !qualifies(pmu, escr, lp, lps) || !pmu_powered(pmu, slot)) {
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
