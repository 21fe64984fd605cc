/*
 * Cascading in its other forms (18.15.2, 18.15.5.6; R34, R37, R40, R41).
 *
 * Four counters of a block as two independent pairs; one overflow that starts two counters; both counters of
 * a pair armed with CASCADE at once; one event counted on both counters of a pair.
 */
#include "cascade.h"
#include "tests/suite/expect.h"
#include "kernel/lib/format.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"

#define MANY 100

static unsigned blocks(void)
{
    return 4;
}

static void block_suffix(unsigned member, char *out, size_t size)
{
    format(out, size, "%s", PMC_BLOCK_NAME[member]);
}

static const struct family every_block = {blocks, block_suffix, 0};

static uint64_t moved(unsigned counter, uint64_t since)
{
    return (pmc_read(counter) - since) & COUNTER_MASK;
}

/* The first plain route of the block into its second pair, and the one beside it: 0 -> 2 and 1 -> 3, ... 12
 * -> 14 and 13 -> 15. */
static void two_pairs(unsigned block)
{
    struct cascade first, second;
    unsigned x = 0;

    while (PMC_COUNTER[x].block != block)
        x++;
    cascade_program(&first, (struct route){(uint8_t)x, (uint8_t)(x + 2), false});
    cascade_program(&second, (struct route){(uint8_t)(x + 1), (uint8_t)(x + 3), false});
    cascade_arm(&first);
    cascade_arm(&second);
    const uint64_t preset = COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y);

    /* The first pair alone. */
    pmc_start(&first.x);
    cascade_exercise(&first, first.a, EXAMPLE_18_1_X);
    cascade_exercise(&first, first.b, MANY);
    expect_true(pmc_overflowed(first.route.x), "OVF of counter %u", first.route.x);
    expect_true(moved(first.route.y, preset) >= MANY, "counter %u runs", first.route.y);
    expect_register(preset, pmc_read(second.route.y), "counter %u while only the other pair has overflowed",
                    second.route.y);

    /* Then the second; the first goes on. */
    uint64_t before = pmc_read(first.route.y);
    pmc_start(&second.x);
    cascade_exercise(&second, second.a, EXAMPLE_18_1_X);
    cascade_exercise(&second, second.b, MANY);
    expect_true(pmc_overflowed(second.route.x), "OVF of counter %u", second.route.x);
    expect_true(moved(second.route.y, preset) >= MANY, "counter %u runs", second.route.y);
    expect_true(moved(first.route.y, before) >= MANY, "counter %u goes on", first.route.y);

    /* Halting one pair leaves the other alone. */
    pmc_halt_by_overflow_flag(first.route.x);
    before = pmc_read(first.route.y);
    uint64_t other = pmc_read(second.route.y);
    cascade_exercise(&second, second.b, MANY);
    expect_register(before, pmc_read(first.route.y), "counter %u halted", first.route.y);
    expect_true(moved(second.route.y, other) >= MANY, "counter %u goes on", second.route.y);
}

/* 14 starts 12 and 16 (R34). */
static void fan_out(unsigned member)
{
    struct cascade to12, to16;
    const uint64_t preset = COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y);

    (void)member;
    cascade_program(&to12, (struct route){14, 12, false});
    cascade_program(&to16, (struct route){14, 16, false});
    cascade_arm(&to12);
    pmc_arm(&to16.y, preset);
    pmc_arm_cascade(&to16.y);
    pmc_start(&to12.x);
    cascade_exercise(&to12, to12.b, MANY);
    expect_register(preset, pmc_read(12), "counter 12 before counter 14 has overflowed");
    expect_register(preset, pmc_read(16), "counter 16 before counter 14 has overflowed");
    cascade_exercise(&to12, to12.a, EXAMPLE_18_1_X);
    cascade_exercise(&to12, to12.b, MANY);
    expect_true(moved(12, preset) >= MANY, "counter 12 runs");
    expect_true(moved(16, preset) >= MANY, "counter 16 runs");
    pmc_halt_by_overflow_flag(14);
    uint64_t at12 = pmc_read(12), at16 = pmc_read(16);
    cascade_exercise(&to12, to12.b, MANY);
    expect_register(at12, pmc_read(12), "counter 12 halted by clearing OVF of 14");
    expect_register(at16, pmc_read(16), "counter 16 halted by clearing OVF of 14");
}

