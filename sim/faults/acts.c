/*
 * Where, while what, and how often a composed fault acts. The function that stands in for a stage asks when
 * the result would be another one by the deviation: only that is an act.
 *
 * once-in=N is drawn once for each act, as long as it lasts: of what works in each clock, for all clocks from
 * one write of the CCCR, or the ESCR, to the next; of a start, a halt or a request of a PMI, until it ends.
 * after=N and every=N count the single results that deviate, but of a start, a halt or a request the whole
 * act, and of what is worked out when a register is written one for each write. after=N begins anew when 0 is
 * written to the CCCR.
 */
#include "faults.h"

static const struct nbpmu_composition *composition_of(const struct nbpmu *pmu)
{
    return &fault_of(pmu)->composition;
}

static struct composed *composed_of(const struct nbpmu *pmu)
{
    return &defects_of(pmu)->composed;
}

/* ---- Places and conditions ---- */

bool nbpmu_fault_at_counter(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    return is_at(composition, PLACE_COUNTER, n) && is_at(composition, PLACE_PAIR, n / 2) &&
           is_at(composition, PLACE_BLOCK, nbpmu_block_of(n));
}

/* Is the ESCR that counter n selects at the place? */
static bool selects_place(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const int escr_index = pmu->counter[n].escr_index;
    if (!composition->place[PLACE_ESCR] && !composition->place[PLACE_EVENT])
        return true;
    return escr_index != NO_ESCR && is_at(composition, PLACE_ESCR, (unsigned)escr_index) &&
           is_at(composition, PLACE_EVENT, pmu->escr[escr_index].event);
}

static bool conditions_hold(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] && !nbpmu_fault_condition_holds(pmu, composition->condition[i], n))
            return false;
    return true;
}

/* Holds the condition, or not, whatever counts by an ESCR? */
static bool is_without_counter(uint8_t condition)
{
    return nbpmu_fault_condition_is_of_escr(condition) || condition_of(condition)->of_all;
}

static bool holds_without_counter(const struct nbpmu *pmu, const struct nbpmu_escr *escr, uint8_t condition)
{
    return condition_of(condition)->of_all ? nbpmu_fault_condition_holds(pmu, condition, 0)
                                           : nbpmu_fault_condition_holds_of_escr(pmu, escr, condition);
}

/* Does the composition say anything that only a counter has? */
static bool asks_counters(const struct nbpmu_composition *composition)
{
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] && !is_without_counter(composition->condition[i]))
            return true;
    return composition->place[PLACE_COUNTER] || composition->place[PLACE_PAIR] ||
           composition->place[PLACE_BLOCK];
}

/* Do those conditions hold that depend on the ESCR alone, or on what the logical processors do? */
static bool conditions_hold_of_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i] && is_without_counter(composition->condition[i]) &&
            !holds_without_counter(pmu, escr, composition->condition[i]))
            return false;
    return true;
}

/* Of the ESCR itself, or of what goes on tagging in its place (E23). */
static int escr_index_of(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return (int)(escr - pmu->escr) % (int)ESCR_INDICES;
}

bool nbpmu_fault_at_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const int escr_index = escr_index_of(pmu, escr);
    if (!is_at(composition_of(pmu), PLACE_ESCR, (unsigned)escr_index) ||
        !is_at(composition_of(pmu), PLACE_EVENT, escr->event) || !conditions_hold_of_escr(pmu, escr))
        return false;
    if (!asks_counters(composition_of(pmu)))
        return true;
    for (uint32_t running = pmu->running; running; running &= running - 1) {
        const unsigned n = nbpmu_lowest(running);
        if (pmu->counter[n].escr_index == escr_index && nbpmu_fault_at_counter(pmu, n) &&
            conditions_hold(pmu, n))
            return true;
    }
    return false;
}

/* ---- Rates ---- */

/* A number that follows from these two alone, evenly distributed (splitmix64). */
static uint64_t mixed(uint64_t seed, uint64_t number)
{
    uint64_t bits = (seed << 32) + number * 0x9E3779B97F4A7C15;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
    return bits ^ bits >> 31;
}

bool nbpmu_fault_strikes(const struct nbpmu_fault *fault, uint64_t act)
{
    return fault->once_in == 0 || mixed(fault->seed, act) % fault->once_in == 0;
}

