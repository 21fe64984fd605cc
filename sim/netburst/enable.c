/*
 * Who counts: the effective enable with both kinds of cascade (R33, R36-R40) and the power rule (R44), and
 * all other state derived from the registers.
 */
#include "private.h"

int nbpmu_link_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_fault *fault = &pmu->fault;
    int source = link == LINK_CASCADE ? nbpmu_cascade_source(pmu, n) : nbpmu_extended_source(pmu, n);
    if (nbpmu_faulty_at(pmu, link == LINK_CASCADE ? FAULT_CASCADE_FROM : FAULT_CASCNT_FROM, n)) {
        return fault->to;
    }
    if (nbpmu_faulty_on(pmu, FAULT_LINK_BROKEN, n) && fault->to == link) {
        return -1;
    }
    if (nbpmu_faulty_at(pmu, FAULT_LINK_ONE_DIRECTION, source < (int)n) && link == LINK_CASCADE) {
        return -1;
    }
    return source;
}

uint32_t nbpmu_link_bit(enum nbpmu_link link)
{
    return link == LINK_CASCADE ? CCCR_CASCADE : CCCR_CASCNT;
}

/* Does OVF of x, as it is now, start the counters that x starts? OVF written by software does, but for the
 * choice written_ovf_no_cascade (R30). */
static bool ovf_starts(const struct nbpmu *pmu, const struct nbpmu_counter *x)
{
    return (x->cccr & CCCR_OVF) && (x->ovf_by_hardware || !pmu->choices.written_ovf_no_cascade);
}

bool nbpmu_link_starts_at(const struct nbpmu *pmu, uint64_t value)
{
    return (nbpmu_faulty(pmu, FAULT_LINK_EARLY) && value == COUNTER_MASK) ||
           (nbpmu_faulty(pmu, FAULT_LINK_LATE) && value >= FAULTY_LATENCY);
}

/* Does Y start now? It does as soon as X has overflowed (R37); faults start it earlier or later. */
static bool start_is_due(const struct nbpmu *pmu, const struct nbpmu_counter *x, unsigned n,
                         enum nbpmu_link link, bool ovf)
{
    if (nbpmu_faulty_link(pmu, FAULT_LINK_EARLY, n, link)) {
        return ovf || nbpmu_link_starts_at(pmu, x->value);
    }
    if (nbpmu_faulty_link(pmu, FAULT_LINK_LATE, n, link)) {
        return ovf && nbpmu_link_starts_at(pmu, x->value);
    }
    return ovf || nbpmu_faulty_link(pmu, FAULT_LINK_UNCONDITIONAL, n, link);
}

/* The counter that the fault adds to the source of a link. By the one reading 13 is foreign to 17, by the
 * other 15 (R34). */
static unsigned foreign_source(const struct nbpmu *pmu, int source)
{
    return pmu->fault.to == source ? pmu->fault.to ^ 2u : pmu->fault.to;
}

/* Is counter n started through this link (R33)? It is while its CCCR arms the link and OVF of X is set, or,
 * with the choice cascade_latch, X's overflow was latched. Clearing either ends it (R38). */
