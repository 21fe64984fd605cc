/*
 * Fast forward: clocks that repeat the latest one pass by multiplication instead of one by one (R37, R42).
 *
 * clock.c lets a given number of equal clocks pass at once. And after a clock in which nothing but
 * counter values changed, the model announces "quiet clocks": as many clocks as cannot carry out of any
 * counter. The caller takes them from the announced number by a subtraction; nbpmu_sync() applies what was
 * taken.
 */
#include "fast_forward.h"
#include "state.h"
#include "stages.h"
#include "match.h"
#include "errata.h"

#include <string.h>

uint64_t nbpmu_distance_to_carry_into(unsigned bit, uint64_t value)
{
    const uint64_t below = bit ? FIELD_MASK64(bit - 1, 0) : 0;
    return below - (value & below);
}

/* A counter can advance up to the carry out of bit 39 or, where it may be lost (E2), to one into bit 32. */
uint64_t nbpmu_distance(const struct nbpmu *pmu, unsigned n)
{
    unsigned bit = pmu->variants.e2_lost_carry ? 32 : COUNTER_BITS;
    return nbpmu_distance_to_carry_into(bit, pmu->counter[n].value);
}

uint64_t nbpmu_clocks_before_carry(const struct nbpmu *pmu, uint64_t limit)
{
    for (uint32_t moved = pmu->moved & pmu->running; moved; moved &= moved - 1) {
        unsigned n = nbpmu_lowest(moved), increment = pmu->counter[n].last_increment;
        if (increment) {
            uint64_t distance = pmu->stages->distance(pmu, n);
            uint64_t room = increment == 1 ? distance : distance / increment;
            limit = room < limit ? room : limit;
        }
    }
    return limit;
}

void nbpmu_repeat_increments(struct nbpmu *pmu, uint64_t clocks)
{
    for (uint32_t moved = pmu->moved & pmu->running; moved; moved &= moved - 1) {
        struct nbpmu_counter *counter = &pmu->counter[nbpmu_lowest(moved)];
        counter->value += clocks * counter->last_increment;
    }
}

void nbpmu_extend_quiet_clocks(struct nbpmu *pmu)
{
    pmu->head.quiet = pmu->quiet_at_first = nbpmu_clocks_before_carry(pmu, COUNTER_MASK);
}

void nbpmu_pmi_undelivered(struct nbpmu *pmu)
{
    if (pmu->steady)
        nbpmu_extend_quiet_clocks(pmu);
}

void nbpmu_sync(struct nbpmu *pmu)
{
    if (pmu->head.quiet < pmu->quiet_at_first)
        nbpmu_repeat_increments(pmu, pmu->quiet_at_first - pmu->head.quiet);
    pmu->head.quiet = pmu->quiet_at_first = 0;
    pmu->steady = false;
}

/* ---- Demand: which events can move a counter as the registers stand, and whether clocks without events can
 * (nbpmu_active_events()) ---- */

/* Can a clock without events move this counter? */
static bool needs_clocks(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    if ((pmu->stages->clocked >> n & 1) || counter->early || pmu->variants.edge_follows ||
        nbpmu_carry_at_risk(pmu, counter)) /* E20, question 11.12, E2 */
        return true;
    if ((counter->cccr & CCCR_COMPARE) && (counter->cccr & (CCCR_COMPLEMENT | CCCR_EDGE)))
        return true;
    return counter->escr_index != NO_ESCR && pmu->escr[counter->escr_index].of_clock;
}

/* Can a cascade start this counter so that it counts in the clock of the overflow itself (R37)? */
static bool may_start_now(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    return pmu->variants.start_same_clock && (counter->cccr & (CCCR_CASCADE | CCCR_CASCNT));
}

void nbpmu_find_demand(struct nbpmu *pmu)
{
    for (unsigned event = 0; event < NBPMU_EVENTS; event++)
        pmu->is_active[0][event] = pmu->is_active[1][event] = false;
    pmu->head.active_events = 0;
    pmu->every_clock = 0;
    memset(pmu->selected_by, 0, sizeof pmu->selected_by);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct nbpmu_counter *counter = &pmu->counter[n];
        bool running = pmu->running & (1u << n);
        if (!running && !may_start_now(pmu, counter))
            continue;
        if (running && needs_clocks(pmu, n)) {
            pmu->head.active_events |= 1ull << NBPMU_NO_EVENT;
            pmu->every_clock |= 1u << n;
        }
        if (running && counter->escr_index != NO_ESCR)
            pmu->selected_by[counter->escr_index] |= 1u << n;
        if (counter->escr_index != NO_ESCR && nbpmu_can_count(pmu, counter->escr_index)) {
            enum nbpmu_event event = pmu->escr[counter->escr_index].event;
            pmu->is_active[counter->escr_index & 1][event] = true;
            pmu->head.active_events |= 1ull << event;
        }
    }
}
