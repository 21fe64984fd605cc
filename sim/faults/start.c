/*
 * Faults of who counts: routing (R17), cascades between one X and one Y (R33 to R40), ENABLE (R2, R38) and
 * power (R44).
 */
#include "defects.h"

uint32_t nbpmu_faulty_route(struct nbpmu *pmu, unsigned n)
{
    const unsigned selects = (unsigned)CCCR_GET_ESCR_SELECT(CCCR_ESCR_SELECT_MASK) + 1;
    uint32_t msr = nbpmu_escr_route(n, (unsigned)CCCR_GET_ESCR_SELECT(nbpmu_seen_cccr(pmu, n)));
    if (faulty(pmu, FAULT_ROUTE_OFF)) {
        return nbpmu_escr_route(n, ((unsigned)CCCR_GET_ESCR_SELECT(pmu->counter[n].cccr) + 1) % selects);
    }
    if (faulty_at(pmu, FAULT_SELECT_OF_PAIR, n) && pmu->counter[n ^ 1].cccr) {
        return nbpmu_escr_route(n, (unsigned)CCCR_GET_ESCR_SELECT(pmu->counter[n ^ 1].cccr));
    }
    if (msr && faulty_at(pmu, FAULT_ROUTE_DEAD, (unsigned)ESCR_INDEX(msr))) {
        return 0;
    }
    if (faulty_at(pmu, FAULT_ROUTE_MISSING, n) && nbpmu_escr_route(n, fault_of(pmu)->to) == msr) {
        return 0;
    }
    return msr && faulty_on(pmu, FAULT_ROUTE_TWIN, n) && nbpmu_escr_exists(msr ^ 1) ? msr ^ 1 : msr;
}

/* ---- Cascades ---- */

int nbpmu_faulty_link_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    int source = nbpmu_link_source(pmu, n, link);
    if (faulty_at(pmu, link == LINK_CASCADE ? FAULT_CASCADE_FROM : FAULT_CASCNT_FROM, n)) {
        return fault->to;
    }
    bool broken = faulty_on(pmu, FAULT_LINK_BROKEN, n) && fault->to == link;
    bool wrong_way = faulty_at(pmu, FAULT_LINK_ONE_DIRECTION, source < (int)n) && link == LINK_CASCADE;
    return broken || wrong_way ? -1 : source;
}

bool nbpmu_link_starts_at(const struct nbpmu *pmu, uint64_t value)
{
    return (faulty(pmu, FAULT_LINK_EARLY) && value == COUNTER_MASK) ||
           (faulty(pmu, FAULT_LINK_LATE) && value >= FAULTY_LATENCY);
}

/* Would counter n be started if X had overflowed? */
static bool would_run(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, struct nbpmu_counter *x)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    const struct nbpmu_counter was_x = *x, was_y = *y;
    x->cccr |= CCCR_OVF;
    x->ovf_by_hardware = true;
    y->latched[link] = true;
    bool runs = nbpmu_link_runs(pmu, n, link);
    *x = was_x;
    *y = was_y;
    return runs;
}

/* Returns the counter that the fault adds to the source of a link. For 17 it is 13 by one reading and 15 by
 * the other (R34). */
static const struct nbpmu_counter *foreign_source(const struct nbpmu *pmu, int source)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    return &pmu->counter[fault->to == source ? fault->to ^ 2u : fault->to];
}

/* Does counter n, which is armed and whose source is X, run? By the rules the answer is `runs`. */
static bool runs_wrongly(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned source, bool runs)
{
    struct nbpmu_counter *x = &pmu->counter[source];
    const struct nbpmu_counter *y = &pmu->counter[n];
    if (faulty_at(pmu, link == LINK_CASCADE ? FAULT_CASCADE_ALSO_FROM : FAULT_CASCNT_ALSO_FROM, n)) {
        return runs || nbpmu_ovf_starts(pmu, foreign_source(pmu, (int)source));
    }
    if (faulty(pmu, FAULT_CASCADE_NOT_MUTUAL)) { /* R40 */
        return runs && !(x->cccr & CCCR_CASCADE);
    }
    if (faulty_link(pmu, FAULT_LINK_OUTLIVES_OVF, n, link) ||
        ((x->cccr & CCCR_ENABLE) && faulty_link(pmu, FAULT_LINK_HALTS_WITHOUT_X, n, link))) {
        return runs || y->linked[link];
    }
    if (faulty_link(pmu, FAULT_LINK_NEEDS_ENABLE, n, link)) { /* R36 */
        return runs && (y->cccr & CCCR_ENABLE);
    }
    if (faulty_link(pmu, FAULT_LINK_UNCONDITIONAL, n, link)) {
        return would_run(pmu, n, link, x);
    }
    if (faulty_link(pmu, FAULT_LINK_EARLY, n, link)) { /* R37 */
        return runs || (nbpmu_link_starts_at(pmu, x->value) && would_run(pmu, n, link, x));
    }
    if (faulty_link(pmu, FAULT_LINK_LATE, n, link)) {
        return runs && nbpmu_link_starts_at(pmu, x->value);
    }
    return nbpmu_link_strays(pmu, n, link, source, runs) && !nbpmu_link_fails(pmu, n, link, source);
}

