/*
 * ACTIVE_THREAD while the number of active logical processors changes (18.16.2; R18, R42).
 *
 * A counter with 01B counts the clocks in which exactly one logical processor is active, one with 10B those
 * in which both are, one with 11B both kinds. So of three counters of one ESCR the third counts what the
 * first two count together, however often the sibling halts and wakes between, or this processor does: a
 * counter that decides once, when it is enabled, or that misses a change, breaks the sum. Instructions are
 * counted on the ESCRs of the IQ block, where the sum is exact. Clocks (COMPLEMENT with threshold 15) are
 * counted on all 18 counters, half of them with 01B and half with 10B. The counters of one half must agree
 * but for the clocks between their starts and stops, which come one after the other. While this processor is
 * halted and the sibling runs, all instructions of the sibling are counted, and by 01B.
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/companion.h"
#include "tests/suite/halt.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

/* In round r counter i of a group has role (i + r) % ROLES, so that each has all of them in turn. */
enum role { SINGLE, BOTH, ANY, ROLES };
static const uint8_t ACTIVE_OF[ROLES] = {ACTIVE_SINGLE, ACTIVE_BOTH, ACTIVE_ANY};
static const char *const ROLE_NAME[ROLES] = {"01B", "10B", "11B"};

/* ---- Instructions: three counters on each of two ESCRs ---- */

#define SIDES    2
#define FEW      16  /* instructions in the clocks of the changes, should counters differ there */
#define ALONE    400 /* instructions with the sibling halted, running, and halted again: so many each time */
#define PER_SIDE 3

static const uint8_t TRIPLE[SIDES][PER_SIDE] = {{12, 13, 16}, {14, 15, 17}};

/* Counts by side and role. */
struct partition {
    uint64_t of[SIDES][ROLES];
};

static void open_triples(uint32_t flags, unsigned round)
{
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned i = 0; i < PER_SIDE; i++) {
            struct pmc_programming p;

            pmc_program(&p, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, 0, TRIPLE[side][i]);
            pmc_set_active_thread(&p, ACTIVE_OF[(i + round + side) % ROLES]);
            p.escr = 0;
            pmc_arm(&p, 0);
            pmc_start(&p);
        }
    const uint32_t escr = ESCR_EVENT_SELECT(PMC_EVENT[EVENT_INSTR_RETIRED].select) |
                          ESCR_EVENT_MASK(INSTR_RETIRED_NBOGUS) | flags;
    msr_write(MSR_CRU_ESCR0, escr);
    msr_write(MSR_CRU_ESCR1, escr);
}

static struct partition close_triples(unsigned round)
{
    struct partition p;

    msr_write(MSR_CRU_ESCR0, 0);
    msr_write(MSR_CRU_ESCR1, 0);
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned i = 0; i < PER_SIDE; i++)
            p.of[side][(i + round + side) % ROLES] = pmc_read(TRIPLE[side][i]);
    return p;
}

static void expect_sum(const struct partition *p, unsigned side)
{
    uint64_t sum = p->of[side][SINGLE] + p->of[side][BOTH];

    expect_near(R18, sum, FEW, p->of[side][ANY],
                "instructions with ACTIVE_THREAD = 11B on CRU_ESCR%u, against 01B (%llu) and 10B (%llu)",
                side, p->of[side][SINGLE], p->of[side][BOTH]);
}

/* An SMI wakes a sibling that is halted, for longer than it halts this logical processor. */
static void exercise(const struct workload *work, uint32_t n, uint32_t part)
{
    const struct witness_window window = witness_open();

    work_exercise(work, n);
    witness_close(&window, witness_key(witness_key(part, n), (uint32_t)(uintptr_t)work));
}

/* Do the same work with the sibling halted, running, and halted again. */
static void sibling_between(const struct workload *work, uint32_t n)
{
    exercise(work, n, 0);
    companion_spin();
    exercise(work, n, 1);
    companion_end();
    companion_settle();
    exercise(work, n, 2);
}

static void instructions(unsigned round)
{
    companion_settle();
    open_triples(escr_self_all(), round);
    sibling_between(&work_nop, ALONE);
    struct partition p = close_triples(round);

    for (unsigned side = 0; side < SIDES; side++) {
        expect_sum(&p, side);
        expect_true(R18, p.of[side][SINGLE] >= 2 * ALONE,
                    "01B counts %u instructions with the sibling halted: %llu", 2 * ALONE,
                    p.of[side][SINGLE]);
        expect_true(R18, p.of[side][BOTH] >= ALONE, "10B counts %u instructions with both running: %llu",
                    ALONE, p.of[side][BOTH]);
    }
}

/* ---- Clocks: all counters ---- */

#define LAPS      20000 /* of work_loop; each takes at least a clock */
#define SKEW      9000  /* by how much 18 WRMSRs that start differ from 18 that stop (F1, F2) */
#define HALTED_US 15    /* this logical processor */

/* Even counters have 01B, odd ones 10B; in the second round the other way round. */
static enum role clocks_role(unsigned n, unsigned round)
{
    return (n + round) % 2 == 0 ? SINGLE : BOTH;
}