/* ---- Histories ---- */

static bool is_due_by(const struct nbpmu *pmu, struct life *life)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    switch ((enum history)composition->history) {
    case HISTORY_AFTER:
        return ++life->acts > composition->number;
    case HISTORY_EVERY:
        return ++life->acts % composition->number == 0;
    case HISTORY_ONCE_IN:
        return nbpmu_fault_strikes(fault_of(pmu), composed_of(pmu)->acts);
    case HISTORY_SINCE:
        return life->happened;
    case HISTORY_UNTIL:
        return !life->happened;
    default:
        return true;
    }
}

/* Is the result worked out when a register is written, and then looked at again, however often? */
static bool is_of_write(const struct nbpmu_composition *composition)
{
    switch (stage_of(composition)) {
    case STAGE_EVENT_SELECT:
    case STAGE_EVENT_MASK:
    case STAGE_ROUTE:
        return true;
    case STAGE_QUALIFY:
        return deviation_of(composition) == DEVIATION_KEPT;
    case STAGE_FIELD:
        return nbpmu_fault_bits(composition) == CCCR_ESCR_SELECT_MASK;
    default:
        return false;
    }
}

/* Is the act drawn once, as long as it lasts? */
static bool lasts(const struct nbpmu_composition *composition)
{
    const enum act_scope scope = nbpmu_fault_stages[stage_of(composition)].act;
    switch ((enum history)composition->history) {
    case HISTORY_AFTER:
    case HISTORY_EVERY:
        return scope == ACT_RUN || scope == ACT_REQUEST || is_of_write(composition);
    case HISTORY_ONCE_IN:
        return scope != ACT_CALL;
    default:
        return scope == ACT_RUN || scope == ACT_REQUEST;
    }
}

static bool acts(const struct nbpmu *pmu, struct life *life)
{
    if (lasts(composition_of(pmu)) && life->act.drawn)
        return life->act.struck;
    composed_of(pmu)->acts++;
    life->act = (struct act){.drawn = true, .struck = is_due_by(pmu, life), .sound = life->act.sound};
    composed_of(pmu)->struck += life->act.struck;
    return life->act.struck;
}

/* What is worked out of a register that is 0, at a reset too, is no act: its history begins with what is
 * written then. */
static bool is_of_empty(const struct nbpmu *pmu, uint32_t value)
{
    return is_of_write(composition_of(pmu)) && value == 0;
}

bool nbpmu_fault_acts_at(const struct nbpmu *pmu, unsigned n)
{
    const bool selects = stage_of(composition_of(pmu)) == STAGE_VALUE;
    return !is_of_empty(pmu, pmu->counter[n].cccr) && nbpmu_fault_at_counter(pmu, n) &&
           (!selects || selects_place(pmu, n)) && conditions_hold(pmu, n) &&
           acts(pmu, &composed_of(pmu)->at[n]);
}

bool nbpmu_fault_acts_in_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return !is_of_empty(pmu, escr->value) && nbpmu_fault_at_escr(pmu, escr) &&
           acts(pmu, &composed_of(pmu)->at[PMC_COUNTERS + escr_index_of(pmu, escr)]);
}

bool nbpmu_fault_acts_anywhere(const struct nbpmu *pmu)
{
    return conditions_hold(pmu, 0) && acts(pmu, &composed_of(pmu)->at[NOWHERE]);
}

void nbpmu_fault_happened(const struct nbpmu *pmu, unsigned n, enum happening what)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const int escr_index = pmu->counter[n].escr_index;
    if (composition->history < HISTORY_SINCE || composition->number != (uint32_t)what)
        return;
    composed_of(pmu)->at[n].happened = true;
    if (escr_index != NO_ESCR)
        composed_of(pmu)->at[PMC_COUNTERS + escr_index].happened = true;
}

bool nbpmu_fault_acts(const struct nbpmu *pmu, uint64_t *acts, uint64_t *struck)
{
    const bool composed = pmu->defects && is_composed(fault_of(pmu));
    *acts = composed ? composed_of(pmu)->acts : 0;
    *struck = composed ? composed_of(pmu)->struck : 0;
    return composed;
}