static bool link_runs(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_counter *y = &pmu->counter[n];
    bool armed = y->cccr & nbpmu_link_bit(link);
    if (nbpmu_faulty_link(pmu, FAULT_LINK_OUTLIVES_FLAG, n, link)) {
        armed |= y->linked[link];
    } else if (nbpmu_faulty_link(pmu, FAULT_LINK_HALTS_WITHOUT_OVF, n, link)) {
        armed |= y->linked[link] && (y->cccr & CCCR_OVF);
    } else if (link == LINK_CASCADE && nbpmu_faulty(pmu, FAULT_LINK_WITHOUT_FLAG)) {
        armed = true;
    } else if (nbpmu_faulty_link(pmu, FAULT_LINK_NEEDS_ENABLE, n, link)) { /* R36 */
        armed &= (y->cccr & CCCR_ENABLE) != 0;
    }
    int source = armed ? nbpmu_link_source(pmu, n, link) : -1;
    if (source < 0) {
        return false;
    }
    if (nbpmu_faulty_at(pmu, link == LINK_CASCADE ? FAULT_CASCADE_ALSO_FROM : FAULT_CASCNT_ALSO_FROM, n) &&
        ovf_starts(pmu, &pmu->counter[foreign_source(pmu, source)])) {
        return true;
    }
    const struct nbpmu_counter *x = &pmu->counter[source];
    if (nbpmu_faulty(pmu, FAULT_CASCADE_NOT_MUTUAL) && (x->cccr & CCCR_CASCADE)) { /* R40 */
        return false;
    }
    if (y->linked[link] &&
        (nbpmu_faulty_link(pmu, FAULT_LINK_OUTLIVES_OVF, n, link) ||
         (nbpmu_faulty_link(pmu, FAULT_LINK_HALTS_WITHOUT_X, n, link) && (x->cccr & CCCR_ENABLE)))) {
        return true;
    }
    if (nbpmu_link_fails(pmu, n, link, (unsigned)source)) {
        return false;
    }
    if (pmu->choices.force_ovf_breaks_cascade && ((x->cccr | y->cccr) & CCCR_FORCE_OVF)) { /* E14 */
        return false;
    }
    bool ovf = pmu->choices.cascade_latch ? y->latched[link] : ovf_starts(pmu, x);
    return start_is_due(pmu, x, n, link, ovf);
}

/* Is ENABLE of counter n set, and does it work? With the choice ccr1_enable_dead (E4) that of CCCR1 neither
 * lets its counter count nor powers an ESCR. */
static bool enable_set(const struct nbpmu *pmu, unsigned n)
{
    return (pmu->counter[n].cccr & CCCR_ENABLE) && !(n == 1 && pmu->choices.ccr1_enable_dead);
}

/* Does ENABLE let this counter count (R2, R36, R38)? */
static bool enabled(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool enable = enable_set(pmu, n);
    if (nbpmu_sound(pmu)) {
        return enable;
    }
    if (nbpmu_faulty(pmu, FAULT_ESCR_STARTS_COUNTING)) {
        return enable || counter->has_event;
    }
    if (nbpmu_faulty_for(pmu, FAULT_ENABLE_CANNOT_STOP, n)) {
        return enable || (pmu->running & (1u << n));
    }
    return enable && !nbpmu_halted_by_start(pmu, n) &&
           !(nbpmu_faulty_for(pmu, FAULT_CASCADE_BLOCKS_ENABLE, n) && (counter->cccr & CCCR_CASCADE));
}

static void update_link(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    bool runs = link_runs(pmu, n, link);
    if (runs != pmu->counter[n].linked[link]) {
        pmu->counter[n].linked[link] = runs;
        if (runs && nbpmu_faulty_for(pmu, FAULT_CASCADE_CLEARS_Y, n)) {
            pmu->counter[n].value = 0;
        }
        if (runs && nbpmu_faulty(pmu, FAULT_START_COSTS_COUNT)) {
            pmu->counter[n].value = (pmu->counter[n].value - 1) & COUNTER_MASK;
        }
        nbpmu_tracef(pmu, "%s %d -> %u %s", link == LINK_CASCADE ? "cascade" : "extended cascade",
                     nbpmu_link_source(pmu, n, link), n, runs ? "starts" : "stops");
    }
}

/* Does R44 ask for the ENABLE bit itself? By default a counter that a cascade has started will do (question
 * 11.2). */
static bool power_is_strict(const struct nbpmu *pmu)
{
    return pmu->choices.strict_power || nbpmu_faulty(pmu, FAULT_POWER_WITHOUT_TWIN);
}

/* The counters whose ENABLE is set and works. */
static uint32_t enabled_counters(const struct nbpmu *pmu)
{
    uint32_t on = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        on |= enable_set(pmu, n) ? 1u << n : 0;
    }
    return on;
}

