/*
 * Faults from the reported event to the value that a counter gets, and of tags (R6 to R16).
 */
#include "defects.h"

/* Returns a copy of the ESCR with other bits in a field. It has no index, since it is not in pmu->escr. */
static struct nbpmu_escr with_field(const struct nbpmu_escr *escr, uint64_t field, uint64_t bits)
{
    struct nbpmu_escr other = *escr;
    other.value = (uint32_t)((escr->value & ~field) | bits);
    return other;
}

/* ---- Event and mask (R7, R9) ---- */

static unsigned seen_select(const struct nbpmu *pmu, unsigned select)
{
    if (faulty(pmu, FAULT_SELECT_OFF)) {
        return select ^ 1;
    }
    return faulty(pmu, FAULT_SELECT_BIT_DEAD) ? select & ~(1u << fault_of(pmu)->at) : select;
}

static unsigned seen_mask(const struct nbpmu *pmu, enum nbpmu_event event, unsigned mask)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    switch (fault->kind) {
    case FAULT_MASK_SHIFTED:
        return mask << 1;
    case FAULT_MASK_IGNORED:
        return UINT16_MAX;
    case FAULT_MASK_0_COUNTS_ALL:
        return mask ? mask : UINT16_MAX;
    case FAULT_MASK_FIRST_MEMBER: /* R9 */
        return mask & -mask;
    case FAULT_MASK_BIT_DEAD:
        return mask & ~(1u << fault->at);
    case FAULT_EVENT_BIT_DEAD:
        return event == fault->at ? mask & ~(1u << fault->to) : mask;
    case FAULT_EVENT_BIT_SET:
        return event == fault->at && mask ? mask | 1u << fault->to : mask;
    case FAULT_IOQ_MEMBER_IGNORED:
        return event == NBPMU_IOQ_ALLOCATION && mask ? mask | 1u << fault->at : mask;
    default:
        return mask;
    }
}

void nbpmu_faulty_decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const uint32_t value = escr->value;
    escr->value = nbpmu_escr_in_flight(pmu, msr, value);
    unsigned select = (unsigned)ESCR_GET_EVENT_SELECT(escr->value);
    if (select == 0 && faulty(pmu, FAULT_NO_EVENT_KEEPS_COUNTING)) {
        return;
    }
    *escr = with_field(escr, ESCR_EVENT_SELECT(0x3F), ESCR_EVENT_SELECT(seen_select(pmu, select)));
    nbpmu_decode_escr(pmu, escr, msr);
    escr->value = value;
    escr->mask = (uint16_t)seen_mask(pmu, escr->event, escr->mask);
    if (faulty_at(pmu, FAULT_ESCR_FULL_COUNTS, (unsigned)ESCR_INDEX(msr)) && defects_of(pmu)->full_mask) {
        escr->mask = fault_of(pmu)->to ? escr->mask & (uint16_t)-escr->mask : 0;
    }
    escr->of_clock |= escr->event == NBPMU_UOP_TYPE && faulty(pmu, FAULT_UOP_TYPE_COUNTS);
}

static bool is_bus_event(enum nbpmu_event event)
{
    return event == NBPMU_IOQ_ALLOCATION || event == NBPMU_IOQ_ACTIVE_ENTRIES ||
           event == NBPMU_BSQ_ALLOCATION || event == NBPMU_BSQ_ACTIVE_ENTRIES;
}

bool nbpmu_faulty_matches(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits)
{
    bool ioq = escr->event == NBPMU_IOQ_ALLOCATION || escr->event == NBPMU_IOQ_ACTIVE_ENTRIES;
    if (faulty(pmu, FAULT_TAG_ENABLE_STOPS_COUNT) && (escr->value & ESCR_TAG_ENABLE)) { /* R15 */
        return false;
    }
    if (faulty(pmu, FAULT_IOQ_EQUATION) && ioq) {
        return nbpmu_ioq_matches(pmu->part.model < 2, escr->mask, bits);
    }
    if ((faulty(pmu, FAULT_MASK_ALL_MEMBERS) && !is_bus_event(escr->event)) ||
        (faulty(pmu, FAULT_EXECUTION_ALL_TAGS) && escr->event == NBPMU_EXECUTION_EVENT)) {
        return (escr->mask & ~bits) == 0;
    }
    return nbpmu_matches(pmu, escr, bits);
}

/* ---- Privilege level and logical processor (R11 to R14) ---- */

static bool is_ti(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return nbpmu_has_ht(pmu) && nbpmu_event_info(event)->ti;
}

/* Is the event taken for a thread-specific one, or for a thread-independent one? */
static bool as_ts(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return faulty_at(pmu, FAULT_EVENT_AS_TS, event) || (faulty(pmu, FAULT_TI_AS_TS) && is_ti(pmu, event));
}

