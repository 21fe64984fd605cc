/*
 * Filtering: threshold, complement, edge (18.15.5.2; R21 to R26).
 *
 * Two kinds of input are used. global_power_events presents the value 1 in every clock of a running
 * processor, so the outcome of every threshold is known: "greater than" passes at threshold 0 only, "less
 * than or equal" at 1 to
 * 15. uops_retired presents several per clock, unknown in detail, so laws are tested that hold whatever the
 * clocks were:
 *   - above(t) never grows with t, and above(15) = 0;
 *   - above(0) + above(1) + ... + above(14) = the plain count, because a satisfied threshold counts 1, not
 * the value;
 *   - above(t) + at-or-below(t) = all clocks;
 *   - a level that never changes has at most one rising edge, and a level that rises once has exactly one.
 * A law that fails names the threshold: a filter bit that is dead, or a comparison that is off by one.
 */
#include "kernel/board/clock.h"
#include "kernel/smp/smp.h"
#include "tests/suite/count.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/sibling.h"
#include "tests/suite/vector.h"

#define THRESHOLDS 16
#define WORK       COUNTER_GROUP_WORK

/* Counts may differ by what happens between two starts or two stops: far fewer edges than clocks. */
#define WINDOW_SKEW      COUNTER_GROUP_SKEW
#define WINDOW_SKEW_EDGE 32
#define WINDOW_SKEW_UOPS 400 /* a WRMSR of some thousand clocks lies between two starts and two stops */

