/*
 * Filtering: threshold and complement (18.15.5.2; R21, R22). Edges are in filter_edge.c.
 *
 * Two kinds of input are used. global_power_events presents the value 1 in every clock of a running
 * processor, so the outcome of every threshold is known: "greater than" passes at threshold 0 only, "less
 * than or equal" at 1 to 15. uops_retired presents several per clock, unknown in detail, so laws are tested
 * that hold whatever the clocks were:
 *   - above(t) never grows with t, and above(15) = 0;
 *   - above(0) + above(1) + ... + above(14) = the plain count, because a satisfied threshold counts 1, not
 * the value.
 * A law that fails names the threshold: a filter bit that is dead, or a comparison that is off by one.
 */
#include "tests/suite/count.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/vector.h"

#define THRESHOLDS 16
#define WORK       COUNTER_GROUP_WORK

/* Counts may differ by what happens between two starts or two stops. */
#define WINDOW_SKEW      COUNTER_GROUP_SKEW
#define WINDOW_SKEW_UOPS 400 /* a WRMSR of some thousand clocks lies between two starts and two stops */

static const uint8_t THRESHOLD[THRESHOLDS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const struct items every_threshold = ITEMS(THRESHOLD, .name = number_item);

/* One of counters 2 and 3, which share FSB_ESCR1, counts plainly; the other one and counters 0 and 1 have the
 * filter. */
static void constant_one(unsigned t, uint32_t filter, bool passes, unsigned plain, const char *words)
{
    const unsigned filtered[] = {plain ^ 1, 0, 1};
    struct counter_group f = {.work = &work_loop, .n = WORK};

    counter_group_add(&f, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, plain, 0);
    for (unsigned i = 0; i < COUNT_OF(filtered); i++)
        if (!counter_is_dead(filtered[i]))
            counter_group_add(&f, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, filtered[i], filter);
    counter_group_run(&f);
    for (unsigned i = 1; i < f.counters; i++)
        if (passes)
            expect_near(R22, f.count[0], i * WINDOW_SKEW, f.count[i],
                        "clocks with the value 1 %s %u, counter %u; plain count, WRMSR skew allowed", words,
                        t, f.p[i].counter);
        else
            expect_equal(R22, 0, f.count[i], "clocks with the value 1 %s %u, counter %u", words, t,
                         f.p[i].counter);
}

static void threshold_constant(const void *item)
{
    unsigned t = *(const uint8_t *)item;

    constant_one(t, above(t), t < 1, 2 + t % 2, "greater than");
    for (unsigned plain = 2; plain <= 3; plain++)
        constant_one(t, at_or_below(t), t >= 1, plain, "less than or equal to");
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

    add_uops(&f, 12, 0);
    add_uops(&f, 13, above(0));
    add_uops(&f, 16, above(1));
    add_uops(&f, 14, above(2));
    add_uops(&f, 15, above(3));
    add_uops(&f, 17, above(4));
    counter_group_window(&f);
    const uint64_t plain = f.count[0];
    uint64_t sum = 0;
    for (unsigned t = 0; t <= 4; t++) {
        uint64_t less = t == 0 ? plain : f.count[t], clocks = f.count[t + 1];
        expect_between(RULES(R22, R8), 0, less + (t == 2 ? WINDOW_SKEW_UOPS : 0), clocks,
                       "clocks with more than %u uops, not more than with a lower threshold", t);
        sum += clocks;
    }
    expect_true(R8, plain > f.count[1], "%llu uops in %llu clocks with uops: several in one", plain,
                f.count[1]);

    for (unsigned t = 5; t < THRESHOLDS - 1; t += 3) {
        struct counter_group high = {.work = &work_call, .n = 1000};
        add_uops(&high, 12, above(t));
        add_uops(&high, 13, above(t + 1));
        add_uops(&high, 16, above(t + 2 < THRESHOLDS ? t + 2 : t + 1));
        counter_group_window(&high);
        expect_true(RULES(R22, R6, R8), high.count[0] >= high.count[1] && high.count[1] >= high.count[2],
                    "%llu, %llu and %llu clocks with more than %u uops and one or two more", high.count[0],
                    high.count[1], high.count[2], t);
        sum += high.count[0] + high.count[1] + (t + 2 < THRESHOLDS ? high.count[2] : 0);
    }
    expect_near(RULES(R8, R22, R6, R27), plain, WINDOW_SKEW_UOPS, sum,
                "sum of the clocks above 0, 1, ... 15, against the plain count");
}

/* Both counters share an ESCR, so they see the same events. */
static void expect_inert(uint32_t filter, enum pmc_event_id event, uint16_t mask, const struct workload *work,
                         uint32_t n, const char *events)
{
    struct counter_group f = {.work = work, .n = n};

    counter_group_add(&f, event, mask, 13, 0);
    counter_group_add(&f, event, mask, 12, filter);
    counter_group_window(&f);
    expect_true(RULES(R7, R27), f.count[0] >= n, "%s of %u laps", events, n);
    expect_equal(R21, f.count[0], f.count[1], "%s with COMPARE = 0 and filter bits %8H", events, filter);
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

static const struct vector filter_rows[] = {
    CHECK("filter.threshold.one", "the value 1 against this threshold, both comparisons", .also = "R21",
          .deadline_ms = 2000, .run_item = threshold_constant, .items = &every_threshold),
    CHECK("filter.threshold.layers", "the clocks above 0 to 15 add up to the plain count", .also = "R21",
          .deadline_ms = 5000, .run = threshold_layers),
    CHECK("filter.inert", "EDGE, COMPLEMENT and THRESHOLD do nothing without COMPARE", .deadline_ms = 2000,
          .run = edge_alone),
};
VECTOR_GROUP(filter);
