/*
 * Which counters and events take part in a row of the covering array.
 */
#include "pairs_life.h"

#include "kernel/run/finish.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/machine.h"

#define FAR_COUNTS  (1ull << 30)
#define BIT_32      (1ull << 32)
#define FORCED_NEAR 150 /* after half of most work, so that FORCE_OVF shows before */
#define E20_COUNTS  10  /* a preset nearer to 0 may overflow early (E20) */

/* Who works: a logical processor, 0 or 1. */
static unsigned worker_of(const struct pairs_row *row)
{
    return smp_self() ^ (pairs_has(row, WORKER, SIBLING) ? 1u : 0u);
}

/* ---- What S counts ---- */

/* Uops retire several in a clock. */
static const struct stimulus UOPS = {
    .name = "uops_retired", .event = EVENT_UOPS_RETIRED, .mask = UOPS_RETIRED_NBOGUS, .work = &work_call};

static const struct stimulus *event_of(const struct pairs_row *row)
{
    if (pairs_has(row, EVENT, SEVERAL))
        return &UOPS;
    if (PMC_COUNTER[row->counter].block == BLOCK_BPU && pairs_has(row, EVENT, SINGLE))
        return &STIMULUS[STIMULUS_UNCACHED_READS];
    return &STIMULUS[stimulus_a(row->counter)];
}

static const uint32_t FILTER[] = {
    [PAIR_FILTER_NONE] = 0,
    [PAIR_FILTER_INERT] = CCCR_COMPLEMENT | CCCR_THRESHOLD(5) | CCCR_EDGE,
    [PAIR_FILTER_ABOVE_0] = CCCR_COMPARE,
    [PAIR_FILTER_ABOVE_1] = CCCR_COMPARE | CCCR_THRESHOLD(1),
    [PAIR_FILTER_ABOVE_3] = CCCR_COMPARE | CCCR_THRESHOLD(3),
    [PAIR_FILTER_ABOVE_15] = CCCR_COMPARE | CCCR_THRESHOLD(15),
    [PAIR_FILTER_AT_MOST_0] = CCCR_COMPARE | CCCR_COMPLEMENT,
    [PAIR_FILTER_AT_MOST_15] = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15),
    [PAIR_FILTER_RISING] = CCCR_COMPARE | CCCR_EDGE,
    [PAIR_FILTER_FALLING] = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_EDGE,
};

static const uint8_t ACTIVE[] = {
    [PAIR_ACTIVE_ANY] = ACTIVE_ANY,
    [PAIR_ACTIVE_SINGLE] = ACTIVE_SINGLE,
    [PAIR_ACTIVE_BOTH] = ACTIVE_BOTH,
    [PAIR_ACTIVE_NONE] = ACTIVE_NONE,
};

static const uint32_t PMI[] = {
    [PAIR_PMI_NONE] = 0,
    [PAIR_PMI_T0] = CCCR_OVF_PMI_T0,
    [PAIR_PMI_T1] = CCCR_OVF_PMI_T1,
    [PAIR_PMI_BOTH] = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1,
};

static uint32_t flags_of(unsigned lp, bool os, bool usr)
{
    return lp == smp_self() ? escr_self(os, usr) : escr_sibling(os, usr);
}

static uint32_t flags(const struct pairs_row *row)
{
    const unsigned worker = worker_of(row);

    switch (row->level[FEATURE_FLAGS]) {
    case PAIR_FLAGS_OS:
        return flags_of(worker, true, false);
    case PAIR_FLAGS_USR:
        return flags_of(worker, false, true);
    case PAIR_FLAGS_NONE:
        return 0;
    case PAIR_FLAGS_OTHER:
        return flags_of(worker ^ 1, true, true);
    default:
        return flags_of(worker, true, true);
    }
}

/* The event of a stimulus without its usual filter. */
static struct pmc_programming bare(const struct stimulus *event, unsigned counter, uint32_t cpl)
{
    struct pmc_programming p;

    if (!pmc_program(&p, event->event, event->mask, cpl, counter))
        bail_out("%s cannot be counted on counter %u", event->name, counter);
    return p;
}

static bool is_complemented(const struct pairs_row *row)
{
    return pairs_has(row, FILTER, AT_MOST_0) || pairs_has(row, FILTER, AT_MOST_15) ||
           pairs_has(row, FILTER, FALLING);
}

/* The value of a clock is 1 all the time, or it does not matter. */
static bool follows_from_plain(const struct pairs_row *row)
{
    switch (row->level[FEATURE_FILTER]) {
    case PAIR_FILTER_NONE:
    case PAIR_FILTER_INERT:
    case PAIR_FILTER_ABOVE_15:
        return true;
    case PAIR_FILTER_ABOVE_0:
    case PAIR_FILTER_ABOVE_1:
    case PAIR_FILTER_ABOVE_3:
        return pairs_has(row, EVENT, CLOCKS);
    default:
        return false;
    }
}