static bool as_ti(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return faulty_at(pmu, FAULT_EVENT_AS_TI, event) && nbpmu_has_ht(pmu);
}

/* Does the fault strike at this ESCR: by its place, or by the condition of a counter that counts by it? */
static bool is_at(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    int escr_index = (int)(escr - pmu->escr);
    if (fault_of(pmu)->condition == WHILE_ALWAYS) {
        return fault_of(pmu)->at == escr_index;
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if ((pmu->running >> n & 1) && pmu->counter[n].escr_index == escr_index &&
            nbpmu_condition_holds(pmu, fault_of(pmu)->condition, n)) {
            return true;
        }
    }
    return false;
}

/* Three faults of one ESCR concern reported events, not an ESCR whose value is a state of the clock. */
bool nbpmu_faulty_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl)
{
    const struct nbpmu_escr none = with_field(escr, ESCR_CPL_MASK, 0);
    struct nbpmu_escr seen;
    bool reported = !escr->of_clock;
    if (as_ti(pmu, escr->event)) {
        return true;
    }
    if (as_ts(pmu, escr->event)) {
        return nbpmu_causer_counts(pmu, escr, lp, cpl);
    }
    switch (fault_of(pmu)->kind) {
    case FAULT_ESCR_FLAG_DEAD:
        seen = is_at(pmu, escr) ? with_field(escr, 1u << fault_of(pmu)->to, 0) : *escr;
        return nbpmu_qualify_cause(pmu, &seen, lp, cpl);
    case FAULT_ESCR_UNQUALIFIED:
        return (reported && is_at(pmu, escr)) || nbpmu_qualify_cause(pmu, escr, lp, cpl);
    case FAULT_ESCR_T1_DEAD:
        return nbpmu_qualify_cause(pmu, lp == 1 && reported && is_at(pmu, escr) ? &none : escr, lp, cpl);
    case FAULT_ESCR_USR_AS_OS:
        return nbpmu_qualify_cause(pmu, escr, lp, reported && is_at(pmu, escr) ? 0 : cpl);
    case FAULT_ESCR_FIELD_HELD:
    case FAULT_ESCR_STOPS_NOT:
    case FAULT_STOPPED_PMI:
        seen = nbpmu_acting_escr(pmu, escr);
        return nbpmu_qualify_cause(pmu, &seen, lp, cpl);
    case FAULT_IOQ_OBEYS_CPL:
        return is_ti(pmu, escr->event) || nbpmu_causer_counts(pmu, escr, lp, cpl);
    case FAULT_USR_IS_CPL_3:
        return nbpmu_qualify_cause(pmu, cpl == 1 || cpl == 2 ? &none : escr, lp, cpl);
    case FAULT_CPL_1_2_AS_0:
        return nbpmu_qualify_cause(pmu, escr, lp, cpl < 3 ? 0 : 3);
    case FAULT_OS_USR_SWAPPED:
        return nbpmu_qualify_cause(pmu, escr, lp, cpl ? 0 : 3);
    case FAULT_T0_T1_SWAPPED:
        return nbpmu_qualify_cause(pmu, escr, lp ^ 1, cpl);
    case FAULT_CPL_IGNORED:
        return nbpmu_qualify_cause(pmu, escr, lp, 0) || nbpmu_qualify_cause(pmu, escr, lp, 3);
    case FAULT_TS_AS_TI:
        return nbpmu_qualify_cause(pmu, escr, 0, cpl) || nbpmu_qualify_cause(pmu, escr, 1, cpl);
    default:
        return nbpmu_qualify_cause(pmu, escr, lp, cpl);
    }
}

/* R13 with the CPL of LP0 alone. */
static bool lp0_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    bool os = escr->value & (ESCR_T0_OS | ESCR_T1_OS), usr = escr->value & (ESCR_T0_USR | ESCR_T1_USR);
    bool asked = pmu->lp[0].active || !pmu->variants.ti_halted_cpl_ignored;
    return (os && usr) || (asked && (pmu->lp[0].cpl == 0 ? os : usr));
}

bool nbpmu_faulty_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    struct nbpmu_escr seen = nbpmu_acting_escr(pmu, escr);
    if (as_ts(pmu, escr->event) || faulty(pmu, FAULT_TI_UNQUALIFIED)) {
        return true;
    }
    if (as_ti(pmu, escr->event)) {
        return nbpmu_state_qualifies(pmu, escr);
    }
    if (faulty(pmu, FAULT_TI_LP0_STATE_ONLY) && is_ti(pmu, escr->event) && !lp0_qualifies(pmu, escr)) {
        return false;
    }
    if (faulty(pmu, FAULT_TI_T0_BITS_ONLY)) {
        seen = with_field(escr, ESCR_T1_ALL, 0);
    } else if (faulty(pmu, FAULT_ESCR_FLAG_DEAD) && is_at(pmu, escr)) {
        seen = with_field(escr, 1u << fault_of(pmu)->to, 0);
    }
    return nbpmu_clock_qualifies(pmu, &seen);
}