/* Both with CASCADE: the one with ENABLE starts the other (R40). */
static void both_armed(unsigned block)
{
    struct cascade c;
    unsigned x = 0;

    while (PMC_COUNTER[x].block != block)
        x++;
    cascade_program(&c, (struct route){(uint8_t)x, (uint8_t)(x + 2), false});
    cascade_arm(&c);
    const uint64_t preset = COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y);

    msr_write(MSR_CCCR(c.route.x), pmc_cccr_enabled(&c.x) | CCCR_CASCADE);
    cascade_exercise(&c, c.a, EXAMPLE_18_1_X);
    cascade_exercise(&c, c.b, MANY);
    expect_true(pmc_overflowed(c.route.x), "OVF of X (%u), armed and enabled", c.route.x);
    expect_true(moved(c.route.y, preset) >= MANY, "Y (%u) runs", c.route.y);
    cascade_exercise(&c, c.b, EXAMPLE_18_1_Y);
    expect_true(pmc_overflowed(c.route.y), "OVF of Y (%u)", c.route.y);
    uint64_t before = pmc_read(c.route.x);
    cascade_exercise(&c, c.a, MANY);
    expect_true(moved(c.route.x, before) >= MANY, "X (%u) still counts", c.route.x);
}

/*
 * One event on both counters (R41). X keeps counting after its overflow, so with both presets the same
 * distance from it the two advance together: Y's count is X's lap, and "adding the contents" counts every
 * later event twice.
 */
static void doubled_trial(const void *arg, struct observation *out)
{
    const struct cascade *c = arg;
    struct frame frame = c->frame;

    pmc_arm(&c->x, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    pmc_arm(&c->y, 0);
    pmc_arm_cascade(&c->y);
    frame_count(&frame, &c->x, &c->y, &c->x);
    frame_phase(&frame, 0, STIMULUS[c->a].work, EXAMPLE_18_1_X);
    frame_phase(&frame, 1, STIMULUS[c->a].work, EXAMPLE_18_1_X);
    frame_measure(&frame);
    out->v[CASCADE_X] = pmc_read(c->route.x);
    out->v[CASCADE_Y] = pmc_read(c->route.y);
}

static void doubled(unsigned member)
{
    struct route route = plain_route(member);
    struct cascade c;

    cascade_program(&c, route);
    if (c.a == STIMULUS_CLOCKS)
        skip_now("clocks have no number to add up; see cascade.18-1");
    c.y = stimulus_program(c.a, route.y);
    frame_phase(&c.frame, 0, STIMULUS[c.a].work, 0);
    frame_phase(&c.frame, 1, STIMULUS[c.a].work, 0);
    uint64_t total = 2 * EXAMPLE_18_1_X + count_alone(&c.x, COUNT_AS_X, &c.frame);
    struct observation o = observe(doubled_trial, &c);

    expect_equal(total - EXAMPLE_18_1_X, o.v[CASCADE_X], "X (%u): events since its overflow", route.x);
    expect_between(o.v[CASCADE_X] - 4, o.v[CASCADE_X] + 1, o.v[CASCADE_Y],
                   "Y (%u) beside X, which runs on: start latency allowed (R37)", route.y);
}

static void doubled_suffix(unsigned member, char *out, size_t size)
{
    route_suffix(plain_route(member), out, size);
}

static const struct family every_route = {plain_routes, doubled_suffix, 0};

/* The form in which adding works: X is stopped at the hand-over, its OVF left set, and Y counts on alone. */
static void handed_over(unsigned member)
{
    struct cascade c;

    (void)member;
    cascade_program(&c, (struct route){12, 14, false});
    c.y = stimulus_program(c.a, 14);
    cascade_arm(&c);
    pmc_start(&c.x);
    cascade_exercise(&c, c.a, EXAMPLE_18_1_X);
    expect_true(pmc_overflowed(12), "OVF of X (12)");
    pmc_stop(12);
    expect_true(pmc_overflowed(12), "OVF of X (12) stays when X is stopped");
    uint64_t x = pmc_read(12), y = pmc_read(14);
    cascade_exercise(&c, c.a, MANY);
    expect_register(x, pmc_read(12), "X (12), stopped");
    report("with X stopped and its OVF left set, Y %s", moved(14, y) >= MANY ? "goes on" : "stops");
}

static const struct vector forms_rows[] = {
    {"cascade.two-pairs", "two independent pairs of a block at once", "R34 R38", 0, false, 2000, two_pairs,
     &every_block},
    {"cascade.fan-out", "the overflow of 14 starts 12 and 16", "R34 R38", 0, false, 2000, fan_out, 0},
    {"cascade.both", "CASCADE set in both: the enabled one starts the other", "R36 R40", 0, false, 2000,
     both_armed, &every_block},
    {"cascade.doubled", "one event on both counters: Y counts X's second lap", "R37 R41 11.10", 0, false,
     2000, doubled, &every_route},
    {"cascade.handed-over", "X stopped at the hand-over keeps count and OVF", "R38 R41", 0, false, 2000,
     handed_over, 0},
};
VECTOR_GROUP(forms);
