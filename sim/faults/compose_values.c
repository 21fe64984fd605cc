/*
 * Composed faults from an event to the increment of a counter: what an ESCR selects, tags and lets count,
 * which ESCR a counter selects, by which fields of its CCCR it acts, the gate and the filter.
 */
#include "compose.h"

#include <string.h>

/* ---- From an event to the value ---- */

#define EVENT_SELECTS 64

/* The field of an ESCR that stays, when the ESCR goes from one event to another, or loses that field and
 * nothing else. */
static uint32_t kept_field(const struct nbpmu *pmu)
{
    return is_stage(pmu, STAGE_EVENT_SELECT) ? ESCR_SELECT_MASK
           : is_stage(pmu, STAGE_EVENT_MASK) ? ESCR_EVENT_MASK_MASK
                                             : ESCR_CPL_MASK;
}

/* The value by which the ESCR acts then. It is noted whether or not the fault acts. */
static uint32_t kept_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    static const uint32_t FIELDS[] = {ESCR_SELECT_MASK, ESCR_EVENT_MASK_MASK, ESCR_CPL_MASK};
    uint32_t *kept = &life_of_escr(pmu, (int)(escr - pmu->escr) % (int)ESCR_INDICES)->kept;
    bool goes_on = true;
    for (unsigned i = 0; i < COUNT_OF(FIELDS); i++)
        goes_on = goes_on && (*kept & FIELDS[i]) && (escr->value & FIELDS[i]);
    const uint32_t field = kept_field(pmu);
    const bool loses_it = (*kept & field) && escr->value == (*kept & ~field);
    *kept = goes_on || loses_it ? with_field(escr->value, field, *kept) : escr->value;
    return *kept;
}

/* The ESCR acts by what it is now if the fault acts, and else as before. Its place is where it was sound: an
 * event, for example. */
static void act_otherwise(const struct nbpmu *pmu, struct nbpmu_escr *escr, const struct nbpmu_escr *sound)
{
    const struct nbpmu_escr deviating = *escr;
    const bool differs = memcmp(escr, sound, sizeof *sound) != 0;
    *escr = *sound;
    if (differs && nbpmu_fault_acts_in_escr(pmu, escr))
        *escr = deviating;
}

static void decode_kept(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const uint32_t value = escr->value;
    nbpmu_decode_escr(pmu, escr, msr);
    const struct nbpmu_escr sound = *escr;
    escr->value = kept_value(pmu, escr);
    nbpmu_decode_escr(pmu, escr, msr);
    escr->value = value;
    act_otherwise(pmu, escr, &sound);
}

static bool kept_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    struct nbpmu_escr kept = *escr;
    kept.value = life_of_escr(pmu, (int)(escr - pmu->escr) % (int)ESCR_INDICES)->kept;
    const bool sound = nbpmu_clock_qualifies(pmu, escr), deviating = nbpmu_clock_qualifies(pmu, &kept);
    return deviating != sound && nbpmu_fault_acts_in_escr(pmu, escr) ? deviating : sound;
}

static void composed_decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    nbpmu_decode_escr(pmu, escr, msr);
    const struct nbpmu_escr sound = *escr;
    if (is_stage(pmu, STAGE_EVENT_MASK)) {
        escr->mask = (uint16_t)nbpmu_deviating_set(composition, escr->mask);
    } else {
        const unsigned select = (unsigned)ESCR_GET_EVENT_SELECT(escr->value);
        unsigned acting = (unsigned)nbpmu_deviating_number(composition, select);
        if (acting == select)
            acting = nbpmu_deviating_index(composition, select, EVENT_SELECTS) % EVENT_SELECTS;
        escr->value = (escr->value & ~ESCR_SELECT_MASK) | ESCR_EVENT_SELECT(acting);
        nbpmu_decode_escr(pmu, escr, msr);
        escr->value = sound.value;
    }
    act_otherwise(pmu, escr, &sound);
}

/* A truth about this ESCR. */
static bool truth_of_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr, bool sound)
{
    const bool deviating = nbpmu_deviating_truth(composition_of(pmu), sound);
    return deviating != sound && nbpmu_fault_acts_in_escr(pmu, escr) ? deviating : sound;
}

static bool composed_matches(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits)
{
    const bool sound = nbpmu_matches(pmu, escr, bits);
    if (!deviates_by(pmu, DEVIATION_NEEDS_ALL))
        return truth_of_escr(pmu, escr, sound);
    return sound && (escr->mask & ~bits) && nbpmu_fault_acts_in_escr(pmu, escr) ? false : sound;
}

/* Does the ESCR count what someone causes, by the privilege level, or the logical processor, for which the
 * fault takes it? */
