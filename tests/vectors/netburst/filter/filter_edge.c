/*
 * Filtering: edges (18.15.5.2; R23 to R25).
 *
 * A level that never changes has at most one rising edge, also while ESCRs are written that its counter does
 * not select. A level that rises once has exactly one, and between two rising edges of a level lies one of
 * its complement. The levels: global_power_events is 1 in every clock of a running processor, and rises when
 * it wakes; the retirement of instructions rises once after each CPUID, which serialises.
 */
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"

#define WORK        CCCR_WORK
#define HIGHEST     15 /* the highest threshold */
#define TWIN_WRITES 8  /* of an ESCR that the counter does not select */

/* Counts may differ by what happens between two starts or two stops: far fewer edges than clocks. */
#define WINDOW_SKEW_EDGE 32
#define WINDOW_SKEW_UOPS 400 /* a WRMSR of some thousand clocks lies between two starts and two stops */

static uint64_t one_filtered(enum pmc_event_id event, uint16_t mask, unsigned counter, uint32_t filter,
                             const struct workload *work, uint32_t n)
{
    struct measurement m = {.counters = 0};

    measure_add_event(&m, event, mask, counter, filter);
    measure_by_cccr(&m, work, n);
    return counts_of(&m.of[0]);
}

static void expect_no_second(uint64_t edges, const char *how)
{
    expect_between(R23, 0, 1, edges,
                   "rising edges of a level that is 1 in every clock, %s (R25: the first one is open)", how);
}

/* The same level while the other ESCR of the unit, which the counter does not select, is written. */
static void edge_beside_writes(void)
{
    struct measurement m = {.counters = 0};
    const struct pmc_programming other = stimulus_program(STIMULUS_CLOCKS, 0);

    measure_add_event(&m, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 3, above(0) | CCCR_EDGE);
    pmc_clear(&machine_cpu);
    bool were_on = irq_off();
    measure_start(&m);
    for (unsigned i = 0; i < TWIN_WRITES; i++) {
        work_exercise(&work_loop, WORK / TWIN_WRITES);
        msr_write(other.escr_msr, i % 2 ? 0 : other.escr);
    }
    measure_stop(&m);
    irq_restore(were_on);
    expect_no_second(counts_of(&m.of[0]), "while the other ESCR of the unit is written");
}

static void edge_constant(void)
{
    uint64_t edges = one_filtered(EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 3, above(0) | CCCR_EDGE,
                                  &work_loop, WORK);
    expect_no_second(edges, "alone");
    edge_beside_writes();
}

#define PULSES     200
#define FEW_PULSES 40 /* of the shorter run, whose count is subtracted */

/* Returns how many rising edges n CPUIDs make. */
static uint64_t edges_of_pulses(enum pmc_event_id event, uint16_t mask, uint32_t n, uint64_t skew)
{
    struct measurement m = {.counters = 0};

    measure_add_event(&m, event, mask, 12, above(0) | CCCR_EDGE);
    measure_add_event(&m, event, mask, 13, at_or_below(0) | CCCR_EDGE);
    measure_add_event(&m, event, mask, 16, above(HIGHEST) | CCCR_EDGE);
    measure_by_cccr(&m, &work_cpuid, n);
    /* Between two rising edges of a level lies one of its complement. */
    const uint64_t level = counts_of(&m.of[0]), complement = counts_of(&m.of[1]);
    expect_between(R23, complement > skew ? complement - skew : 0, complement + skew, level,
                   "rising edges of the level against those of its complement");
    expect_equal(R22, 0, counts_of(&m.of[2]), "rising edges of a value above 15");
    return level;
}

/*
 * CPUID serialises, so between two of them there are clocks in which nothing retires: the level of retiring
 * instructions rises once for each. Several uops in one clock are one edge, too.
 */
static void edge_alternating(void)
{
    uint64_t few = edges_of_pulses(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, FEW_PULSES, WINDOW_SKEW_EDGE);
    uint64_t many =
        edges_of_pulses(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, FEW_PULSES + PULSES, WINDOW_SKEW_EDGE);
    expect_near(RULES(R23, R24), PULSES, WINDOW_SKEW_EDGE, many - few, "rising edges of %u more CPUIDs",
                PULSES);
    uint64_t of_uops = edges_of_pulses(EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, PULSES, WINDOW_SKEW_UOPS);
    expect_true(RULES(R23, R24), of_uops >= PULSES, "%llu rising edges of the uops of %u CPUIDs", of_uops,
                PULSES);
}

/*
 * A level may glitch while a logical processor halts or wakes (F22), and a logical processor may take some
 * time to halt.
 */
#define GLITCHES  16
#define SETTLE_US 50

/* Rising edges counted so far, read with the sibling halted, awake, halted, awake, halted. */
enum { WAKES = 2, WAKE_STATES = 1 + 2 * WAKES };

static void count_wakes(const struct pmc_programming *p, uint64_t edges[WAKE_STATES])
{
    delay_us(SETTLE_US);
    pmc_arm(p, 0);
    pmc_start(p);
    edges[0] = pmc_read(p->counter);
    for (unsigned wake = 0; wake < WAKES; wake++) {
        companion_spin();
        edges[1 + 2 * wake] = pmc_read(p->counter);
        companion_end();
        delay_us(SETTLE_US);
        edges[2 + 2 * wake] = pmc_read(p->counter);
    }
    pmc_stop_all();
}

static void expect_edge(bool due, uint64_t before, uint64_t now, const char *level, const char *when)
{
    expect_between(R23, before + due, before + due + GLITCHES, now,
                   "rising edges of %s, %s; glitches allowed (F22)", level, when);
}

/* When the other logical processor wakes, its level rises and stays. When it halts, the complement rises. */
static void edge_wake(void)
{
    struct pmc_programming p;
    uint64_t level[WAKE_STATES], complement[WAKE_STATES];

    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_sibling(true, true), 3);
    p.cccr |= above(0) | CCCR_EDGE;
    count_wakes(&p, level);
    p.cccr |= CCCR_COMPLEMENT;
    count_wakes(&p, complement);
    expect_equal(RULES(R23, R22), 0, level[0], "rising edges while the sibling is halted");
    /* The complement is true from the start: whether that is an edge is open (R25). */
    expect_between(R23, 0, 1 + ACCESSES_ADD, complement[0],
                   "rising edges of the complement while the sibling is halted");
    for (unsigned i = 1; i < WAKE_STATES; i++) {
        const bool awake = i % 2 == 1;
        const char *when = awake ? "the sibling having woken" : "the sibling halted again";
        expect_edge(awake, level[i - 1], level[i], "the level", when);
        expect_edge(!awake, complement[i - 1], complement[i], "the complement", when);
    }
}

static const struct vector filter_edge_rows[] = {
    CHECK("filter.edge.constant", "a level that never changes has no second rising edge", .also = "R25",
          .deadline_ms = 2000, .run = edge_constant),
    CHECK("filter.edge.alternating", "one rising edge for each pulse, as many of the complement",
          .deadline_ms = 2000, .run = edge_alternating),
    CHECK("filter.edge.wake", "a rising edge each time the other logical processor wakes", .also = "R12 R24",
          .needs = NEED_SIBLING, .deadline_ms = 5000, .run = edge_wake),
};
VECTOR_GROUP(filter_edge);
