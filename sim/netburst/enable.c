/*
 * Who counts: the effective enable with both kinds of cascade (R33, R36-R40) and the power rule (R44), and
 * all other state derived from the registers.
 */
#include "enable.h"
#include "state.h"
#include "stages.h"
#include "filter.h"
#include "fast_forward.h"
#include "trace.h"

int nbpmu_link_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    return link == LINK_CASCADE ? nbpmu_cascade_source(pmu, n) : nbpmu_extended_source(pmu, n);
}

uint32_t nbpmu_link_bit(enum nbpmu_link link)
{
    return link == LINK_CASCADE ? CCCR_CASCADE : CCCR_CASCNT;
}

bool nbpmu_ovf_starts(const struct nbpmu *pmu, const struct nbpmu_counter *x)
{
    return (x->cccr & CCCR_OVF) && (x->ovf_by_hardware || !pmu->variants.written_ovf_no_cascade);
}

/* R33: Y runs while its CCCR arms the link and OVF of X is set or, with the variant cascade_latch, X's
 * overflow was latched. It starts as soon as X has overflowed (R37), whatever its ENABLE (R36) and X's own
 * links (R40) are; clearing either flag halts it (R38). */
bool nbpmu_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_counter *y = &pmu->counter[n];
    int source = y->cccr & nbpmu_link_bit(link) ? pmu->stages->link_source(pmu, n, link) : -1;
    if (source < 0)
        return false;
    const struct nbpmu_counter *x = &pmu->counter[source];
    if (pmu->variants.force_ovf_breaks_cascade && ((x->cccr | y->cccr) & CCCR_FORCE_OVF)) /* E14 */
        return false;
    return pmu->variants.cascade_latch ? y->latched[link] : nbpmu_ovf_starts(pmu, x);
}

/* Is ENABLE of counter n set, and does it work? With the variant ccr1_enable_dead (E4) that of CCCR1 neither
 * lets its counter count nor powers an ESCR. */
static bool enable_set(const struct nbpmu *pmu, unsigned n)
{
    return (pmu->counter[n].cccr & CCCR_ENABLE) && !(n == 1 && pmu->variants.ccr1_enable_dead);
}

static void update_link(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    bool runs = pmu->stages->link_runs(pmu, n, link);
    if (runs != pmu->counter[n].linked[link]) {
        pmu->counter[n].linked[link] = runs;
        nbpmu_tracef(pmu, "%s %d -> %u %s", link == LINK_CASCADE ? "cascade" : "extended cascade",
                     pmu->stages->link_source(pmu, n, link), n, runs ? "starts" : "stops");
    }
}

uint32_t nbpmu_enabled_counters(const struct nbpmu *pmu)
{
    uint32_t on = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        on |= enable_set(pmu, n) ? 1u << n : 0;
    return on;
}

/* R44: a counter that can select the ESCR, or the other ESCR of its pair, powers it while it is enabled. By
 * default one that a cascade has started will do (question 11.2). */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index)
{
    uint32_t reaching = pmu->reached_by[escr_index] | pmu->reached_by[escr_index ^ 1];
    return reaching & (pmu->variants.strict_power ? nbpmu_enabled_counters(pmu) : pmu->running);
}

/* A counter counts by ENABLE (R2) or because another one has started it (R33, R36). By default a counter that
 * runs powers its own ESCR (question 11.2). */
bool nbpmu_counts(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool runs = enable_set(pmu, n) || nbpmu_linked(counter);
    if (runs && pmu->variants.strict_power && counter->escr_index != NO_ESCR)
        return nbpmu_powered(pmu, counter->escr_index);
    return runs;
}

uint32_t nbpmu_route(struct nbpmu *pmu, unsigned n)
{
    return nbpmu_escr_route(n, (unsigned)CCCR_GET_ESCR_SELECT(pmu->counter[n].cccr));
}

/* Does COMPLEMENT count the clocks in which this ESCR's event is absent (R16)? Its mask and CPL bits do not
 * matter, and the event itself only with the variant unmapped_counts_nothing (question 11.1). */
static bool can_complement(const struct nbpmu *pmu, uint32_t escr)
{
    return ESCR_GET_EVENT_SELECT(escr) != 0 || !pmu->variants.unmapped_counts_nothing;
}

static void select_escr(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    uint32_t msr = pmu->stages->route(pmu, n);
    counter->escr_index = msr ? ESCR_INDEX(msr) : NO_ESCR;
    uint32_t escr = msr ? pmu->escr[counter->escr_index].value : 0;
    counter->has_event = ESCR_GET_EVENT_SELECT(escr) != 0;
    counter->complements = can_complement(pmu, escr);
}

void nbpmu_refresh(struct nbpmu *pmu)
{
    uint32_t running = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        select_escr(pmu, n);
        for (enum nbpmu_link link = 0; link < LINKS; link++)
            update_link(pmu, n, link);
        if (pmu->stages->counts(pmu, n)) {
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
