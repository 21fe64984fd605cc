/*
 * Blocks: clocks with events that may pass at once, because every counter that the events concern only adds
 * them up (R8, R27), in whichever clocks they are.
 */
#include "nbpmu_block.h"
#include "private.h"

#include <assert.h>

/* What one ESCR gets in a block. */
struct hit {
    int escr_index;
    unsigned most;  /* in one clock */
    uint64_t total; /* in all clocks */
    bool level;     /* some of it is a state of a clock: it is ORed (R9) */
};

struct block {
    struct nbpmu *pmu;
    struct hit hit[2 * NBPMU_BLOCK_EVENTS + ESCR_INDICES];
    unsigned hits;
};

static struct hit *hit_of(struct block *block, int escr_index)
{
    for (unsigned i = 0; i < block->hits; i++) {
        if (block->hit[i].escr_index == escr_index) {
            return &block->hit[i];
        }
    }
    struct hit *hit = &block->hit[block->hits++];
    *hit = (struct hit){.escr_index = escr_index};
    return hit;
}

/* Events that were reported before share the first clock with those of the block. */
static void add_posted(struct block *block)
{
    const struct nbpmu *pmu = block->pmu;
    for (unsigned i = 0; i < pmu->posted_count; i++) {
        const struct nbpmu_escr *escr = &pmu->escr[pmu->posted[i]];
        struct hit *hit = hit_of(block, pmu->posted[i]);
        hit->level = escr->level;
        hit->most = escr->sum + escr->level;
        hit->total = hit->most;
    }
}

/* False if what the ESCR gets of this entry depends on the clocks in which it comes: two states of one clock
 * count once, but those of two clocks twice. */
static bool add_event(struct block *block, const struct nbpmu_block_event *event, int escr_index)
{
    const struct nbpmu_escr *escr = &block->pmu->escr[escr_index];
    bool level = nbpmu_is_level(escr, event->mask_bits);
    unsigned weight = level ? 1 : nbpmu_event_info(event->event)->weight;
    struct hit *hit = hit_of(block, escr_index);
    if (level && (hit->level || event->most > 1)) {
        return false;
    }
    hit->level |= level;
    hit->most += event->most * weight;
    hit->total += event->total * weight;
    return true;
}

static bool add_events(struct block *block, unsigned lp, const struct nbpmu_block_event *events,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct nbpmu_block_event *event = &events[i];
        assert(event->event > NBPMU_NO_EVENT && event->event < NBPMU_EVENTS);
        for (unsigned side = 0; side < 2; side++) {
            int escr_index = nbpmu_heard_by(block->pmu, lp, event->event, side, event->mask_bits);
            if (escr_index != NO_ESCR && !add_event(block, event, escr_index)) {
                return false;
            }
        }
    }
    return true;
}

/* Does the next count of this counter change its value and nothing else, unless it overflows? */
static bool only_counts(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    return !(counter->cccr & CCCR_FORCE_OVF) && counter->request != REQUEST_NEXT_COUNT &&
           !(counter->request == REQUEST_STANDING && pmu->choices.pmi_every_count);
}

/* Do the counters of this ESCR add up what it gets, and have room for it? */
static bool adds_up(const struct nbpmu *pmu, const struct hit *hit)
{
    uint32_t counters = pmu->selected_by[hit->escr_index];
    if (hit->most > NBPMU_VALUE_MAX || (counters & pmu->every_clock)) {
        return false;
    }
    for (unsigned n = 0; counters >> n; n++) {
        const struct nbpmu_counter *counter = &pmu->counter[n];
        if ((counters >> n & 1) && ((counter->cccr & CCCR_COMPARE) || !only_counts(pmu, counter) ||
                                    nbpmu_distance_to_carry(pmu, n) < hit->total)) {
            return false;
        }
    }
    return true;
}

/* May the clocks pass for the counters to which each matters? They get none of the events, so each clock adds
 * at most 1 to them. Quiet clocks have been found to be harmless before. */
static bool clocks_are_harmless(struct nbpmu *pmu, uint64_t clocks)
{
    if (clocks <= pmu->head.quiet) {
        return true;
    }
    nbpmu_sync(pmu);
    for (unsigned n = 0; pmu->every_clock >> n; n++) {
        const struct nbpmu_counter *counter = &pmu->counter[n];
        if ((pmu->every_clock >> n & 1) &&
            (counter->early || !only_counts(pmu, counter) || nbpmu_distance_to_carry(pmu, n) < clocks)) {
            return false;
        }
    }
    return true;
}

/* nbpmu_block_fits(). What each ESCR gets goes into the block. */
static bool fits(struct block *block, struct nbpmu *pmu, unsigned lp, uint64_t clocks,
                 const struct nbpmu_block_event *events, unsigned count)
{
    assert(lp < NBPMU_LPS && clocks > 0);
    block->pmu = pmu;
    block->hits = 0;
    if (!nbpmu_faulty(pmu, FAULT_NONE) || count > NBPMU_BLOCK_EVENTS || nbpmu_active_count(pmu) == 0) {
        return false;
    }
    add_posted(block);
    if (!add_events(block, lp, events, count)) {
        return false;
    }
    for (unsigned i = 0; i < block->hits; i++) {
        if (!adds_up(pmu, &block->hit[i])) {
            return false;
        }
    }
    return clocks_are_harmless(pmu, clocks);
}

bool nbpmu_block_fits(struct nbpmu *pmu, unsigned lp, uint64_t clocks, const struct nbpmu_block_event *events,
                      unsigned count)
{
    struct block block;
    return fits(&block, pmu, lp, clocks, events, count);
}

/* The counters of this ESCR count what it gets, if their gates are open (R18) and a thread-independent event
 * qualifies (R13). */
static void count_hit(struct nbpmu *pmu, const struct hit *hit)
{
    const struct nbpmu_escr *escr = &pmu->escr[hit->escr_index];
    if (nbpmu_has_ht(pmu) && nbpmu_is_ti(pmu, escr->event) && !nbpmu_qualify_clock(pmu, escr)) {
        return;
    }
    uint32_t counters = pmu->selected_by[hit->escr_index];
    for (unsigned n = 0; counters >> n; n++) {
        struct nbpmu_counter *counter = &pmu->counter[n];
        if ((counters >> n & 1) && nbpmu_gate_open(pmu, counter->cccr, nbpmu_active_count(pmu))) {
            counter->value += hit->total;
        }
    }
}

/* The clocks pass without the events, which are counted afterwards: neither changes anything for the other.
 */
bool nbpmu_take_block(struct nbpmu *pmu, unsigned lp, uint64_t clocks, const struct nbpmu_block_event *events,
                      unsigned count)
{
    struct block block;
    if (!fits(&block, pmu, lp, clocks, events, count)) {
        return false;
    }
    nbpmu_drop_posts(pmu);
    unsigned raised = nbpmu_advance(pmu, clocks);
    assert(!raised);
    (void)raised;
    for (unsigned i = 0; i < block.hits; i++) {
        count_hit(pmu, &block.hit[i]);
    }
    return true;
}
