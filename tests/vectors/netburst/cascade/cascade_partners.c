/*
 * Links and partners of a cascade (18.15.2, 18.15.5.6; R34, R37, R40, R41).
 *
 * The counters of a block in two independent links; one overflow that starts two counters; both counters of a
 * pair armed with CASCADE at once; one event counted on both counters of a pair. A counter "runs" when it has
 * moved by the events that its workload causes. One that runs too early was started by another link, and one
 * that does not run was not started. Running counters are read only where nothing executes (the frame
 * serialises), and an access may add a little to what they hold (E1).
 */
#include "cascade.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"

static const uint64_t preset_y = COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y);

static void expect_still(uint32_t rules, unsigned counter, uint64_t since, const char *when)
{
    expect_between(rules, 0, ACCESSES_ADD, moved(counter, since), "events of counter %u, %s", counter, when);
}

/* The first counter of each block; x -> x + 2 and x + 1 -> x + 3 are plain links. */
static const struct block {
    const char *name;
    uint8_t x;
} BLOCKS[] = {{"bpu", 0}, {"ms", 4}, {"flame", 8}, {"iq", 12}};

static void two_links(const void *item)
{
    uint8_t x = ((const struct block *)item)->x;
    const struct cascade_link one = {x, x + 2, false}, other = {x + 1, x + 3, false};
    struct cascade first, second;

    cascade_program(&first, &one);
    cascade_program(&second, &other);
    cascade_arm(&first);
    cascade_arm(&second);

    /* The first link alone. */
    pmc_start(&first.x);
    cascade_exercise(&first, first.a, EXAMPLE_18_1_X);
    cascade_exercise(&first, first.b, VISIBLE);
    require_true(RULES(R29, R28), pmc_overflowed(one.x), "OVF of counter %u", one.x);
    expect_true(RULES(R34, R33), moved(one.y, preset_y) >= VISIBLE, "counter %u runs", one.y);
    expect_still(R34, other.y, preset_y, "while only the other pair has overflowed");

    /* Then the second; the first goes on. */
    uint64_t before = pmc_read(one.y);
    pmc_start(&second.x);
    cascade_exercise(&second, second.a, EXAMPLE_18_1_X);
    cascade_exercise(&second, second.b, VISIBLE);
    require_true(RULES(R29, R28), pmc_overflowed(other.x), "OVF of counter %u", other.x);
    expect_true(RULES(R34, R33), moved(other.y, preset_y) >= VISIBLE, "counter %u runs", other.y);
    expect_true(RULES(R38, R34), moved(one.y, before) >= VISIBLE, "counter %u goes on", one.y);

    /* Halting one link leaves the other alone. */
    pmc_halt_by_overflow_flag(one.x);
    before = pmc_read(one.y);
    uint64_t other_before = pmc_read(other.y);
    cascade_exercise(&second, second.b, VISIBLE);
    expect_still(R38, one.y, before, "halted");
    expect_true(RULES(R38, R34), moved(other.y, other_before) >= VISIBLE, "counter %u goes on", other.y);
}

/* Counter 14 starts 12 and 16 (R34). */
static void fan_out(void)
{
    struct cascade to12, to16;

    cascade_program(&to12, &(struct cascade_link){14, 12, false});
    cascade_program(&to16, &(struct cascade_link){14, 16, false});
    cascade_arm(&to12);
    pmc_arm(&to16.y, preset_y);
    pmc_arm_cascade(&to16.y);
    pmc_start(&to12.x);
    cascade_exercise(&to12, to12.b, VISIBLE);
    expect_still(RULES(R33, R37), 12, preset_y, "before counter 14 has overflowed");
    expect_still(RULES(R33, R37), 16, preset_y, "before counter 14 has overflowed");
    cascade_exercise(&to12, to12.a, EXAMPLE_18_1_X);
    cascade_exercise(&to12, to12.b, VISIBLE);
    expect_true(RULES(R34, R33), moved(12, preset_y) >= VISIBLE, "counter 12 runs");
    expect_true(RULES(R34, R33), moved(16, preset_y) >= VISIBLE, "counter 16 runs");
    pmc_halt_by_overflow_flag(14);
    uint64_t at12 = pmc_read(12), at16 = pmc_read(16);
    cascade_exercise(&to12, to12.b, VISIBLE);
    expect_still(R38, 12, at12, "halted by clearing OVF of 14");
    expect_still(R38, 16, at16, "halted by clearing OVF of 14");
}

/* Both counters have CASCADE set: the one with ENABLE starts the other (R40). */
static void both_armed(const void *item)
{
    uint8_t x = ((const struct block *)item)->x, y = x + 2;
    struct cascade c;

    cascade_program(&c, &(struct cascade_link){x, y, false});
    cascade_arm(&c);
    msr_write(MSR_CCCR(x), pmc_cccr_enabled(&c.x) | CCCR_CASCADE);
    cascade_exercise(&c, c.a, EXAMPLE_18_1_X);
    cascade_exercise(&c, c.b, VISIBLE);
    require_true(RULES(R29, R28), pmc_overflowed(x), "OVF of X (%u), armed and enabled", x);
    const bool runs = expect_true(RULES(R40, R34), moved(y, preset_y) >= VISIBLE, "Y (%u) runs", y);
    cascade_exercise(&c, c.b, EXAMPLE_18_1_Y);
    expect_true(runs ? RULES(R29, R28) : RULES(R40, R34), pmc_overflowed(y), "OVF of Y (%u)", y);
    uint64_t before = pmc_read(x);
    cascade_exercise(&c, c.a, VISIBLE);
    expect_true(RULES(R37, R40), moved(x, before) >= VISIBLE, "X (%u) still counts", x);
}

