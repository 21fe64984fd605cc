/*
 * Which events and clocks count by privilege level and logical processor (R11 to R14) and by ACTIVE_THREAD
 * (R18, R19), and the value that an ESCR presents to its counters (R8 to R10).
 */
#include "private.h"

#define GLOBAL_POWER_RUNNING 1u /* mask bit 0 of global_power_events */

bool nbpmu_is_ti(const struct nbpmu *pmu, enum nbpmu_event event)
{
    bool ti = nbpmu_event_info(event)->ti;
    if (nbpmu_faulty_at(pmu, FAULT_EVENT_AS_TS, event)) {
        return false;
    }
    return ti || nbpmu_faulty_at(pmu, FAULT_EVENT_AS_TI, event);
}

/* Does this event count whatever the four bits of its ESCR say (R14)? */
static bool cpl_ignored(const struct nbpmu *pmu, enum nbpmu_event event)
{
    if (nbpmu_faulty(pmu, FAULT_IOQ_OBEYS_CPL)) {
        return false;
    }
    return event == NBPMU_IOQ_ACTIVE_ENTRIES ||
           (event == NBPMU_IOQ_ALLOCATION && nbpmu_before_f27(&pmu->part));
}

/* The bit of an ESCR that stands for T0 or T1 at CPL 0 (os) or above. */
static uint64_t causer_bit(bool t1, bool os)
{
    if (t1) {
        return os ? ESCR_T1_OS : ESCR_T1_USR;
    }
    return os ? ESCR_T0_OS : ESCR_T0_USR;
}

/* The faults of causer_counts(). */
static bool causer_counts_wrongly(const struct nbpmu *pmu, uint32_t escr, unsigned lp, unsigned cpl)
{
    if (cpl == 1 || cpl == 2) {
        if (nbpmu_faulty(pmu, FAULT_USR_IS_CPL_3)) {
            return false;
        }
        cpl = nbpmu_faulty(pmu, FAULT_CPL_1_2_AS_0) ? 0 : cpl;
    }
    bool os = (cpl == 0) != nbpmu_faulty(pmu, FAULT_OS_USR_SWAPPED);
    bool t1 = nbpmu_has_ht(pmu) && (lp == 1) != nbpmu_faulty(pmu, FAULT_T0_T1_SWAPPED);
    uint64_t t0_bit = causer_bit(false, os), t1_bit = causer_bit(true, os);
    if (nbpmu_faulty(pmu, FAULT_CPL_IGNORED)) {
        t0_bit = ESCR_T0_ALL;
        t1_bit = ESCR_T1_ALL;
    } else if (nbpmu_faulty(pmu, FAULT_TS_AS_TI)) {
        t0_bit = t1_bit |= t0_bit;
    }
    return escr & (t1 ? t1_bit : t0_bit);
}

/* Is the bit set that stands for logical processor lp at this privilege level (R12; R11 without
 * Hyper-Threading)? */
static bool causer_counts(const struct nbpmu *pmu, uint32_t escr, unsigned lp, unsigned cpl)
{
    if (!nbpmu_sound(pmu)) {
        return causer_counts_wrongly(pmu, escr, lp, cpl);
    }
    return escr & causer_bit(nbpmu_has_ht(pmu) && lp == 1, cpl == 0);
}

/* The four qualification bits of an ESCR as its events see them. */
static uint32_t flags_of(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    bool dead = nbpmu_faulty_at(pmu, FAULT_ESCR_FLAG_DEAD, (unsigned)(escr - pmu->escr));
    return escr->value & ~(dead ? 1u << pmu->fault.to : 0);
}

/* Has this ESCR the fault, or a counter that counts by it the condition for which the fault strikes? */
static bool escr_faulty(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned escr_index)
{
    if (!nbpmu_faulty(pmu, kind) || pmu->fault.condition == WHILE_ALWAYS) {
        return nbpmu_faulty_at(pmu, kind, escr_index);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if ((pmu->running >> n & 1) && pmu->counter[n].escr_index == (int)escr_index &&
            nbpmu_condition_holds(pmu, pmu->fault.condition, n)) {
            return true;
        }
    }
    return false;
}

bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl)
{
    if (cpl_ignored(pmu, escr->event)) {
        return true;
    }
    if (nbpmu_has_ht(pmu) && nbpmu_is_ti(pmu, escr->event) && !nbpmu_faulty(pmu, FAULT_TI_AS_TS)) {
        return true; /* R13: nbpmu_qualify_clock() decides */
    }
    if (nbpmu_sound(pmu)) {
        return causer_counts(pmu, escr->value, lp, cpl);
    }
    unsigned escr_index = (unsigned)(escr - pmu->escr);
    if (escr_faulty(pmu, FAULT_ESCR_UNQUALIFIED, escr_index)) {
        return true;
    }
    if (lp == 1 && escr_faulty(pmu, FAULT_ESCR_T1_DEAD, escr_index)) {
        return false;
    }
    if (nbpmu_faulty_at(pmu, FAULT_ESCR_USR_AS_OS, escr_index)) {
        cpl = 0;
    }
    return causer_counts(pmu, flags_of(pmu, escr), lp, cpl);
}

uint8_t nbpmu_causes(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    unsigned causes = 0;
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++) {
        causes |= (unsigned)nbpmu_qualify_cause(pmu, escr, lp, 0) << NBPMU_CAUSE(lp, 0);
        causes |= (unsigned)nbpmu_qualify_cause(pmu, escr, lp, 3)
                  << NBPMU_CAUSE(lp, 3); /* as 1 and 2 (R11) */
    }
    return (uint8_t)causes;
}

/* Is some logical processor at CPL 0 (os) or above (usr) in this clock? */
static bool someone_at(const struct nbpmu *pmu, bool os)
{
    unsigned last = nbpmu_faulty(pmu, FAULT_TI_LP0_STATE_ONLY) ? 0 : NBPMU_LPS - 1;
    for (unsigned lp = 0; lp <= last; lp++) {
        bool asked = pmu->lp[lp].active || !pmu->choices.ti_halted_cpl_ignored;
        if (asked && (pmu->lp[lp].cpl == 0) == os) {
            return true;
        }
    }
    return false;
}

/* R13, Table 18-67: what counts is whether one of the two OS bits is set, and one of the two USR bits. */
bool nbpmu_qualify_clock(const struct nbpmu *pmu, const struct nbpmu_escr *of)
{
    uint32_t escr = flags_of(pmu, of);
    if (nbpmu_faulty(pmu, FAULT_TI_T0_BITS_ONLY)) {
        escr &= ~ESCR_T1_ALL;
    }
    bool os = escr & (ESCR_T0_OS | ESCR_T1_OS);
    bool usr = escr & (ESCR_T0_USR | ESCR_T1_USR);
    if (nbpmu_faulty(pmu, FAULT_TI_UNQUALIFIED) || nbpmu_faulty(pmu, FAULT_TI_AS_TS)) {
        return true;
    }
    if (os && usr) {
        return !pmu->choices.ti_halted_not_counted || nbpmu_active_count(pmu) > 0;
    }
    return (os && someone_at(pmu, true)) || (usr && someone_at(pmu, false));
}

/* Value of global_power_events with mask bit RUNNING: is a logical processor active that the ESCR's bits
 * select? */
static bool running_counts(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    unsigned last = nbpmu_has_ht(pmu) ? 1 : 0;
    for (unsigned lp = 0; lp <= last; lp++) {
        if (pmu->lp[lp].active && causer_counts(pmu, flags_of(pmu, escr), lp, pmu->lp[lp].cpl)) {
            return escr->mask & GLOBAL_POWER_RUNNING;
        }
    }
    return false;
}