/* ---- Who else takes part ---- */

static bool is_link(const struct pairs_life *life, unsigned counter)
{
    return (int)counter == life->links.x || (int)counter == life->links.z;
}

static void choose_twins(struct pairs_life *life)
{
    const struct pmc_escr *escr = pmc_escr_at(life->s.escr_msr);
    const uint32_t cpl = life->s.escr & ESCR_CPL_MASK;
    bool has_twin = false;

    for (unsigned i = 0; i < escr->counter_count; i++) {
        unsigned n = escr->counters[i];
        if (n == life->row.counter || is_link(life, n))
            continue;
        if (!has_twin) {
            life->t = bare(life->event, n, cpl);
            has_twin = true;
        } else {
            life->plain = bare(life->event, n, cpl);
            life->has_plain = true;
        }
    }
    if (!life->twin_is_plain)
        life->t.cccr |= FILTER[life->row.level[FEATURE_FILTER]];
}

/* X and Z count an event of another ESCR than S. */
static void choose_links(struct pairs_life *life)
{
    const uint32_t cpl = flags_of(worker_of(&life->row), true, true);

    life->x_event = life->event == &STIMULUS[STIMULUS_TAKEN] ? &STIMULUS[STIMULUS_INSTRUCTIONS]
                                                             : &STIMULUS[stimulus_a(life->row.counter)];
    if (life->links.x != PMC_NONE)
        life->x = bare(life->x_event, (unsigned)life->links.x, cpl);
    if (life->links.z != PMC_NONE)
        life->z = bare(life->x_event, (unsigned)life->links.z, cpl);
}

/* A counter of the block on the other side, S's partner or not, that has nothing else to do. */
static unsigned on_other_side(const struct pairs_life *life, bool partner)
{
    const struct pmc_counter *s = &PMC_COUNTER[life->row.counter];
    unsigned found = PMC_COUNTERS;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (PMC_COUNTER[n].block != s->block || PMC_COUNTER[n].side == s->side || is_link(life, n))
            continue;
        if (found == PMC_COUNTERS || ((int)n == s->cascade_from) == partner)
            found = n;
    }
    return found;
}

/* A disturber counts all clocks (R16), so it overflows as soon as it is enabled. */
static void choose_disturber(struct pairs_life *life)
{
    unsigned n;

    switch (life->row.level[FEATURE_MEANWHILE]) {
    case PAIR_MEANWHILE_PAIR:
        n = on_other_side(life, true);
        break;
    case PAIR_MEANWHILE_BLOCK:
        n = on_other_side(life, false);
        break;
    case PAIR_MEANWHILE_ELSEWHERE:
        n = life->row.counter < 12 ? life->row.counter + 6u : life->row.counter - 8u;
        break;
    default:
        return;
    }
    life->disturber = bare(&STIMULUS[stimulus_a(n)], n, 0);
    life->disturber.cccr |= at_or_below(15);
    life->disturbed = true;
}

/* ---- All together ---- */

uint64_t pairs_preset(const struct pairs_row *row, uint64_t counted)
{
    switch (row->level[FEATURE_PRESET]) {
    case PAIR_PRESET_NEAR:
        return COUNTER_OVERFLOW_IN(pairs_has(row, FORCE, ON) ? FORCED_NEAR : PAIRS_NEAR);
    case PAIR_PRESET_LAST:
        return COUNTER_OVERFLOW_IN(counted <= E20_COUNTS ? FAR_COUNTS : counted);
    case PAIR_PRESET_BIT_32: /* after what happens half way */
        return BIT_32 - (counted - counted / 4);
    default:
        return COUNTER_OVERFLOW_IN(FAR_COUNTS);
    }
}

/* Occurrences in each half. A loop or a straight line costs less than a call or a slow read. */
static uint32_t half_of_work(const struct stimulus *event)
{
    return event->work == &work_nop || event->work == &work_jmp ? 300 : 100;
}

void pairs_arrange(struct pairs_life *life, const struct pairs_row *row)
{
    *life = (struct pairs_life){.row = *row, .links = pairs_links_of(row)};
    life->event = event_of(row);
    life->n = half_of_work(life->event);
    life->complemented = is_complemented(row);
    life->twin_is_plain = follows_from_plain(row);
    life->s = bare(life->event, row->counter, flags(row));
    life->s.cccr |= FILTER[row->level[FEATURE_FILTER]] | PMI[row->level[FEATURE_PMI]] |
                    (pairs_has(row, FORCE, ON) ? CCCR_FORCE_OVF : 0);
    pmc_set_active_thread(&life->s, ACTIVE[row->level[FEATURE_ACTIVE]]);
    choose_twins(life);
    choose_links(life);
    choose_disturber(life);
    life->preset = pairs_preset(row, 0);
}