bool nbpmu_fault_counts_causer(const struct nbpmu_composition *composition, const struct nbpmu *pmu,
                               const struct nbpmu_escr *escr, unsigned lp, unsigned cpl)
{
    switch (deviation_of(composition)) {
    case DEVIATION_BY_OTHER_CPL:
        return nbpmu_qualifies(pmu, escr, lp, cpl ? 0 : 3);
    case DEVIATION_BY_EITHER_CPL:
        return nbpmu_qualifies(pmu, escr, lp, 0) || nbpmu_qualifies(pmu, escr, lp, 3);
    case DEVIATION_BY_OTHER_LP:
        return nbpmu_qualifies(pmu, escr, lp ^ 1, cpl);
    case DEVIATION_BY_EITHER_LP:
        return nbpmu_qualifies(pmu, escr, 0, cpl) || nbpmu_qualifies(pmu, escr, 1, cpl);
    case DEVIATION_FLAGS_IGNORED:
        return true;
    default:
        return nbpmu_deviating_truth(composition, nbpmu_qualifies(pmu, escr, lp, cpl));
    }
}

static bool composed_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp,
                               unsigned cpl)
{
    const bool sound = nbpmu_qualifies(pmu, escr, lp, cpl);
    const struct nbpmu_composition *composition = composition_of(pmu);
    if (!is_at(composition, PLACE_LP, lp) || !is_at_cpl(composition, cpl))
        return sound;
    const bool deviating = nbpmu_fault_counts_causer(composition, pmu, escr, lp, cpl);
    return deviating != sound && nbpmu_fault_acts_in_escr(pmu, escr) ? deviating : sound;
}

static bool composed_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return truth_of_escr(pmu, escr, nbpmu_clock_qualifies(pmu, escr));
}

/* The flags of a thread-independent event are looked at once in a clock (R13), for whoever caused it. */
static bool unflagged_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp,
                                unsigned cpl)
{
    const bool sound = nbpmu_qualifies(pmu, escr, lp, cpl),
               here = is_at(composition_of(pmu), PLACE_LP, lp) && is_at_cpl(composition_of(pmu), cpl);
    return sound || (here && nbpmu_fault_acts_in_escr(pmu, escr));
}

static bool unflagged_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const bool of_all = !composition->place[PLACE_LP] && !composition->place[PLACE_CPL];
    return nbpmu_clock_qualifies(pmu, escr) || (of_all && nbpmu_fault_acts_in_escr(pmu, escr));
}

static unsigned composed_tag(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    const unsigned sound = nbpmu_tag(pmu, escr, lp);
    const unsigned deviating = sound ? (unsigned)nbpmu_deviating_set(composition_of(pmu), sound) : 0;
    return deviating != sound && is_at(composition_of(pmu), PLACE_LP, lp) &&
                   nbpmu_fault_acts_in_escr(pmu, escr)
               ? deviating
               : sound;
}

/* The ESCRs by ESCR select: the neighbour is the other ESCR of the pair, the next one that of the next
 * select. */
#define ESCR_SELECTS 8

static uint32_t composed_route(struct nbpmu *pmu, unsigned n)
{
    const uint32_t sound = nbpmu_route(pmu, n);
    const unsigned select = (unsigned)CCCR_GET_ESCR_SELECT(pmu->counter[n].cccr);
    uint32_t deviating = 0;
    if (deviates_by(pmu, DEVIATION_NEXT))
        deviating = nbpmu_escr_route(n, (select + 1) % ESCR_SELECTS);
    else if (deviates_by(pmu, DEVIATION_NEIGHBOUR))
        deviating = sound ^ nbpmu_escr_exists(sound ^ 1);
    const bool here = sound && is_at(composition_of(pmu), PLACE_ESCR, (unsigned)ESCR_INDEX(sound));
    return here && deviating != sound && nbpmu_fault_acts_at(pmu, n) ? deviating : sound;
}

/* The value of a clock is what the filter gets. */
static unsigned composed_value(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    unsigned deviating = (unsigned)nbpmu_deviating_number(composition_of(pmu), value);
    if (deviates_by(pmu, DEVIATION_WRAPS) && value == NBPMU_VALUE_MAX) {
        const struct nbpmu_escr escr = escr_of(pmu, n);
        deviating = (escr.sum + escr.level) & NBPMU_VALUE_MAX;
    }
    return nbpmu_filter(pmu, n, number_of_counter(pmu, n, value, deviating), gate_open);
}

/* ---- The CCCR by which a counter acts ---- */

static uint32_t acting_cccr(struct nbpmu *pmu, unsigned n, uint32_t concerned)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const uint32_t cccr = pmu->counter[n].cccr, field = (uint32_t)nbpmu_fault_bits(composition) & concerned;
    uint32_t deviating = (uint32_t)nbpmu_deviating_number(composition, cccr);
    if (deviates_by(pmu, DEVIATION_NEIGHBOUR))
        deviating = with_field(cccr, field, pmu->counter[n ^ 1].cccr);
    else if (deviates_by(pmu, DEVIATION_KEPT))
        deviating = with_field(cccr, field, cccr & CCCR_ENABLE ? life_of(pmu, n)->kept : cccr);
    return ((deviating ^ cccr) & concerned) && acts_in_clock(pmu, n) ? deviating : cccr;
}

