/*
 * Faults of a counter whose registers are written, or that is read, while it counts (R7, R12, R17, R18, R22,
 * R23, R31, R38, R45 to R47).
 */
#include "defects.h"

static const uint32_t CCCR_FIELD[] = {
    [FIELD_SELECT] = CCCR_ESCR_SELECT_MASK,  [FIELD_ACTIVE] = CCCR_ACTIVE_MASK,
    [FIELD_COMPARE] = CCCR_COMPARE,          [FIELD_COMPLEMENT] = CCCR_COMPLEMENT,
    [FIELD_THRESHOLD] = CCCR_THRESHOLD_MASK, [FIELD_EDGE] = CCCR_EDGE,
    [FIELD_FORCE] = CCCR_FORCE_OVF,          [FIELD_PMI] = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1,
};
static const uint32_t ESCR_FIELD[] = {
    [FIELD_EVENT] = ESCR_SELECT_MASK, [FIELD_MASK] = ESCR_EVENT_MASK_MASK, [FIELD_FLAGS] = ESCR_CPL_MASK};

/* ---- A CCCR ---- */

uint32_t nbpmu_seen_cccr(const struct nbpmu *pmu, unsigned n)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    if (!faulty_at(pmu, FAULT_FIELD_HELD, n)) {
        return cccr;
    }
    const uint32_t field = CCCR_FIELD[fault_of(pmu)->to];
    return (cccr & ~field) | (defects_of(pmu)->counter[n].enabled_as & field);
}

void nbpmu_cccr_in_flight(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    struct counter_defects *defects = &defects_of(pmu)->counter[n];
    struct nbpmu_counter *counter = &pmu->counter[n];
    const uint32_t changed = counter->cccr ^ now, field = CCCR_FIELD[fault_of(pmu)->to % FIELDS];
    if (!(counter->cccr & now & CCCR_ENABLE)) {
        defects->enabled_as = now;
        defects->change_halted = false;
        return;
    }
    if (!(changed & field)) {
        return;
    }
    if (faulty_at(pmu, FAULT_CHANGE_HALTS, n)) {
        defects->change_halted = true;
    } else if (faulty_at(pmu, FAULT_CHANGE_COSTS_COUNT, n)) {
        counter->value = (counter->value - 1) & COUNTER_MASK;
    }
}

bool nbpmu_halted_by_change(const struct nbpmu *pmu, unsigned n)
{
    return defects_of(pmu)->counter[n].change_halted;
}

/* By R38 a counter halts when ENABLE is cleared, whatever else its CCCR has. */
bool nbpmu_goes_on(const struct nbpmu *pmu, unsigned n)
{
    return faulty_at(pmu, FAULT_HALT_NEEDS_CLEAR, n) && (pmu->running & (1u << n)) &&
           (pmu->counter[n].cccr & CCCR_FIELD[fault_of(pmu)->to]);
}

/* ---- An ESCR: one field keeps its value when the ESCR goes from one event to another ---- */

/* What of a field stays when the write cleared it and nothing else. */
static uint32_t stays(const struct nbpmu *pmu, uint32_t was, uint32_t now)
{
    static const uint32_t FIELD[] = {[STOP_BY_OS] = ESCR_CPL_MASK,
                                     [STOP_BY_USR] = ESCR_CPL_MASK,
                                     [STOP_BY_MASK] = ESCR_EVENT_MASK_MASK,
                                     [STOP_BY_ENABLE] = 0};
    static const uint32_t STAYS[] = {[STOP_BY_OS] = ESCR_T0_OS | ESCR_T1_OS,
                                     [STOP_BY_USR] = ESCR_T0_USR | ESCR_T1_USR,
                                     [STOP_BY_MASK] = ESCR_EVENT_MASK_MASK,
                                     [STOP_BY_ENABLE] = 0};
    const unsigned stop = fault_of(pmu)->to;
    return now == (was & ~FIELD[stop]) ? was & STAYS[stop] : 0;
}

static bool stops_wrongly(const struct nbpmu *pmu)
{
    return faulty(pmu, FAULT_ESCR_STOPS_NOT) || faulty(pmu, FAULT_STOPPED_PMI);
}

uint32_t nbpmu_escr_in_flight(const struct nbpmu *pmu, uint32_t msr, uint32_t now)
{
    uint32_t *held = &defects_of(pmu)->escr_held[ESCR_INDEX(msr)];
    const uint32_t was = *held;
    if (stops_wrongly(pmu)) {
        return *held = now | stays(pmu, was, now);
    }
    *held = now;
    if (!faulty_at(pmu, FAULT_ESCR_FIELD_HELD, (unsigned)ESCR_INDEX(msr))) {
        return now;
    }
    for (unsigned i = 0; i < sizeof ESCR_FIELD / sizeof ESCR_FIELD[0]; i++) {
        if (!(was & ESCR_FIELD[i]) || !(now & ESCR_FIELD[i])) {
            return now;
        }
    }
    const uint32_t field = ESCR_FIELD[fault_of(pmu)->to];
    *held = (now & ~field) | (was & field);
    return *held;
}

struct nbpmu_escr nbpmu_acting_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    struct nbpmu_escr acting = *escr;
    if (stops_wrongly(pmu) || faulty_at(pmu, FAULT_ESCR_FIELD_HELD, (unsigned)(escr - pmu->escr))) {
        acting.value = defects_of(pmu)->escr_held[escr - pmu->escr];
    }
    return acting;
}

/* The ESCR of counter n was stopped, and acts as if it were not. */
static bool escr_goes_on(const struct nbpmu *pmu, unsigned n)
{
    const int escr = pmu->counter[n].escr_index;
    return stops_wrongly(pmu) && escr != NO_ESCR && defects_of(pmu)->escr_held[escr] != pmu->escr[escr].value;
}

/* The fault is one counter's: the others of its ESCR get nothing. */
bool nbpmu_stopped_by_escr(const struct nbpmu *pmu, unsigned n)
{
    return escr_goes_on(pmu, n) && fault_of(pmu)->at != n;
}

/* ---- Between the overflow and the next count (R46) ---- */

void nbpmu_meanwhile(struct nbpmu *pmu, unsigned n, enum fault_meanwhile what)
{
    if (fault_of(pmu)->at != n || fault_of(pmu)->to != what ||
        pmu->counter[n].request != REQUEST_NEXT_COUNT) {
        return;
    }
    if (faulty(pmu, FAULT_DUE_LOST)) {
        pmu->counter[n].request = REQUEST_NONE;
    } else if (faulty(pmu, FAULT_DUE_LATER)) {
        defects_of(pmu)->counter[n].put_off = true;
    }
}

/* By R47 a counter that is stopped raises no PMI. Is it stopped, its PMI due, and does an event raise it? */
bool nbpmu_interrupts_stopped(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    return faulty_at(pmu, FAULT_STOPPED_PMI, n) && counter->request == REQUEST_NEXT_COUNT &&
           !(counter->cccr & CCCR_ENABLE) && fault_of(pmu)->to == STOP_BY_ENABLE;
}

bool nbpmu_counts_pmi_alone(const struct nbpmu *pmu, unsigned n)
{
    return faulty_at(pmu, FAULT_STOPPED_PMI, n) &&
           (fault_of(pmu)->to == STOP_BY_ENABLE ? !(pmu->counter[n].cccr & CCCR_ENABLE)
                                                : escr_goes_on(pmu, n));
}