/* ---- The value on the lines to a counter (R6, R8, R10) ---- */

static unsigned on_the_lines(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned value)
{
    unsigned sum = escr->sum + (escr->level ? 1 : 0);
    switch (fault_of(pmu)->kind) {
    case FAULT_VALUE_CLIPPED:
        return value > fault_of(pmu)->at ? fault_of(pmu)->at : value;
    case FAULT_LOWEST_LINE:
        return sum & 1;
    case FAULT_VALUE_WRAPS:
        return sum & NBPMU_VALUE_MAX;
    case FAULT_LINE_DEAD:
        return sum & NBPMU_VALUE_MAX & ~(1u << fault_of(pmu)->at);
    default:
        return value;
    }
}

/* The value that the ESCR of counter n presents. */
static unsigned presented(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_escr *escr = &pmu->escr[pmu->counter[n].escr_index];
    if (escr->of_clock) {
        return escr->event == NBPMU_UOP_TYPE || nbpmu_value(pmu, n); /* FAULT_UOP_TYPE_COUNTS, R15 */
    }
    unsigned value = nbpmu_value(pmu, n);
    return value ? on_the_lines(pmu, escr, value) : 0;
}

/* Does a lower counter have the value of the ESCR for itself? */
static bool fed_before(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < n && faulty_for(pmu, FAULT_ESCR_FEEDS_ONE, n); other++) {
        if ((pmu->running & (1u << other)) && pmu->counter[other].escr_index == pmu->counter[n].escr_index) {
            return true;
        }
    }
    return false;
}

unsigned nbpmu_faulty_value(const struct nbpmu *pmu, unsigned n)
{
    int escr_index = pmu->counter[n].escr_index;
    const bool nothing = escr_index == NO_ESCR || fed_before(pmu, n) || nbpmu_stopped_by_escr(pmu, n);
    unsigned value = nothing ? 0 : presented(pmu, n);
    if (faulty_at(pmu, FAULT_GETS_NEIGHBOURS, n) && (pmu->running >> (n ^ 1) & 1) &&
        pmu->counter[n ^ 1].escr_index != escr_index) { /* R6 */
        value |= nbpmu_value(pmu, n ^ 1);
    }
    return value;
}

/* ---- Tags (R15) ---- */

/* The tag value that has an effect. */
static unsigned seen_tag_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    unsigned value = (unsigned)FIELD_GET(8, 5, escr->value), lowest = value & -value;
    switch (fault_of(pmu)->kind) {
    case FAULT_TAG_VALUE_OF_TWIN:
        return (unsigned)FIELD_GET(8, 5, pmu->escr[(escr - pmu->escr) & ~1].value);
    case FAULT_TAG_BIT_DEAD:
        return value & ~(1u << fault_of(pmu)->at);
    case FAULT_TAG_LOWEST_BIT:
        return lowest;
    case FAULT_TAG_HIGHEST_BIT:
        return value & 8 ? 8 : value & 4 ? 4 : value & 3 ? 1 + (value >> 1) : 0;
    case FAULT_TAG_SEVERAL_BITS_NONE:
        return value == lowest ? value : 0;
    default:
        return value;
    }
}

/* Does the ESCR tag a uop of lp, whatever the tag value? */
static bool tags(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    int escr_index = (int)(escr - pmu->escr);
    if (faulty_at(pmu, FAULT_TAGS_LOST, escr_index & 1) || (lp == 1 && faulty(pmu, FAULT_TAG_LP1_DEAD)) ||
        (pmu->lp[lp].cpl > 0 && faulty_at(pmu, FAULT_TAG_USR_DEAD, escr->event == NBPMU_UOP_TYPE))) {
        return false;
    }
    if ((faulty(pmu, FAULT_POWER_WITHOUT_TWIN) || faulty(pmu, FAULT_TAG_POWER_WITHOUT_TWIN)) &&
        !(pmu->reached_by[escr_index] & nbpmu_enabled_counters(pmu))) { /* R44 */
        return false;
    }
    return faulty(pmu, FAULT_TAG_UNQUALIFIED) || (faulty(pmu, FAULT_TI_AS_TS) && is_ti(pmu, escr->event)) ||
           (nbpmu_faulty_qualifies(pmu, escr, lp, pmu->lp[lp].cpl) &&
            nbpmu_faulty_clock_qualifies(pmu, escr));
}

unsigned nbpmu_faulty_tag(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    const struct nbpmu_escr seen =
        with_field(escr, FIELD_MASK(8, 5), FIELD_PUT(8, 5, seen_tag_value(pmu, escr)));
    return tags(pmu, escr, lp) ? nbpmu_tag_value(&seen) : 0;
}