/* A stage that acts by some bits of the CCCR gets those of the fault. */
uint32_t nbpmu_fault_lend_cccr(struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    pmu->counter[n].cccr = with_field(cccr, bits, acting_cccr(pmu, n, bits));
    return cccr;
}

void nbpmu_fault_return_cccr(struct nbpmu *pmu, unsigned n, uint32_t bits, uint32_t cccr)
{
    pmu->counter[n].cccr = with_field(pmu->counter[n].cccr, bits, cccr);
}

static uint32_t field_route(struct nbpmu *pmu, unsigned n)
{
    const uint32_t cccr = nbpmu_fault_lend_cccr(pmu, n, CCCR_ESCR_SELECT_MASK), msr = nbpmu_route(pmu, n);
    nbpmu_fault_return_cccr(pmu, n, CCCR_ESCR_SELECT_MASK, cccr);
    return msr;
}

static bool field_gate_open(struct nbpmu *pmu, unsigned n, unsigned active)
{
    const uint32_t cccr = nbpmu_fault_lend_cccr(pmu, n, CCCR_ACTIVE_MASK);
    const bool open = nbpmu_gate_open(pmu, n, active);
    nbpmu_fault_return_cccr(pmu, n, CCCR_ACTIVE_MASK, cccr);
    return open;
}

#define FILTER_FIELDS (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)

static unsigned field_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint32_t cccr = nbpmu_fault_lend_cccr(pmu, n, FILTER_FIELDS);
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    nbpmu_fault_return_cccr(pmu, n, FILTER_FIELDS, cccr);
    return increment;
}

static unsigned field_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint32_t cccr = nbpmu_fault_lend_cccr(pmu, n, CCCR_FORCE_OVF);
    const unsigned raised = nbpmu_fault_count(pmu, n, increment);
    nbpmu_fault_return_cccr(pmu, n, CCCR_FORCE_OVF, cccr);
    return raised;
}

static unsigned field_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    const uint32_t bits = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1, cccr = nbpmu_fault_lend_cccr(pmu, n, bits);
    const unsigned targets = nbpmu_pmi_targets(pmu, n);
    nbpmu_fault_return_cccr(pmu, n, bits, cccr);
    return targets;
}

/* ---- The gate, and the filter in its three parts ---- */

static bool composed_gate_open(struct nbpmu *pmu, unsigned n, unsigned active)
{
    const bool sound = nbpmu_gate_open(pmu, n, active);
    if (!deviates_by(pmu, DEVIATION_KEPT))
        return truth_of_counter(pmu, n, sound);
    struct life *life = life_of(pmu, n);
    if (!life->knows_kept)
        life->kept = active;
    life->knows_kept = true;
    const bool kept = nbpmu_gate_open(pmu, n, life->kept);
    return kept != sound && acts_in_clock(pmu, n) ? kept : sound;
}

/* A closed gate gives the value 0, which passes with COMPLEMENT. */
static unsigned gated_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n], before = *counter;
    const unsigned sound = nbpmu_filter(pmu, n, value, gate_open);
    if (gate_open || !(counter->cccr & CCCR_COMPARE))
        return sound;
    const struct nbpmu_counter filtered = *counter;
    *counter = before;
    const unsigned deviating = nbpmu_filter(pmu, n, 0, true);
    const bool differs = deviating != sound || memcmp(counter, &filtered, sizeof filtered) != 0;
    if (differs && acts_in_clock(pmu, n))
        return deviating;
    *counter = filtered;
    return sound;
}

/* A counter that starts looks anew at who is active. */
static bool counts_with_kept_gate(struct nbpmu *pmu, unsigned n)
{
    const bool counts = nbpmu_counts(pmu, n);
    life_of(pmu, n)->knows_kept &= !counts || (pmu->running >> n & 1);
    return counts;
}

/* Does the value pass threshold and COMPLEMENT (R22)? */
static bool passes(struct nbpmu *pmu, unsigned n, unsigned value)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(counter->cccr);
    bool above = value > threshold;
    if (is_stage(pmu, STAGE_THRESHOLD) && deviates_by(pmu, DEVIATION_REACHED)) {
        above |= value == threshold && acts_in_clock(pmu, n);
    } else if (is_stage(pmu, STAGE_THRESHOLD) && deviation_of(composition_of(pmu)) >= DEVIATION_ZERO) {
        const bool deviating = value > (unsigned)nbpmu_deviating_number(composition_of(pmu), threshold);
        above = deviating != above && acts_in_clock(pmu, n) ? deviating : above;
    } else if (is_stage(pmu, STAGE_THRESHOLD)) {
        above = truth_of_counter(pmu, n, above);
    }
    if (!(counter->cccr & CCCR_COMPLEMENT))
        return above;
    const bool result = counter->complements && !above;
    return is_stage(pmu, STAGE_COMPLEMENT) ? truth_of_counter(pmu, n, result) : result;
}