static const uint8_t THRESHOLD[THRESHOLDS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const struct items every_threshold = ITEMS(THRESHOLD, .name = number_item);

/* Counters 2 and 3 share FSB_ESCR1; 2 counts plainly beside it (counter 1 is left alone: E4). */
static void constant_one(unsigned t, uint32_t filter, bool passes, const char *words)
{
    struct counter_group f = {.work = &work_loop, .n = WORK};
    uint64_t count[COUNTER_GROUP_MAX];

    counter_group_add(&f, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 2, 0);
    counter_group_add(&f, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 3, filter);
    counter_group_run(&f, count);
    if (passes)
        expect_between(count[0] - WINDOW_SKEW, count[0] + WINDOW_SKEW, count[1],
                       "clocks with the value 1 %s %u; plain count, WRMSR skew allowed", words, t);
    else
        expect_equal(0, count[1], "clocks with the value 1 %s %u", words, t);
}

static void threshold_constant(const void *item)
{
    unsigned t = *(const uint8_t *)item;

    constant_one(t, above(t), t < 1, "greater than");
    constant_one(t, at_or_below(t), t >= 1, "less than or equal to");
}

static void threshold_sum(const void *item)
{
    unsigned t = *(const uint8_t *)item;
    struct counter_group f = {.work = &work_loop, .n = WORK};
    uint64_t count[COUNTER_GROUP_MAX];

    counter_group_add(&f, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 12, above(t));
    counter_group_add(&f, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 13, at_or_below(t));
    counter_group_add(&f, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 16, at_or_below(THRESHOLDS - 1));
    counter_group_run(&f, count);
    require_true(count[2] > WORK / 2, "all clocks are counted by complement and threshold 15 (R22)");
    expect_between(count[2] - WINDOW_SKEW, count[2] + WINDOW_SKEW, count[0] + count[1],
                   "clocks above %u and at or below %u together, against all clocks; WRMSR skew allowed", t,
                   t);
    if (t == THRESHOLDS - 1)
        expect_equal(0, count[0], "clocks above 15");
}

static uint64_t one_filtered(enum pmc_event_id event, uint16_t mask, unsigned counter, uint32_t filter,
                             const struct workload *work, uint32_t n)
{
    struct counter_group f = {.work = work, .n = n};
    uint64_t count[COUNTER_GROUP_MAX];

    counter_group_add(&f, event, mask, counter, filter);
    counter_group_run(&f, count);
    return count[0];
}

static void add_uops(struct counter_group *f, unsigned counter, uint32_t filter)
{
    counter_group_add(f, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, counter, filter);
}

/*
 * The same uops through every threshold at once, as far as there are counters: 12, 13 and 16 share CRU_ESCR0,
 * and 14, 15 and 17 CRU_ESCR1, whose window begins and ends one WRMSR later. Another run of the workload may
 * retire its uops in other clocks. This family retires at most three uops in a clock.
 */
static void threshold_layers(void)
{
    struct counter_group f = {.work = &work_call, .n = 1000};
    uint64_t count[COUNTER_GROUP_MAX];

    add_uops(&f, 12, 0);
    add_uops(&f, 13, above(0));
    add_uops(&f, 16, above(1));
    add_uops(&f, 14, above(2));
    add_uops(&f, 15, above(3));
    add_uops(&f, 17, above(4));
    counter_group_gate(&f, count);
    const uint64_t plain = count[0];
    uint64_t sum = 0;
    for (unsigned t = 0; t <= 4; t++) {
        uint64_t less = t == 0 ? plain : count[t], clocks = count[t + 1];
        expect_between(0, less + (t == 2 ? WINDOW_SKEW_UOPS : 0), clocks,
                       "clocks with more than %u uops, not more than with a lower threshold", t);
        sum += clocks;
    }
    expect_true(plain > count[1], "%llu uops in %llu clocks with uops: several in one", plain, count[1]);

    for (unsigned t = 5; t < THRESHOLDS - 1; t += 3) {
        struct counter_group high = {.work = &work_call, .n = 1000};
        add_uops(&high, 12, above(t));
        add_uops(&high, 13, above(t + 1));
        add_uops(&high, 16, above(t + 2 < THRESHOLDS ? t + 2 : t + 1));
        counter_group_gate(&high, count);
        expect_true(count[0] >= count[1] && count[1] >= count[2],
                    "%llu, %llu and %llu clocks with more than %u uops and one or two more", count[0],
                    count[1], count[2], t);
        sum += count[0] + count[1] + (t + 2 < THRESHOLDS ? count[2] : 0);
    }
    expect_between(plain - WINDOW_SKEW_UOPS, plain + WINDOW_SKEW_UOPS, sum,
                   "sum of the clocks above 0, 1, ... 15, against the plain count");
}

/* Both counters share an ESCR, so they see the same events. */
static void expect_inert(uint32_t filter, enum pmc_event_id event, uint16_t mask, const struct workload *work,
                         uint32_t n, const char *events)
{
    struct counter_group f = {.work = work, .n = n};
    uint64_t count[COUNTER_GROUP_MAX];

    counter_group_add(&f, event, mask, 13, 0);
    counter_group_add(&f, event, mask, 12, filter);
    counter_group_gate(&f, count);
    expect_true(count[0] >= n, "%s of %u laps", events, n);
    expect_equal(count[0], count[1], "%s with COMPARE = 0 and filter bits %8H", events, filter);
}

static void edge_alone(void)
{
    const uint32_t inert[] = {CCCR_EDGE, CCCR_COMPLEMENT, CCCR_THRESHOLD(15), CCCR_EDGE | CCCR_COMPLEMENT};

    for (unsigned i = 0; i < COUNT_OF(inert); i++) {
        expect_inert(inert[i], EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, &work_jmp, 500, "taken branches");
        /* The value passes whole, not as a yes or no. */
        expect_inert(inert[i], EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, &work_call, 1000,
                     "uops, several a clock,");
    }
}

static void edge_constant(void)
{
    uint64_t edges = one_filtered(EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 3, above(0) | CCCR_EDGE,
                                  &work_loop, WORK);
    expect_between(0, 1, edges,
                   "rising edges of a level that is 1 in every clock (R25: the first one is open)");
}

#define PULSES     200
#define FEW_PULSES 40 /* of the shorter run, whose count is subtracted */

static void edges_of_pulses(enum pmc_event_id event, uint16_t mask, uint32_t n, uint64_t skew,
                            uint64_t count[COUNTER_GROUP_MAX])
{
    struct counter_group f = {.work = &work_cpuid, .n = n};

    counter_group_add(&f, event, mask, 12, above(0) | CCCR_EDGE);
    counter_group_add(&f, event, mask, 13, at_or_below(0) | CCCR_EDGE);
    counter_group_add(&f, event, mask, 16, above(THRESHOLDS - 1) | CCCR_EDGE);
    counter_group_run(&f, count);
    /* Between two rising edges of a level lies one of its complement. */
    expect_between(count[1] > skew ? count[1] - skew : 0, count[1] + skew, count[0],
                   "rising edges of the level against those of its complement");
    expect_equal(0, count[2], "rising edges of a value above 15");
}

/*
 * CPUID serialises, so between two of them there are clocks in which nothing retires: the level of retiring
 * instructions rises once for each. What several uops of a clock present is one edge too.
 */
static void edge_alternating(void)
{
    uint64_t few[COUNTER_GROUP_MAX], many[COUNTER_GROUP_MAX];

    edges_of_pulses(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, FEW_PULSES, WINDOW_SKEW_EDGE, few);
    edges_of_pulses(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, FEW_PULSES + PULSES, WINDOW_SKEW_EDGE, many);
    expect_between(PULSES - WINDOW_SKEW_EDGE, PULSES + WINDOW_SKEW_EDGE, many[0] - few[0],
                   "rising edges of %u more CPUIDs", PULSES);
    edges_of_pulses(EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, PULSES, WINDOW_SKEW_UOPS, many);
    expect_true(many[0] >= PULSES, "%llu rising edges of the uops of %u CPUIDs", many[0], PULSES);
}

/*
 * A level may glitch while a logical processor goes to sleep or wakes up (F22), and one that has just halted
 * may still be on its way.
 */
#define GLITCHES  16
#define SETTLE_US 50

/* Rising edges counted so far: in all, with the sibling halted, awake, halted, awake, halted. */
enum { WAKES = 2, WAKE_STATES = 1 + 2 * WAKES };

static void count_wakes(const struct pmc_programming *p, uint64_t edges[WAKE_STATES])
{
    delay_us(SETTLE_US);
    pmc_arm(p, 0);
    pmc_start(p);
    edges[0] = pmc_read(p->counter);
    for (unsigned wake = 0; wake < WAKES; wake++) {
        sibling_spin_begin(SIBLING_MASKED);
        edges[1 + 2 * wake] = pmc_read(p->counter);
        sibling_spin_end();
        smp_park();
        delay_us(SETTLE_US);
        edges[2 + 2 * wake] = pmc_read(p->counter);
    }
    pmc_stop_all();
}

static void expect_edge(bool due, uint64_t before, uint64_t now, const char *level, const char *when)
{
    expect_between(before + due, before + due + GLITCHES, now,
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
    expect_equal(0, level[0], "rising edges while the sibling is halted");
    /* The complement is true from the start: whether that is an edge is open (R25). */
    expect_between(0, 1 + ACCESSES_ADD, complement[0],
                   "rising edges of the complement while the sibling is halted (R25)");
    for (unsigned i = 1; i < WAKE_STATES; i++) {
        const bool awake = i % 2 == 1;
        const char *when = awake ? "the sibling having woken" : "the sibling halted again";
        expect_edge(awake, level[i - 1], level[i], "the level", when);
        expect_edge(!awake, complement[i - 1], complement[i], "the complement", when);
    }
}

static const struct vector filter_rows[] = {
    CHECK("filter.threshold.one", "the value 1 against this threshold, both comparisons", .rules = "R21 R22",
          .deadline_ms = 2000, .run_item = threshold_constant, .items = &every_threshold),
    CHECK("filter.threshold.all-clocks", "clocks above and clocks at or below make all clocks",
          .rules = "R16 R22", .deadline_ms = 2000, .run_item = threshold_sum, .items = &every_threshold),
    CHECK("filter.threshold.layers", "the clocks above 0 to 15 add up to the plain count",
          .rules = "R8 R21 R22 R27", .deadline_ms = 5000, .run = threshold_layers),
    CHECK("filter.inert", "EDGE, COMPLEMENT and THRESHOLD do nothing without COMPARE", .rules = "R21",
          .deadline_ms = 2000, .run = edge_alone),
    CHECK("filter.edge.constant", "a level that never changes has no second rising edge", .rules = "R23 R25",
          .deadline_ms = 2000, .run = edge_constant),
    CHECK("filter.edge.alternating", "one rising edge for each pulse, as many of the complement",
          .rules = "R22 R23 R24", .deadline_ms = 2000, .run = edge_alternating),
    CHECK("filter.edge.wake", "a rising edge each time the other logical processor wakes",
          .rules = "R12 R23 R24", .needs = NEED_SIBLING, .deadline_ms = 5000, .run = edge_wake),
};
VECTOR_GROUP(filter);