/* R44: a counter that can select the ESCR, or the other ESCR of its pair, powers it while it is enabled. */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index)
{
    const bool by_twin = !nbpmu_faulty(pmu, FAULT_POWER_WITHOUT_TWIN);
    uint32_t reaching = pmu->reached_by[escr_index] | (by_twin ? pmu->reached_by[escr_index ^ 1] : 0);
    return reaching & (power_is_strict(pmu) ? enabled_counters(pmu) : pmu->running);
}

/* Does counter n count: is it enabled or started (R33), and its ESCR powered (R44)? By default a counter
 * that runs powers its own ESCR (question 11.2). */
static bool counts(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool enable = enabled(pmu, n) || nbpmu_linked(counter);
    if (enable && power_is_strict(pmu) && counter->escr_index != NO_ESCR) {
        return nbpmu_powered(pmu, counter->escr_index);
    }
    return enable;
}

/* Address of the ESCR that counter n selects; 0 when its select value names none (R17). */
static uint32_t selected_escr(const struct nbpmu *pmu, unsigned n)
{
    unsigned select = (unsigned)CCCR_GET_ESCR_SELECT(pmu->counter[n].cccr);
    if (nbpmu_faulty(pmu, FAULT_ROUTE_OFF)) {
        select = (select + 1) % (unsigned)(CCCR_GET_ESCR_SELECT(CCCR_ESCR_SELECT_MASK) + 1);
    }
    uint32_t msr = nbpmu_escr_route(n, select);
    if (msr && nbpmu_faulty_at(pmu, FAULT_ROUTE_DEAD, (unsigned)ESCR_INDEX(msr))) {
        return 0;
    }
    if (msr && nbpmu_faulty_on(pmu, FAULT_ROUTE_TWIN, n) && nbpmu_escr_exists(msr ^ 1)) {
        return msr ^ 1;
    }
    return msr;
}

/* Does COMPLEMENT count the clocks in which this ESCR's event is absent (R16)? Its mask and CPL bits do not
 * matter, and the event itself only with the choice unmapped_counts_nothing (question 11.1). */
static bool can_complement(const struct nbpmu *pmu, uint32_t escr)
{
    if (ESCR_GET_EVENT_SELECT(escr) == 0) {
        return !pmu->choices.unmapped_counts_nothing;
    }
    return !((nbpmu_faulty(pmu, FAULT_COMPLEMENT_NEEDS_MASK) && ESCR_GET_EVENT_MASK(escr) == 0) ||
             (nbpmu_faulty(pmu, FAULT_COMPLEMENT_OBEYS_CPL) && (escr & ESCR_CPL_MASK) == 0) ||
             (nbpmu_faulty(pmu, FAULT_COMPLEMENT_NEEDS_OS) && (escr & (ESCR_T0_OS | ESCR_T1_OS)) == 0));
}

static void select_escr(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    uint32_t msr = selected_escr(pmu, n);
    counter->escr_index = msr ? ESCR_INDEX(msr) : NO_ESCR;
    uint32_t escr = msr ? pmu->escr[counter->escr_index].value : 0;
    counter->has_event = ESCR_GET_EVENT_SELECT(escr) != 0;
    counter->complements = can_complement(pmu, escr);
}

/* Can a link of counter n start or stop, or has it done so? Most counters are never armed. */
static bool may_be_linked(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    return !nbpmu_sound(pmu) || (counter->cccr & (CCCR_CASCADE | CCCR_CASCNT)) || nbpmu_linked(counter);
}

void nbpmu_refresh(struct nbpmu *pmu)
{
    uint32_t running = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        select_escr(pmu, n);
        if (may_be_linked(pmu, n)) {
            for (enum nbpmu_link link = 0; link < LINKS; link++) {
                update_link(pmu, n, link);
            }
            nbpmu_take_escr_of_x(pmu, n);
        }
        if (counts(pmu, n)) {
            running |= 1u << n;
            if (!(pmu->running & (1u << n))) {
                nbpmu_filter_start(pmu, &pmu->counter[n]);
                pmu->counter[n].last_increment = 0;
            }
        }
    }
    pmu->running = running;
    pmu->stale = false;
    nbpmu_find_demand(pmu);
}