/* Is this change of the result counted? `always` counts either change, `inverted` the falling one. */
static bool counts_change(struct nbpmu *pmu, unsigned n, bool before, bool now)
{
    return before != now && truth_of_counter(pmu, n, now);
}

/* The edge filter's state follows as in the sound filter (question 11.6). */
static unsigned composed_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (!(counter->cccr & CCCR_COMPARE) || (is_stage(pmu, STAGE_EDGE) && !(counter->cccr & CCCR_EDGE)))
        return nbpmu_filter(pmu, n, value, gate_open);
    const bool before = counter->previous, now = passes(pmu, n, value);
    /* A value above every threshold, or 0, leads the sound filter to the result that the fault makes. */
    const bool is_above = now != (bool)(counter->cccr & CCCR_COMPLEMENT);
    const bool complements = counter->complements;
    const uint32_t threshold = counter->cccr & CCCR_THRESHOLD_MASK;
    counter->complements = true;
    counter->cccr &= ~CCCR_THRESHOLD_MASK;
    unsigned increment = nbpmu_filter(pmu, n, is_above, gate_open);
    counter->cccr |= threshold;
    counter->complements = complements;
    if (is_stage(pmu, STAGE_EDGE) && deviates_by(pmu, DEVIATION_REARMS_AT_0)) {
        if (before && !now && value && !(counter->cccr & CCCR_COMPLEMENT) && nbpmu_fault_acts_at(pmu, n))
            counter->previous = true;
    } else if (is_stage(pmu, STAGE_EDGE) && gate_open)
        increment = counts_change(pmu, n, before, now);
    return increment;
}

static unsigned composed_increment(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const unsigned sound = nbpmu_filter(pmu, n, value, gate_open);
    const unsigned also = also_reached(pmu, n);
    if (deviates_by(pmu, DEVIATION_PASSES_VALUE))
        return number_of_counter(pmu, n, sound, sound ? value : 0);
    if (also == n)
        return number_of_counter(pmu, n, sound, (unsigned)nbpmu_deviating_number(composition_of(pmu), sound));
    if (sound && acts_in_clock(pmu, n)) {
        struct nbpmu_counter *other = &pmu->counter[also];
        other->value = (other->value + sound) & COUNTER_MASK;
        pmu->changed = true;
    }
    return sound;
}

/* ---- The table ---- */

void nbpmu_fault_compose_values(struct nbpmu_stages *stages, const struct nbpmu_composition *composition)
{
    const bool is_kept = deviation_of(composition) == DEVIATION_KEPT;
    switch (stage_of(composition)) {
    case STAGE_EVENT_SELECT:
    case STAGE_EVENT_MASK:
        stages->decode_escr = is_kept ? decode_kept : composed_decode_escr;
        break;
    case STAGE_MATCH:
        stages->matches = composed_matches;
        break;
    case STAGE_QUALIFY:
        if (is_kept) {
            stages->decode_escr = decode_kept;
            stages->clock_qualifies = kept_clock_qualifies;
        } else if (deviation_of(composition) == DEVIATION_FLAGS_IGNORED) {
            stages->qualifies = unflagged_qualifies;
            stages->clock_qualifies = unflagged_clock_qualifies;
        } else {
            stages->qualifies = composed_qualifies;
        }
        break;
    case STAGE_CLOCK_QUALIFY:
        stages->clock_qualifies = composed_clock_qualifies;
        break;
    case STAGE_TAG:
        stages->tag = composed_tag;
        break;
    case STAGE_ROUTE:
        stages->route = composed_route;
        break;
    case STAGE_FIELD:
        stages->route = field_route;
        stages->gate_open = field_gate_open;
        stages->filter = field_filter;
        stages->count = field_count;
        stages->pmi_targets = field_pmi_targets;
        break;
    case STAGE_VALUE:
        stages->filter = composed_value;
        break;
    case STAGE_GATE:
        if (deviation_of(composition) == DEVIATION_GIVES_0)
            stages->filter = gated_filter;
        else
            stages->gate_open = composed_gate_open;
        if (is_kept)
            stages->counts = counts_with_kept_gate;
        break;
    case STAGE_THRESHOLD:
    case STAGE_COMPLEMENT:
    case STAGE_EDGE:
        stages->filter = composed_filter;
        break;
    case STAGE_INCREMENT:
        stages->filter = composed_increment;
        break;
    default:
        break;
    }
}