/* Does the link work for counter n though its flag is clear? By R38 clearing it halts the counter. */
static bool armed_without_flag(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_counter *y = &pmu->counter[n];
    if (faulty(pmu, FAULT_LINK_WITHOUT_FLAG)) { /* R34 */
        return link == LINK_CASCADE;
    }
    return nbpmu_flag_stays(pmu, n, link) ||
           (y->linked[link] &&
            (faulty_link(pmu, FAULT_LINK_OUTLIVES_FLAG, n, link) ||
             ((y->cccr & CCCR_OVF) && faulty_link(pmu, FAULT_LINK_HALTS_WITHOUT_OVF, n, link))));
}

bool nbpmu_faulty_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    const uint32_t cccr = y->cccr;
    int source = cccr & nbpmu_link_bit(link) ? nbpmu_faulty_link_source(pmu, n, link) : -1;
    if (armed_without_flag(pmu, n, link)) {
        y->cccr |= nbpmu_link_bit(link);
    }
    bool runs = nbpmu_link_runs(pmu, n, link);
    y->cccr = cccr;
    if (source >= 0) {
        runs = runs_wrongly(pmu, n, link, (unsigned)source, runs);
    }
    if (runs && !y->linked[link]) {
        y->value = faulty_for(pmu, FAULT_CASCADE_CLEARS_Y, n)
                       ? 0
                       : (y->value - faulty(pmu, FAULT_START_COSTS_COUNT)) & COUNTER_MASK;
    }
    return runs;
}

/* ---- ENABLE and power ---- */

/* By R36 and R38 ENABLE lets a counter count whatever starts, and whatever its own links are. */
static bool enable_blocked(const struct nbpmu *pmu, unsigned n)
{
    return nbpmu_halted_by_start(pmu, n) ||
           ((pmu->counter[n].cccr & CCCR_CASCADE) && faulty_for(pmu, FAULT_CASCADE_BLOCKS_ENABLE, n));
}

static void take_escr_of_x(struct nbpmu *pmu, struct nbpmu_counter *y)
{
    unsigned n = (unsigned)(y - pmu->counter);
    int x = nbpmu_link_source(pmu, n, y->linked[LINK_CASCADE] ? LINK_CASCADE : LINK_CASCNT);
    y->escr_index = pmu->counter[x].escr_index;
}

bool nbpmu_faulty_counts(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    struct counter_defects *defects = &defects_of(pmu)->counter[n];
    const uint32_t cccr = counter->cccr;
    bool was_running = pmu->running & (1u << n);
    if (nbpmu_linked(counter) && faulty(pmu, FAULT_START_TAKES_ESCR)) {
        take_escr_of_x(pmu, counter);
    }
    counter->cccr &= enable_blocked(pmu, n) ? ~CCCR_ENABLE : UINT32_MAX;
    bool runs = nbpmu_counts(pmu, n);
    counter->cccr = cccr;
    if (faulty(pmu, FAULT_POWER_WITHOUT_TWIN) && counter->escr_index != NO_ESCR) {
        runs = runs && (pmu->reached_by[counter->escr_index] & nbpmu_enabled_counters(pmu));
    }
    runs = runs || (faulty(pmu, FAULT_ESCR_STARTS_COUNTING) && counter->has_event) ||
           (was_running && faulty_for(pmu, FAULT_ENABLE_CANNOT_STOP, n)) || nbpmu_goes_on(pmu, n) ||
           nbpmu_interrupts_stopped(pmu, n);
    runs = runs && !nbpmu_halted_by_change(pmu, n);
    if (runs && !was_running) {
        defects->edge_seen = false;
        defects->active_seen = 0;
    }
    return runs;
}
