/*
 * What a row of the covering array asks for: the row decoded, adapted to the machine, and in words; and which
 * counters and events take part in it.
 */
#include "pairs_row.h"

#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/run/finish.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "pmc/netburst/map.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/machine.h"

#define FAR_COUNTS  (1ull << 30)
#define BIT_32      (1ull << 32)
#define FORCED_NEAR 150 /* beyond half of most work, so that FORCE_OVF shows before this overflow */
#define E20_COUNTS  10  /* a preset nearer to 0 may overflow early (E20) */

/* ---- The row ---- */

#define PAIRS_NO_FEATURE(feature, words)
#define PAIRS_WORDS(feature, name, words)      words,
#define PAIRS_FEATURE_OF(feature, name, words) FEATURE_##feature,
static const char *const WORDS[] = {PAIRS(PAIRS_NO_FEATURE, PAIRS_WORDS)};
static const uint8_t FEATURE_OF[] = {PAIRS(PAIRS_NO_FEATURE, PAIRS_FEATURE_OF)};

const struct pairs_table *pairs_table_of(unsigned counter)
{
    switch (PMC_COUNTER[counter].block) {
    case BLOCK_BPU:
        return &PAIRS_BPU;
    case BLOCK_IQ:
        return &PAIRS_IQ;
    default:
        return &PAIRS_MS_FLAME;
    }
}

static unsigned first_of_block(unsigned counter)
{
    unsigned first = counter;

    while (first > 0 && PMC_COUNTER[first - 1].block == PMC_COUNTER[counter].block)
        first--;
    return first;
}

#define BECOMES(feature, name) row->level[FEATURE_##feature] = PAIR_##feature##_##name

/* What needs the second logical processor, or Hyper-Threading. */
static void adapt_threads(struct pairs_row *row)
{
    if (machine_meets() & NEED_SIBLING)
        return;
    BECOMES(WORKER, THIS);
    BECOMES(OTHER, HALTED);
    BECOMES(ACTIVE, ANY); /* R19 */
    if (pairs_has(row, FLAGS, OTHER))
        BECOMES(FLAGS, ALL);
    if (pairs_has(row, MEANWHILE, INIT) || pairs_has(row, MEANWHILE, ACCESS))
        BECOMES(MEANWHILE, NOTHING);
    if (machine_cpu.ht)
        return;
    if (pairs_has(row, PMI, T1))
        BECOMES(PMI, NONE);
    else if (pairs_has(row, PMI, BOTH))
        BECOMES(PMI, T0);
}

/* On the parts of E10 bus events do not depend on the privilege level (R14), and FSB_ESCR1 has none. A Xeon
 * 7100 has none at all. */
static void adapt_bus(struct pairs_row *row)
{
    if (PMC_COUNTER[row->counter].block != BLOCK_BPU)
        return;
    if (machine_has_erratum(PMC_E10))
        BECOMES(FLAGS, ALL);
    if (!machine_cpu.ioq || (machine_has_erratum(PMC_E10) && PMC_COUNTER[row->counter].side == 1))
        BECOMES(EVENT, CLOCKS);
}

static void adapt_links(struct pairs_row *row)
{
    if (pairs_links_of(row).x == PMC_NONE)
        BECOMES(STARTED, ENABLE);
    else if (pairs_has(row, STARTED, CHAIN) && pairs_links_of(row).z == PMC_NONE)
        BECOMES(STARTED, CASCADE);
}

static void adapt(struct pairs_row *row)
{
    adapt_threads(row);
    adapt_bus(row);
    if (!(machine_meets() & NEED_EXTENDED_CASCADE) && pairs_has(row, STARTED, BIT_11))
        BECOMES(STARTED, CASCADE);
    adapt_links(row);
    if (!(machine_meets() & NEED_LAPIC)) {
        BECOMES(PMI, NONE);
        BECOMES(LVTPC, MASKED);
        if (pairs_has(row, MEANWHILE, HLT))
            BECOMES(MEANWHILE, NOTHING);
    }
}

bool pairs_row_of(const struct pairs_table *table, unsigned index, unsigned counter, struct pairs_row *row)
{
    uint32_t word = table->rows[index];

    for (unsigned f = 0; f < PAIRS_FEATURES; f++) {
        row->level[f] = (uint8_t)(word & ((1u << PAIRS_WIDTH[f]) - 1));
        word >>= PAIRS_WIDTH[f];
    }
    if (first_of_block(counter) + word != counter)
        return false;
    row->counter = (uint8_t)counter;
    row->number = (uint16_t)(index + 1);
    adapt(row);
    return true;
}

void pairs_words(const struct pairs_row *row, char *out, size_t size)
{
    size_t length = 0;
    unsigned level = 0;

    out[0] = '\0';
    for (unsigned i = 0; i < COUNT_OF(WORDS); i++) {
        level = i > 0 && FEATURE_OF[i] == FEATURE_OF[i - 1] ? level + 1 : 0;
        if (level > 0 && row->level[FEATURE_OF[i]] == level && length < size)
            length += format(out + length, size - length, "%s%s", length > 0 ? ", " : "", WORDS[i]);
    }
}

/* The counter that starts n by CASCADE. Who starts 17 is open (10.2). */
static int8_t cascades(unsigned n)
{
    return PMC_COUNTER[n].cascade_from_alternative == PMC_NONE ? PMC_COUNTER[n].cascade_from : PMC_NONE;
}

static int8_t extends(unsigned n)
{
    return machine_meets() & NEED_EXTENDED_CASCADE ? PMC_COUNTER[n].extended_from : PMC_NONE;
}

/* X and Z of a chain: by CASCADE or bit 11 each, and Z is not the counter itself. */
static struct pairs_links chain_to(unsigned n)
{
    for (unsigned way = 0; way < 4; way++) {
        struct pairs_links links = {.by_bit_11 = way & 1, .x_by_bit_11 = way & 2};
        links.x = links.by_bit_11 ? extends(n) : cascades(n);
        links.z = links.x == PMC_NONE ? PMC_NONE
                  : links.x_by_bit_11 ? extends((unsigned)links.x)
                                      : cascades((unsigned)links.x);
        if (links.z != PMC_NONE && links.z != (int)n)
            return links;
    }
    return (struct pairs_links){.x = cascades(n), .z = PMC_NONE};
}

struct pairs_links pairs_links_of(const struct pairs_row *row)
{
    switch (row->level[FEATURE_STARTED]) {
    case PAIR_STARTED_CASCADE:
        return (struct pairs_links){.x = cascades(row->counter), .z = PMC_NONE};
    case PAIR_STARTED_BIT_11:
        return (struct pairs_links){.x = extends(row->counter), .z = PMC_NONE, .by_bit_11 = true};
    case PAIR_STARTED_CHAIN:
        return chain_to(row->counter);
    default:
        return (struct pairs_links){.x = PMC_NONE, .z = PMC_NONE};
    }
}

bool pairs_lvtpc_open(const struct pairs_row *row, unsigned lp)
{
    if (pairs_has(row, LVTPC, MASKED))
        return false;
    return lp == smp_self() || pairs_has(row, WORKER, SIBLING) || pairs_has(row, OTHER, RUNNING);
}

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

/* Does the plain count say what passes the filter? It does where the value is 1 in each clock, or does not
 * matter. */
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
