/*
 * Who counts: the effective enable with both kinds of cascade (R33, R36-R40) and the power rule (R44), and
 * all other state derived from the registers.
 */
#include "sim/pmu_private.h"

int pmu_link_source(const struct pmu *pmu, unsigned n, enum pmu_link link)
{
    return link == LINK_CASCADE ? pmu_cascade_source(pmu, n) : pmu_extended_source(pmu, n);
}

uint32_t pmu_link_bit(enum pmu_link link)
{
    return (uint32_t)(link == LINK_CASCADE ? CCCR_CASCADE : CCCR_CASCNT);
}

/* R30: does OVF of x, as it stands, count as a start for its partners? */
static bool ovf_starts(const struct pmu *pmu, const struct pmu_counter *x)
{
    return (x->cccr & CCCR_OVF) && (x->ovf_by_hardware || !pmu->config.written_ovf_no_cascade);
}

/* R33, the part of one link: armed in Y, and OVF(X) stands (level form) or its overflow was seen (latch
 * form). */
static bool link_runs(const struct pmu *pmu, unsigned n, enum pmu_link link)
{
    const struct pmu_counter *y = &pmu->counter[n];
    int source = pmu_link_source(pmu, n, link);
    if (source < 0 || !(y->cccr & pmu_link_bit(link))) {
        return false;
    }
    const struct pmu_counter *x = &pmu->counter[source];
    if (pmu->config.force_ovf_breaks_cascade && ((x->cccr | y->cccr) & CCCR_FORCE_OVF)) { /* E14 */
        return false;
    }
    return pmu->config.cascade_start == PMU_CASCADE_LATCH ? y->latched[link] : ovf_starts(pmu, x);
}

/* E4 as a choice: ENABLE of CCCR1 has no effect. */
static bool enabled(const struct pmu *pmu, unsigned n)
{
    return (pmu->counter[n].cccr & CCCR_ENABLE) && !(n == 1 && pmu->config.ccr1_enable_dead);
}

static void update_link(struct pmu *pmu, unsigned n, enum pmu_link link)
{
    bool runs = link_runs(pmu, n, link);
    if (runs != pmu->counter[n].linked[link]) {
        pmu->counter[n].linked[link] = runs;
        pmu_tracef(pmu, "%s %d -> %u %s", link == LINK_CASCADE ? "cascade" : "extended cascade",
                   pmu_link_source(pmu, n, link), n, runs ? "starts" : "stops");
    }
}

/* R44; 11 #2: "enabled" is the effective enable, or literally the ENABLE bit. */
bool pmu_powered(const struct pmu *pmu, int slot)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        bool literal = pmu->counter[n].cccr & CCCR_ENABLE;
        bool effective = pmu->running & (1u << n);
        bool attachable =
            pmu_counter_reaches(n, ESCR_MSR(slot)) || pmu_counter_reaches(n, ESCR_MSR(slot ^ 1));
        if (attachable && (pmu->config.strict_power ? literal : effective)) {
            return true;
        }
    }
    return false;
}

/* The effective enable E(n) of R33. By default a counter that runs powers its own ESCR (11 #2). */
static bool counts(const struct pmu *pmu, unsigned n)
{
    const struct pmu_counter *counter = &pmu->counter[n];
    bool enable = enabled(pmu, n) || counter->linked[LINK_CASCADE] || counter->linked[LINK_CASCNT];
    if (enable && pmu->config.strict_power && counter->slot != NO_SLOT) {
        return pmu_powered(pmu, counter->slot);
    }
    return enable;
}

/* The selected ESCR (R17) and whether an event is selected there at all (R16). */
static void select_escr(struct pmu *pmu, unsigned n)
{
    struct pmu_counter *counter = &pmu->counter[n];
    uint32_t msr = pmu_route(n, (unsigned)CCCR_GET_ESCR_SELECT(counter->cccr));
    counter->slot = msr ? ESCR_SLOT(msr) : NO_SLOT;
    counter->has_event = pmu->config.unmapped_counts_clocks ||
                         (msr && ESCR_GET_EVENT_SELECT(pmu->escr[counter->slot].value) != 0);
}

void pmu_refresh(struct pmu *pmu)
{
    uint32_t running = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        select_escr(pmu, n);
        for (enum pmu_link link = 0; link < LINKS; link++) {
            update_link(pmu, n, link);
        }
        if (counts(pmu, n)) {
            running |= 1u << n;
            if (!(pmu->running & (1u << n))) {
                pmu_filter_start(pmu, &pmu->counter[n]);
            }
        }
    }
    pmu->running = running;
    pmu->stale = false;
    pmu_listen(pmu);
}