bool nbpmu_value_of_clock(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return escr->event == NBPMU_GLOBAL_POWER_EVENTS ||
           (escr->event == NBPMU_UOP_TYPE && nbpmu_faulty(pmu, FAULT_UOP_TYPE_COUNTS)); /* R15 */
}

/* The value that the four lines to the counters carry for this sum: at most 15 (R8, R10). */
static unsigned on_the_lines(const struct nbpmu *pmu, unsigned value)
{
    if (nbpmu_sound(pmu)) {
        return value > NBPMU_VALUE_MAX ? NBPMU_VALUE_MAX : value;
    }
    if (nbpmu_faulty(pmu, FAULT_LOWEST_LINE)) {
        return value & 1;
    }
    if (nbpmu_faulty(pmu, FAULT_VALUE_WRAPS)) {
        return value & NBPMU_VALUE_MAX;
    }
    if (nbpmu_faulty(pmu, FAULT_VALUE_CLIPPED) && value > pmu->fault.at) {
        return pmu->fault.at;
    }
    if (nbpmu_faulty(pmu, FAULT_LINE_DEAD)) {
        return value & NBPMU_VALUE_MAX & ~(1u << pmu->fault.at);
    }
    return value > NBPMU_VALUE_MAX ? NBPMU_VALUE_MAX : value;
}

unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    if (nbpmu_value_of_clock(pmu, escr)) {
        return escr->event != NBPMU_GLOBAL_POWER_EVENTS || running_counts(pmu, escr);
    }
    unsigned value = escr->sum + (escr->level ? 1 : 0); /* R9 */
    if (value == 0) {
        return 0;
    }
    if (nbpmu_has_ht(pmu) && nbpmu_is_ti(pmu, escr->event) && !nbpmu_qualify_clock(pmu, escr)) {
        return 0;
    }
    return on_the_lines(pmu, value);
}

unsigned nbpmu_active_count(const struct nbpmu *pmu)
{
    return (pmu->lp[0].active ? 1u : 0u) + (nbpmu_has_ht(pmu) && pmu->lp[1].active ? 1u : 0u);
}

unsigned nbpmu_active_seen(struct nbpmu *pmu, unsigned n, unsigned active)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (nbpmu_faulty(pmu, FAULT_NONE)) {
        return active;
    }
    if (counter->active_seen == 0 || (nbpmu_faulty_at(pmu, FAULT_GATE_LATCHED, n) && active == NBPMU_LPS)) {
        counter->active_seen = (uint8_t)active;
    }
    if (nbpmu_faulty_at(pmu, FAULT_GATE_SAMPLED, n) ||
        (nbpmu_faulty_at(pmu, FAULT_GATE_LATCHED, n) && counter->active_seen == NBPMU_LPS)) {
        return counter->active_seen;
    }
    if (nbpmu_faulty(pmu, FAULT_GATE_LP0_ALWAYS) && nbpmu_has_ht(pmu)) {
        return 1 + (pmu->lp[1].active ? 1u : 0u);
    }
    return active;
}

/* R18: does ACTIVE_THREAD let a clock with this number of active logical processors count? */
static bool active_passes(unsigned field, unsigned active)
{
    switch (field) {
    case ACTIVE_NONE:
        return active == 0;
    case ACTIVE_SINGLE:
        return active == 1;
    case ACTIVE_BOTH:
        return active == 2;
    default:
        return active >= 1;
    }
}

/* R18, R19. Without Hyper-Threading at most one logical processor is active. */
bool nbpmu_gate_open(const struct nbpmu *pmu, uint32_t cccr, unsigned active)
{
    unsigned field = (unsigned)CCCR_GET_ACTIVE_THREAD(cccr);
    if (!nbpmu_has_ht(pmu) && pmu->choices.active_thread_ignored) {
        field = ACTIVE_ANY;
    }
    bool wrong = nbpmu_faulty_at(pmu, FAULT_ACTIVE_CELL, field) && pmu->fault.to == active;
    return active_passes(field, active) != wrong;
}