/*
 * One event on both counters (R41). X keeps counting after its overflow. Y is preset to 0, which is where X
 * is at that moment, so the two advance together: Y's count is X's second lap, and "adding the contents"
 * counts every later event twice. X overflows in the first phase, so Y counts all of the second, and of the
 * first no more than X does.
 */
struct doubled {
    struct cascade c;
    uint64_t second_phase; /* events */
};
#define SAME_CLOCK \
    4 /* events in the clock of X's overflow: Y may count those that X counted up to its wrap */

/* How many events of the first phase Y counts may differ from run to run. */
static void doubled_trial(const void *arg, struct observation *out)
{
    const struct doubled *d = arg;
    const struct cascade *c = &d->c;
    struct frame frame = c->frame;

    pmc_arm(&c->x, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    pmc_arm(&c->y, 0);
    pmc_arm_cascade(&c->y);
    frame_count(&frame, &c->x, &c->y, &c->x);
    frame_measure(&frame);
    out->v[CASCADE_X] = pmc_read(c->link.x);
    uint64_t y = pmc_read(c->link.y);
    bool in_range = d->second_phase <= y && y <= out->v[CASCADE_X] + SAME_CLOCK;
    out->v[CASCADE_Y] = in_range ? d->second_phase : y;
}

static void doubled(const void *link)
{
    struct doubled d;
    struct cascade *c = &d.c;

    cascade_program(c, link);
    if (c->a == STIMULUS_CLOCKS)
        skip_now("clocks have no number to add up; see cascade.18-1");
    c->y = stimulus_program(c->a, c->link.y);
    frame_phase(&c->frame, 0, STIMULUS[c->a].work, EXAMPLE_18_1_X);
    frame_phase(&c->frame, 1, &work_nothing, 0);
    uint64_t first = count_alone(&c->x, COUNT_AS_X, &c->frame);
    frame_phase(&c->frame, 1, STIMULUS[c->a].work, EXAMPLE_18_1_X);
    uint64_t both = count_alone(&c->x, COUNT_AS_X, &c->frame);
    d.second_phase = both - first;
    struct observation o = observe(doubled_trial, &d);

    expect_equal(RULES(R37, R41, R27), both - EXAMPLE_18_1_X, o.v[CASCADE_X],
                 "X (%u): events since its overflow", c->link.x);
    expect_equal(RULES(R41, R37), d.second_phase, o.v[CASCADE_Y],
                 "Y (%u): the second phase's events, but for some of the first that X counts too", c->link.y);
}

/* The use in which adding works: X is stopped at the hand-over, its OVF stays set, and Y counts on alone. */
static void handed_over(void)
{
    struct cascade c;

    cascade_program(&c, &(struct cascade_link){12, 14, false});
    c.y = stimulus_program(c.a, 14);
    cascade_arm(&c);
    pmc_start(&c.x);
    cascade_exercise(&c, c.a, EXAMPLE_18_1_X);
    require_true(RULES(R29, R28), pmc_overflowed(12), "OVF of X (12)");
    pmc_stop(12);
    expect_true(RULES(R29, R38), pmc_overflowed(12), "OVF of X (12) stays when X is stopped");
    uint64_t x = pmc_read(12), y = pmc_read(14);
    cascade_exercise(&c, c.a, VISIBLE);
    expect_still(R38, 12, x, "stopped");
    report("with X stopped and its OVF left set, Y %s", moved(14, y) >= VISIBLE ? "goes on" : "stops");
}

static const struct items every_block = ITEMS(BLOCKS, .name = named_item);

static const struct vector cascade_partners_rows[] = {
    CHECK("cascade.two-pairs", "two independent pairs of a block at once", .deadline_ms = 2000,
          .run_item = two_links, .items = &every_block),
    CHECK("cascade.fan-out", "the overflow of 14 starts 12 and 16", .deadline_ms = 2000, .run = fan_out),
    CHECK("cascade.both", "CASCADE set in both: the enabled one starts the other", .also = "R36",
          .deadline_ms = 2000, .run_item = both_armed, .items = &every_block),
    CHECK("cascade.doubled", "one event on both counters: Y counts X's second lap", .also = "EX18-1 11.10",
          .deadline_ms = 2000, .run_item = doubled, .items = &plain_links),
    CHECK("cascade.handed-over", "X stopped at the hand-over keeps count and OVF", .also = "EX18-1 R41",
          .deadline_ms = 2000, .run = handed_over),
};
VECTOR_GROUP(cascade_partners);
