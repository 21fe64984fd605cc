/*
 * Which events and clocks count by privilege level and logical processor (R11 to R14) and by ACTIVE_THREAD
 * (R18, R19), and the value that an ESCR presents to its counters (R8 to R10).
 */
#include "qualify.h"
#include "state.h"
#include "stages.h"
#include "event_table.h"

#define GLOBAL_POWER_RUNNING 1u /* mask bit 0 of global_power_events */

/* Is the event thread independent (Table 19-34)? Without Hyper-Threading that makes no difference. */
static bool is_ti(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return nbpmu_has_ht(pmu) && nbpmu_event_info(event)->ti;
}

/* Does this event count whatever the four bits of its ESCR say (R14)? */
static bool cpl_ignored(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return event == NBPMU_IOQ_ACTIVE_ENTRIES ||
           (event == NBPMU_IOQ_ALLOCATION && nbpmu_before_f27(&pmu->part));
}

/* The bit of an ESCR that stands for T0 or T1 at CPL 0 (os) or above. */
static uint64_t causer_bit(bool t1, bool os)
{
    if (t1)
        return os ? ESCR_T1_OS : ESCR_T1_USR;
    return os ? ESCR_T0_OS : ESCR_T0_USR;
}

bool nbpmu_causer_counts(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl)
{
    return escr->value & causer_bit(nbpmu_has_ht(pmu) && lp == 1, cpl == 0);
}

bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl)
{
    return cpl_ignored(pmu, escr->event) || is_ti(pmu, escr->event) ||
           nbpmu_causer_counts(pmu, escr, lp, cpl);
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

/* Look the answer of nbpmu_qualify_cause() up, since it is needed for each event. */
bool nbpmu_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl)
{
    (void)pmu;
    return escr->causes >> NBPMU_CAUSE(lp, cpl) & 1;
}

/* Is some logical processor at CPL 0 (os) or above (usr) in this clock? */
static bool someone_at(const struct nbpmu *pmu, bool os)
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++) {
        bool asked = pmu->lp[lp].active || !pmu->variants.ti_halted_cpl_ignored;
        if (asked && (pmu->lp[lp].cpl == 0) == os)
            return true;
    }
    return false;
}

/* R13, Table 18-67: what counts is whether one of the two OS bits is set, and one of the two USR bits. */
bool nbpmu_state_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    bool os = escr->value & (ESCR_T0_OS | ESCR_T1_OS);
    bool usr = escr->value & (ESCR_T0_USR | ESCR_T1_USR);
    if (os && usr)
        return !pmu->variants.ti_halted_not_counted || nbpmu_active_count(pmu) > 0;
    return (os && someone_at(pmu, true)) || (usr && someone_at(pmu, false));
}

bool nbpmu_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return !is_ti(pmu, escr->event) || nbpmu_state_qualifies(pmu, escr);
}

/* Value of global_power_events with mask bit RUNNING: is a logical processor active that the ESCR's bits
 * select? */
static bool running_counts(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    unsigned last = nbpmu_has_ht(pmu) ? 1 : 0;
    for (unsigned lp = 0; lp <= last; lp++)
        if (pmu->lp[lp].active && pmu->stages->qualifies(pmu, escr, lp, pmu->lp[lp].cpl))
            return escr->mask & GLOBAL_POWER_RUNNING;
    return false;
}

/* The members of an event are added, states count once (R9); the four lines to the counters carry at most 15
 * (R8, R10). */
unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    if (escr->of_clock)
        return running_counts(pmu, escr);
    unsigned value = escr->sum + (escr->level ? 1 : 0);
    if (value == 0 || !pmu->stages->clock_qualifies(pmu, escr))
        return 0;
    return value > NBPMU_VALUE_MAX ? NBPMU_VALUE_MAX : value;
}

/* Every counter that selects an ESCR gets its value (R6). */
unsigned nbpmu_value(const struct nbpmu *pmu, unsigned n)
{
    int escr_index = pmu->counter[n].escr_index;
    return escr_index == NO_ESCR ? 0 : nbpmu_escr_value(pmu, &pmu->escr[escr_index]);
}

unsigned nbpmu_active_count(const struct nbpmu *pmu)
{
    return (pmu->lp[0].active ? 1u : 0u) + (nbpmu_has_ht(pmu) && pmu->lp[1].active ? 1u : 0u);
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
bool nbpmu_gate_open(struct nbpmu *pmu, unsigned n, unsigned active)
{
    unsigned field = (unsigned)CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr);
    if (!nbpmu_has_ht(pmu) && pmu->variants.active_thread_ignored)
        field = ACTIVE_ANY;
    return active_passes(field, active);
}