static void expect_clocks(const uint64_t counts[PMC_COUNTERS], unsigned round, bool dead_1)
{
    const uint64_t alone = counts[2 + round], both = counts[3 - round];

    expect_true(RULES(R18, R16), alone >= 2 * LAPS, "clocks with one of both halted, 01B: %llu", alone);
    expect_true(RULES(R18, R16), both >= LAPS, "clocks with both running, 10B: %llu", both);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t other = counts[n % 2 + 2]; /* counter 1 may be dead (E4) */

        if (n != 1 || !dead_1)
            expect_near(RULES(R18, R16), other, SKEW, counts[n],
                        "clocks of counter %C with ACTIVE_THREAD = %s, against counter %C", n,
                        ROLE_NAME[clocks_role(n, round)], n % 2 + 2);
    }
}

static void count_clocks(void *arg)
{
    struct measurement *m = arg;

    companion_settle();
    measure_start(m);
    sibling_between(&work_loop, LAPS);
    companion_spin();
    halt_for_us(HALTED_US);
    companion_end();
    companion_settle();
    measure_stop(m);
}

/* An SMI among the starts, or the stops, is counted by some of the counters. It makes them longer than they
 * were before. */
static void learn_starts_and_stops(struct measurement *m)
{
    for (unsigned i = 0; i < 2; i++) {
        companion_settle();
        measure_start(m);
        measure_stop(m);
    }
    witness_begin();
}

static void clocks(unsigned round)
{
    struct measurement m = {.counters = 0};
    uint64_t counts[PMC_COUNTERS] = {0};
    const bool dead_1 = counter_is_dead(1);

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming p = stimulus_program(stimulus_a(n), n);

        p.cccr |= at_or_below(15);
        pmc_set_active_thread(&p, ACTIVE_OF[clocks_role(n, round)]);
        if (n != 1 || !dead_1)
            measure_add(&m, &p, 0);
    }
    learn_starts_and_stops(&m);
    undisturbed(count_clocks, &m);
    for (unsigned i = 0; i < m.counters; i++)
        counts[m.of[i].p.counter] = counts_of(&m.of[i]);
    expect_clocks(counts, round, dead_1);
}

static void sibling_wakes(void)
{
    for (unsigned round = 0; round < ROLES; round++) {
        pmc_clear(&machine_cpu);
        instructions(round);
    }
    for (unsigned round = 0; round < 2; round++) {
        pmc_clear(&machine_cpu);
        clocks(round);
    }
}

/* ---- The sibling's instructions, while this processor halts ---- */

#define AWAKE_LAPS 3000

/* Laps of the sibling's loop: at first, when the events are on, when we halt, when we wake, and at last. */
struct laps {
    uint32_t before, on, halt, wake, after;
};

static uint64_t instructions_of(uint32_t laps)
{
    return (uint64_t)laps * SPIN_LAP_INSTRUCTIONS;
}

static void expect_siblings(const struct partition *p, unsigned side, const struct laps *l)
{
    const uint32_t asleep = l->wake - l->halt, awake = l->halt - l->on;

    expect_sum(p, side);
    expect_between(RULES(R42, R27), instructions_of(l->wake - l->on - 1),
                   instructions_of(l->after - l->before + 1), p->of[side][ANY],
                   "the sibling's instructions on CRU_ESCR%u, while LP%u halts and wakes", side, smp_self());
    expect_between(RULES(R18, R42), instructions_of(asleep) / 4, instructions_of(asleep + 2),
                   p->of[side][SINGLE], "with 01B, while LP%u is halted: %u laps", smp_self(), asleep);
    expect_true(R18, p->of[side][BOTH] >= instructions_of(awake - 1),
                "with 10B, while LP%u runs for %u laps: %llu", smp_self(), awake, p->of[side][BOTH]);
}

static void self_halts(void)
{
    struct laps l;

    companion_spin();
    l.before = companion_laps();
    open_triples(escr_sibling(true, true), 0);
    l.on = companion_laps();
    work_exercise(&work_loop, AWAKE_LAPS);
    l.halt = companion_laps();
    halt_for_us(HALTED_US);
    l.wake = companion_laps();
    struct partition p = close_triples(0);
    l.after = companion_laps();
    companion_end();
    for (unsigned side = 0; side < SIDES; side++)
        expect_siblings(&p, side, &l);
}

static const struct vector active_change_rows[] = {
    CHECK("qualify.active.sibling-wakes",
          "01B and 10B make 11B while either logical processor halts and wakes", .needs = NEED_SIBLING,
          .deadline_ms = 2000, .stages = STAGE_FLAGS | STAGE_THREADS, .run = sibling_wakes),
    CHECK("qualify.active.self-halts", "while this processor halts and wakes, the sibling counts on",
          .needs = NEED_SIBLING | NEED_LAPIC, .stages = STAGE_FLAGS | STAGE_THREADS, .run = self_halts),
};
VECTOR_GROUP(active_change);
