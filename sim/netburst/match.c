/*
 * Matching reported events with what the ESCRs select (R7, R9, R15), with the mask equations of the bus and
 * queue events (pmu-rules 4.1, E12).
 */
#include "match.h"
#include "state.h"
#include "stages.h"
#include "event_table.h"
#include "qualify.h"
#include "fast_forward.h"

#include <assert.h>

/* IOQ_allocation and IOQ_active_entries mask (pmu-rules 4.1). */
#define IOQ_REQUEST_TYPE FIELD_MASK(4, 0)
#define IOQ_READ_WRITE   FIELD_MASK(6, 5) /* ALL_READ, ALL_WRITE */
#define IOQ_MEMORY_TYPE  FIELD_MASK(11, 7)
#define IOQ_AGENT        FIELD_MASK(14, 13) /* OWN, OTHER */
#define IOQ_PREFETCH     FIELD_MASK(15, 15)

/* BSQ_allocation and bsq_active_entries mask (pmu-rules 4.1): coded fields, and flags of the transaction. */
#define BSQ_CODED (FIELD_MASK(1, 0) | FIELD_MASK(3, 2) | FIELD_MASK(13, 11))
#define BSQ_FLAGS FIELD_MASK(10, 5)

/* Models 2 and later AND the groups of the mask, earlier models mostly OR them (pmu-rules 4.1, E12). */
bool nbpmu_ioq_matches(bool groups_are_anded, unsigned mask, unsigned bits)
{
    unsigned common = mask & bits;
    if ((bits & IOQ_PREFETCH) && !(mask & IOQ_PREFETCH))
        return false;
    if (!(common & IOQ_AGENT))
        return false;
    if (groups_are_anded)
        return (common & IOQ_REQUEST_TYPE) && (common & IOQ_READ_WRITE) && (common & IOQ_MEMORY_TYPE);
    bool memory_type_ignored = mask & IOQ_READ_WRITE;
    return (common & (IOQ_REQUEST_TYPE | IOQ_READ_WRITE)) ||
           (!memory_type_ignored && (common & IOQ_MEMORY_TYPE));
}

/* Each coded field must hold the value that the mask asks for, and every flag of the mask must be there. A
 * mask of 0 matches nothing (R7). */
static bool bsq_matches(unsigned mask, unsigned bits)
{
    return (mask & (BSQ_CODED | BSQ_FLAGS)) && (mask & BSQ_CODED) == (bits & BSQ_CODED) &&
           (mask & BSQ_FLAGS & ~bits) == 0;
}

/* Event select 0 selects no event (R7). */
void nbpmu_decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    escr->event = nbpmu_event_here(pmu, msr, (unsigned)ESCR_GET_EVENT_SELECT(escr->value));
    escr->mask = (uint16_t)ESCR_GET_EVENT_MASK(escr->value);
    escr->of_clock = escr->event == NBPMU_GLOBAL_POWER_EVENTS;
    escr->causes = nbpmu_causes(pmu, escr);
}

/* Note whether this ESCR may now tag uops. */
static void note_tagger(struct nbpmu *pmu, struct nbpmu_escr *escr)
{
    bool tags = nbpmu_tags_by_mask(escr->event) || (escr->value & ESCR_TAG_ENABLE);
    pmu->taggers += (unsigned)tags - (unsigned)escr->tags;
    escr->tags = tags;
}

void nbpmu_decode(struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    pmu->stages->decode_escr(pmu, escr, msr);
    note_tagger(pmu, escr);
}

bool nbpmu_matches(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits)
{
    switch (escr->event) {
    case NBPMU_IOQ_ALLOCATION:
    case NBPMU_IOQ_ACTIVE_ENTRIES:
        return nbpmu_ioq_matches(pmu->part.model >= 2, escr->mask, bits);
    case NBPMU_BSQ_ALLOCATION:
    case NBPMU_BSQ_ACTIVE_ENTRIES:
        return bsq_matches(escr->mask, bits);
    default:
        return (escr->mask & bits) != 0; /* R9; R7: mask 0 never matches */
    }
}

bool nbpmu_can_count(const struct nbpmu *pmu, int escr_index)
{
    const struct nbpmu_escr *escr = &pmu->escr[escr_index];
    if (escr->event == NBPMU_NO_EVENT || escr->mask == 0 || nbpmu_event_info(escr->event)->weight == 0)
        return false;
    /* pmu-rules 4.1: the "active entries" events need the allocation event, with the same masks, in the even
     * ESCR. */
    const struct nbpmu_escr *even = &pmu->escr[escr_index & ~1];
    if (escr->event == NBPMU_IOQ_ACTIVE_ENTRIES)
        return even->event == NBPMU_IOQ_ALLOCATION && even->mask == escr->mask;
    if (escr->event == NBPMU_BSQ_ACTIVE_ENTRIES)
        return even->event == NBPMU_BSQ_ALLOCATION && even->mask == escr->mask;
    return true;
}

/* Does the ESCR select only members of an occurrence with these mask bits that are states of a clock? */
static bool is_level(const struct nbpmu_escr *escr, unsigned bits)
{
    unsigned selected = escr->mask & bits;
    return selected && !(selected & ~(unsigned)nbpmu_event_info(escr->event)->levels);
}

/* Add an occurrence to one ESCR, which selects at least one of its members. It counts once, however many it
 * selects; if it selects states only, they are ORed (R9). */
static void add(struct nbpmu_escr *escr, const struct nbpmu_event_info *info, unsigned bits, unsigned count)
{
    if (is_level(escr, bits))
        escr->level = true;
    else
        escr->sum += count * info->weight;
}

static void note_post(struct nbpmu *pmu, struct nbpmu_escr *escr)
{
    if (!escr->posted) {
        nbpmu_sync(pmu);
        escr->posted = true;
        pmu->posted[pmu->posted_count++] = (uint8_t)(escr - pmu->escr);
    }
}

void nbpmu_event(struct nbpmu *pmu, unsigned lp, enum nbpmu_event event, uint16_t mask_bits, unsigned count)
{
    assert(event > NBPMU_NO_EVENT && event < NBPMU_EVENTS && lp < NBPMU_LPS);
    for (unsigned side = 0; side < 2; side++) {
        const struct nbpmu_event_info *info = nbpmu_event_info(event);
        struct nbpmu_escr *escr = &pmu->escr[ESCR_INDEX(info->escr0) + side];
        if (pmu->is_active[side][event] && pmu->stages->matches(pmu, escr, mask_bits) &&
            pmu->stages->qualifies(pmu, escr, lp, pmu->lp[lp].cpl)) {
            add(escr, info, mask_bits, count);
            note_post(pmu, escr);
        }
    }
}

void nbpmu_drop_posts(struct nbpmu *pmu)
{
    for (unsigned i = 0; i < pmu->posted_count; i++) {
        struct nbpmu_escr *escr = &pmu->escr[pmu->posted[i]];
        escr->sum = 0;
        escr->level = false;
        escr->posted = false;
    }
    pmu->posted_count = 0;
}
