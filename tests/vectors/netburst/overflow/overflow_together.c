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
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"
#include "tests/suite/sibling.h"
#include "tests/suite/stimulus.h"

#define WORK 100 /* occurrences */

static uint32_t bit(unsigned counter)
{
    return 1u << counter;
}

/* ---- Counters of one block ---- */

static const struct window_counter *first_on_escr(const struct window *g, const struct window_counter *c)
{
    const struct window_counter *first = g->counter;

    while (first->p.escr_msr != c->p.escr_msr)
        first++;
    return first;
}

/*
 * Let the counters of `members` reach 0 half-way through the workload, `shift` counts later; the others begin
 * at 0. `events` says how much each counter counts in all. Twins see the same events, but the edge filters
 * that a stimulus wants may start differently (R25).
 */
static void overflow_members(struct window *g, const struct workload *work, const uint64_t events[],
                             uint32_t members, int shift)
{
    for (unsigned i = 0; i < g->counters; i++) {
        struct window_counter *c = &g->counter[i];
        c->preset = members & bit(c->p.counter) ? COUNTER_OVERFLOW_IN((int64_t)events[i] / 2 + shift) : 0;
    }
    window_measure(g, work, WORK);
    expect_register(RULES(R29, R28), members, window_overflows(),
                    "OVFs, one bit a counter, when these overflow together");
    for (unsigned i = 0; i < g->counters; i++) {
        const struct window_counter *c = &g->counter[i], *first = first_on_escr(g, c);
        const uint64_t counted = window_counted(first), edge = c->p.cccr & CCCR_EDGE ? 1 : 0;

        expect_near(RULES(R27, R6), counted, edge, window_counted(c),
                    "counts of counter %u, against counter %u on its ESCR; overflowing: %5H", c->p.counter,
                    first->p.counter, members);
    }
}

static void measure_from_0(struct window *g, const struct workload *work, uint64_t events[PMC_COUNTERS])
{
    for (unsigned i = 0; i < g->counters; i++)
        g->counter[i].preset = 0;
    window_measure(g, work, WORK);
    for (unsigned i = 0; i < g->counters; i++)
        events[i] = window_counted(&g->counter[i]);
}

/* Add the counters of `which` that the stimulus reaches. */
static struct window group_of(enum stimulus_id id, uint32_t which)
{
    struct window g = {.counters = 0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!(which & bit(n)) || !stimulus_reaches(id, n) || counter_is_dead(n))
            continue;
        const struct pmc_programming p = stimulus_program(id, n);
        window_add(&g, &p, 0);
    }
    return g;
}

/* Any two and any three of these counters, and all. */
static void overflow_sets(enum stimulus_id id, uint32_t which)
{
    struct window g = group_of(id, which);
    uint64_t events[PMC_COUNTERS];

    if (g.counters < 2)
        return;
    stimulus_prepare(id);
    measure_from_0(&g, STIMULUS[id].work, events);
    for (uint32_t set = 0; set < 1u << g.counters; set++) {
        uint32_t members = 0;
        unsigned size = 0;
        for (unsigned i = 0; i < g.counters; i++) {
            members |= set >> i & 1 ? bit(g.counter[i].p.counter) : 0;
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
    struct window g = {.counters = 0};
    uint64_t events[PMC_COUNTERS];
    uint32_t members = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming p;
        if (PMC_COUNTER[n].side != side ||
            (!pmc_program(&p, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, escr_self_all(), n) &&
             !pmc_program(&p, EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL | BRANCH_TYPE_CONDITIONAL,
                          escr_self_all(), n)))
            continue;
        window_add(&g, &p, 0);
        members |= bit(n);
    }
    measure_from_0(&g, &work_call, events);
    for (int shift = -SHIFTS; shift <= SHIFTS; shift++) {
        uint64_t shifted[PMC_COUNTERS];
        for (unsigned i = 0; i < g.counters; i++)
            shifted[i] = events[i] + (PMC_COUNTER[g.counter[i].p.counter].block == BLOCK_MS ? 2 * shift : 0);
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

#define TRIES 5 /* of each set: what wakes a processor too early opens the gate too early */

static struct {
    uint32_t overflows;
    uint64_t counted[PMC_COUNTERS];
    uint64_t least, most;
} clocked;

/* Count the clocks in which both logical processors are active on each counter that is present, by COMPLEMENT
 * and threshold 15 (R16); those of `members` overflow. */
static void count_clocks(const struct pmc_programming clocks[], uint32_t members, uint32_t present)
{
    pmc_stop_all();
    delay_us(SETTLE_US);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!(present & bit(n)))
            continue;
        require_true(R4, pmc_arm(&clocks[n], members & bit(n) ? COUNTER_OVERFLOW_IN(CLOCKS) : 0),
                     "counter %u holds its preset", n);
        pmc_start(&clocks[n]);
    }
    sibling_spin_begin(SIBLING_MASKED);
    sibling_spin_wait(LAPS);
    sibling_spin_end();
    delay_us(SETTLE_US);
    clocked.overflows = window_overflows();
    pmc_stop_all(); /* an access to a counter that selects an event may add to it (E1) */
    clocked.least = COUNTER_MASK;
    clocked.most = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t counted = (pmc_read(n) + (members & bit(n) ? CLOCKS : 0)) & COUNTER_MASK;
        if (!(present & bit(n)))
            continue;
        clocked.counted[n] = counted;
        clocked.least = counted < clocked.least ? counted : clocked.least;
        clocked.most = counted > clocked.most ? counted : clocked.most;
    }
}

static void overflow_clocks(const struct pmc_programming clocks[], uint32_t members, uint32_t present)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        count_clocks(clocks, members, present);
        if (clocked.overflows == members && clocked.most - clocked.least <= SKEW)
            return;
    }
    expect_register(RULES(R29, R28), members, clocked.overflows,
                    "OVFs, one bit a counter, when these overflow in one clock");
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (present & bit(n))
            expect_near(RULES(R27, R18), clocked.counted[0], SKEW, clocked.counted[n],
                        "clocks on counter %u while both logical processors are active, against counter %u",
                        n, 0);
}

/* All counters, then those whose number has a certain bit, and those whose number does not have it: any two
 * overflow together, and any one does without any other. */
static void in_all_blocks(void)
{
    const uint32_t present = counter_is_dead(1) ? WINDOW_ALL & ~bit(1) : WINDOW_ALL;
    struct pmc_programming clocks[PMC_COUNTERS];

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        clocks[n] = stimulus_program(stimulus_a(n), n);
        pmc_set_active_thread(&clocks[n], ACTIVE_BOTH);
        clocks[n].cccr |= at_or_below(15);
    }
    overflow_clocks(clocks, present, present);
    for (unsigned b = 0; b < 5; b++) {
        uint32_t with = 0;
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            with |= n >> b & 1 ? bit(n) : 0;
        overflow_clocks(clocks, with & present, present);
        overflow_clocks(clocks, ~with & present, present);
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
