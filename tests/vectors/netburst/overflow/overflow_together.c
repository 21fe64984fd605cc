/*
 * Overflows of several counters in one clock (18.15.5.5; R27 to R29).
 *
 * Each counter has an OVF of its own, so counters that overflow in the same clock set as many OVFs, and no
 * other one. Three ways lead to the same clock:
 *   - counters of a block, on one ESCR or on both of a pair, count the same event, and presets that are
 *     measured first let the same occurrence overflow them: any two, any three, all;
 *   - calls and jumps are counted at retirement by the IQ block and by type by the MS block, where the
 * presets are shifted against each other until any small distance between the two is covered;
 *   - with ACTIVE_THREAD = both, all 18 counters begin to count clocks when the other logical processor
 * wakes. An OVF that is missing was lost to the other overflow; one too many was set on the wrong counter.
 */
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/companion.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define WORK 100 /* occurrences */

static uint32_t bit(unsigned counter)
{
    return 1u << counter;
}

/* ---- Counters of one block ---- */

static const struct measured *first_on_escr(const struct measurement *g, const struct measured *c)
{
    const struct measured *first = g->of;

    while (first->p.escr_msr != c->p.escr_msr)
        first++;
    return first;
}

/*
 * Let the counters of `members` reach 0 half-way through the workload, `shift` counts later; the others begin
 * at 0. `events` says how much each counter counts in all. Twins see the same events, but the edge filters
 * that a stimulus wants may start differently (R25).
 */
static void overflow_members(struct measurement *g, const struct workload *work, const uint64_t events[],
                             uint32_t members, int shift)
{
    for (unsigned i = 0; i < g->counters; i++) {
        struct measured *c = &g->of[i];
        c->preset = members & bit(c->p.counter) ? COUNTER_OVERFLOW_IN((int64_t)events[i] / 2 + shift) : 0;
    }
    measure(g, work, WORK);
    expect_register(RULES(R29, R28), members, overflows(),
                    "OVFs, one bit a counter, when these overflow together");
    for (unsigned i = 0; i < g->counters; i++) {
        const struct measured *c = &g->of[i], *first = first_on_escr(g, c);
        const uint64_t counted = counts_of(first), edge = c->p.cccr & CCCR_EDGE ? 1 : 0;

        expect_near(RULES(R27, R6), counted, edge, counts_of(c),
                    "counts of counter %u, against counter %u on its ESCR; overflowing: %5H", c->p.counter,
                    first->p.counter, members);
    }
}

static void measure_from_0(struct measurement *g, const struct workload *work, uint64_t events[PMC_COUNTERS])
{
    for (unsigned i = 0; i < g->counters; i++)
        g->of[i].preset = 0;
    measure(g, work, WORK);
    for (unsigned i = 0; i < g->counters; i++)
        events[i] = counts_of(&g->of[i]);
}

/* Add the counters of `which` that the stimulus reaches. */
static struct measurement group_of(enum stimulus_id id, uint32_t which)
{
    struct measurement g = {.counters = 0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!(which & bit(n)) || !stimulus_reaches(id, n) || counter_is_dead(n))
            continue;
        const struct pmc_programming p = stimulus_program(id, n);
        measure_add(&g, &p, 0);
    }
    return g;
}

/* Any two and any three of these counters, and all. */
static void overflow_sets(enum stimulus_id id, uint32_t which)
{
    struct measurement g = group_of(id, which);
    uint64_t events[PMC_COUNTERS];

    if (g.counters < 2)
        return;
    stimulus_prepare(id);
    measure_from_0(&g, STIMULUS[id].work, events);
    for (uint32_t set = 0; set < 1u << g.counters; set++) {
        uint32_t members = 0;
        unsigned size = 0;
        for (unsigned i = 0; i < g.counters; i++) {
            members |= set >> i & 1 ? bit(g.of[i].p.counter) : 0;
            size += set >> i & 1;
        }
        if (size == 2 || size == 3 || size == g.counters)
            overflow_members(&g, STIMULUS[id].work, events, members, 0);
    }
    stimulus_finish(id);
}

static void in_a_block(void)
{
    overflow_sets(STIMULUS_CLOCKS, FIELD_MASK(1, 0));
    overflow_sets(STIMULUS_CLOCKS, FIELD_MASK(3, 2));
    if (paging_on())
        overflow_sets(STIMULUS_UNCACHED_READS, FIELD_MASK(3, 0));
    overflow_sets(STIMULUS_CALLS, FIELD_MASK(7, 4));
    overflow_sets(STIMULUS_PACKED_SP, FIELD_MASK(11, 8));
    overflow_sets(STIMULUS_TAKEN, FIELD_MASK(17, 12));
}

/* ---- Branches, in two blocks ---- */

#define SHIFTS 8 /* counts by which the two blocks may see a branch apart */

/* The counters on TBPU_ESCR0 and CRU_ESCR2, or on TBPU_ESCR1 and CRU_ESCR3. */
static void branches_of_side(unsigned side)
{
    struct measurement g = {.counters = 0};
    uint64_t events[PMC_COUNTERS];
    uint32_t members = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming p;
        if (PMC_COUNTER[n].side != side ||
            (!pmc_program(&p, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, escr_self_all(), n) &&
             !pmc_program(&p, EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL | BRANCH_TYPE_CONDITIONAL,
                          escr_self_all(), n)))
            continue;
        measure_add(&g, &p, 0);
        members |= bit(n);
    }
    measure_from_0(&g, &work_call, events);
    for (int shift = -SHIFTS; shift <= SHIFTS; shift++) {
        uint64_t shifted[PMC_COUNTERS];
        for (unsigned i = 0; i < g.counters; i++)
            shifted[i] = events[i] + (PMC_COUNTER[g.of[i].p.counter].block == BLOCK_MS ? 2 * shift : 0);
        overflow_members(&g, &work_call, shifted, members, 0);
    }
}

static void in_two_blocks(void)
{
    branches_of_side(0);
    branches_of_side(1);
}

/* ---- All counters: clocks ---- */

#define CLOCKS    1000
#define LAPS      60 /* of the sibling: 67 instructions each, three a clock at most, so more clocks than that */
#define SETTLE_US 50 /* within this time a logical processor that executes HLT has halted */
#define SKEW      64 /* clocks by which the ACTIVE_THREAD gates of two counters may open and close apart */

/* Count the clocks in which both logical processors are active, on each counter, by COMPLEMENT and threshold
 * 15 (R16). Returns the OVFs. */
static uint32_t count_clocks(struct measurement *m)
{
    pmc_stop_all();
    delay_us(SETTLE_US);
    measure_start(m);
    companion_spin();
    companion_wait_laps(LAPS);
    companion_end();
    delay_us(SETTLE_US);
    const uint32_t set = overflows();
    measure_stop(m);
    return set;
}

/* Do all counters count the same, but for SKEW? */
static bool agree(const struct measurement *m)
{
    uint64_t least = COUNTER_MASK, most = 0;

    for (unsigned i = 0; i < m->counters; i++) {
        const uint64_t count = counts_of(&m->of[i]);

        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    return most - least <= SKEW;
}

/* The counters of `members` overflow. */
static void overflow_clocks(struct measurement *m, uint32_t members)
{
    uint32_t set;
    unsigned tries = 0;

    for (unsigned i = 0; i < m->counters; i++)
        m->of[i].preset = members & bit(m->of[i].p.counter) ? COUNTER_OVERFLOW_IN(CLOCKS) : 0;
    do { /* what wakes a processor too early opens the gate too early */
        set = count_clocks(m);
        if (set == members && agree(m))
            return;
    } while (++tries < LONG_TRIES);
    expect_register(RULES(R29, R28), members, set,
                    "OVFs, one bit a counter, when these overflow in one clock");
    for (unsigned i = 0; i < m->counters; i++)
        expect_near(RULES(R27, R18), counts_of(&m->of[0]), SKEW, counts_of(&m->of[i]),
                    "clocks on counter %u while both logical processors are active, against counter %u",
                    m->of[i].p.counter, 0);
}

/* All counters, then those whose number has a certain bit, and those whose number does not have it: any two
 * overflow together, and any one does without any other. */
static void in_all_blocks(void)
{
    const uint32_t present = counter_is_dead(1) ? ALL_COUNTERS & ~bit(1) : ALL_COUNTERS;
    struct measurement m = {.counters = 0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming p = stimulus_program(stimulus_a(n), n);

        pmc_set_active_thread(&p, ACTIVE_BOTH);
        p.cccr |= at_or_below(15);
        if (present & bit(n))
            measure_add(&m, &p, 0);
    }
    overflow_clocks(&m, present);
    for (unsigned b = 0; b < 5; b++) {
        uint32_t with = 0;
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            with |= n >> b & 1 ? bit(n) : 0;
        overflow_clocks(&m, with & present);
        overflow_clocks(&m, ~with & present);
    }
}

static const struct vector overflow_together_rows[] = {
    CHECK("overflow.together.block",
          "two, three and all counters of a block overflow at once: each sets its OVF", .needs = NEED_SSE2,
          .deadline_ms = 5000, .run = in_a_block),
    CHECK("overflow.together.blocks", "counters of the MS and the IQ block overflow at once",
          .deadline_ms = 5000, .run = in_two_blocks),
    CHECK("overflow.together.clock", "all counters overflow in one clock: each sets its OVF, and no other",
          .also = "R16", .needs = NEED_SIBLING, .deadline_ms = 5000, .run = in_all_blocks),
};
VECTOR_GROUP(overflow_together);
