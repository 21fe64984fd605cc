/*
 * Cascading: Example 18-1 on every route that the manual documents, plain and extended (18.15.5.6, 18.15.5.7;
 * R33 to R39, R46).
 *
 * Until the 200th A nothing may move in Y. With the 200th A, X sets its OVF, goes on counting, and Y starts.
 * Y overflows on its 400th B, and with OVF_PMI set interrupts on the 401st. A and B are disjoint
 * (pmu-rules 9.2 to 9.4), except in the BPU block, which counts clocks on both sides: there X - Y is what can
 * be known.
 *
 * When Y starts is left open by a few events (R37), so the workload is first run with a known number of B's,
 * and the rest of the check is then exact to the single event: one B less, and Y holds -1 without OVF; with
 * it Y holds 0 and OVF.
 */
#include "cascade.h"
#include "tests/suite/expect.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"

#define KNOWN_B 100

static void before_the_200th(struct cascade *c)
{
    struct observation o = cascade_run(c, EXAMPLE_18_1_X - 1 - c->overhead_a, KNOWN_B);

    expect_register(COUNTER_OVERFLOW_IN(1), o.v[CASCADE_X], "X (%u) after 199 A", c->route.x);
    expect_equal(0, o.v[CASCADE_OVF_X], "OVF of X (%u) after 199 A", c->route.x);
    expect_register(COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y), o.v[CASCADE_Y], "Y (%u) after 199 A and %u B",
                    c->route.y, KNOWN_B);
    expect_equal(0, o.v[CASCADE_OVF_Y], "OVF of Y (%u) after 199 A", c->route.y);

    o = cascade_run(c, EXAMPLE_18_1_X - c->overhead_a, 0);
    expect_register(0, o.v[CASCADE_X], "X (%u) after 200 A", c->route.x);
    expect_equal(1, o.v[CASCADE_OVF_X], "OVF of X (%u) after 200 A", c->route.x);
}

static void check_exact(struct route route)
{
    struct cascade c;

    cascade_setup(&c, route);
    before_the_200th(&c);
    int32_t extra = cascade_extra_b(&c);

    for (int32_t b = EXAMPLE_18_1_Y - 1; b <= EXAMPLE_18_1_Y + 1; b++) {
        struct observation o = cascade_run(&c, EXAMPLE_18_1_X, (uint32_t)(b - extra));
        expect_register(COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y - b), o.v[CASCADE_Y], "Y (%u) after %d B", route.y,
                        b);
        expect_equal(b >= EXAMPLE_18_1_Y, o.v[CASCADE_OVF_Y], "OVF of Y (%u) after %d B", route.y, b);
        expect_register(c.overhead_a, o.v[CASCADE_X], "X (%u), which keeps counting", route.x);
        expect_equal(1, o.v[CASCADE_OVF_X], "OVF of X (%u)", route.x);
    }
}

/*
 * Clocks on both sides. One write of X's CCCR := 0 stops both (ENABLE of X, and OVF of X for Y: R38), so that
 * after T clocks X = T - 200 and Y = T - 200 - 400, but for the clocks Y needs to start.
 */
#define CLOCK_LATENCY     64
#define FAR_FROM_OVERFLOW COUNTER_OVERFLOW_IN(1ull << 39)

static struct observation clocks_run(const struct cascade *c, uint64_t preset_x)
{
    struct frame frame = c->frame;
    struct observation o = {{0}};

    pmc_clear(&machine_cpu);
    cascade_arm(c);
    expect_true(pmc_preset(c->route.x, preset_x), "X holds its preset");
    frame_phase(&frame, 0, &work_loop, 4000);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->route.x), pmc_cccr_enabled(&c->x)};
    frame.stop[1] = (struct msr_write){MSR_CCCR(c->route.x), 0};
    frame_measure(&frame);
    o.v[CASCADE_X] = pmc_read(c->route.x);
    o.v[CASCADE_Y] = pmc_read(c->route.y);
    o.v[CASCADE_OVF_Y] = pmc_overflowed(c->route.y);
    return o;
}

static void check_clocks(struct route route)
{
    struct cascade c;

    cascade_program(&c, route);
    struct observation o = clocks_run(&c, FAR_FROM_OVERFLOW);
    expect_true(o.v[CASCADE_X] > FAR_FROM_OVERFLOW, "X (%u) counted clocks", route.x);
    expect_register(COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y), o.v[CASCADE_Y], "Y (%u) while X has not overflowed",
                    route.y);

    o = clocks_run(&c, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    expect_true(o.v[CASCADE_X] < FAR_FROM_OVERFLOW, "X (%u) wrapped", route.x);
    uint64_t difference = (o.v[CASCADE_X] - o.v[CASCADE_Y]) & COUNTER_MASK;
    expect_between(EXAMPLE_18_1_Y - 1, EXAMPLE_18_1_Y + CLOCK_LATENCY, difference,
                   "clocks between X (%u) and Y (%u), start latency allowed (R37)", route.x, route.y);
    expect_equal(o.v[CASCADE_Y] < FAR_FROM_OVERFLOW, o.v[CASCADE_OVF_Y],
                 "OVF of Y (%u) is set exactly when it wrapped", route.y);
}

static void example(struct route route)
{
    if (stimulus_a(route.x) == STIMULUS_CLOCKS)
        check_clocks(route);
    else
        check_exact(route);
}

/* PMI of Y: none on the 400th B, one on the 401st. E3 takes it away on some parts; the OVF is still due. */
static void check_pmi(struct route route)
{
    struct cascade c;

    cascade_setup(&c, route);
    int32_t extra = cascade_extra_b(&c);
    c.y.cccr |= ovf_pmi_to(smp_self());
    c.with_pmi = true;
    for (int32_t b = EXAMPLE_18_1_Y; b <= EXAMPLE_18_1_Y + 1; b++) {
        struct observation o = cascade_run(&c, EXAMPLE_18_1_X, (uint32_t)(b - extra));
        bool due = b > EXAMPLE_18_1_Y;
        expect_equal(1, o.v[CASCADE_OVF_Y], "OVF of Y (%u) after %d B", route.y, b);
        expect_equal(0, o.v[CASCADE_PMI_OTHER], "PMIs at the other logical processor");
        if (due && o.v[CASCADE_PMI] == 0 && machine_has_erratum(PMC_E3)) {
            report_erratum(PMC_E3);
            continue;
        }
        expect_equal(due, o.v[CASCADE_PMI], "PMIs of Y (%u) after %d B, preset -400 (R46)", route.y, b);
    }
}

#define MANY 100

/* X has overflowed and Y runs. */
static void start_by_cascade(struct cascade *c, struct route route)
{
    cascade_program(c, route);
    cascade_arm(c);
    pmc_start(&c->x);
    cascade_exercise(c, c->a, EXAMPLE_18_1_X);
    expect_true(pmc_overflowed(route.x), "OVF of X (%u) after 200 A", route.x);

    uint64_t before = pmc_read(route.y);
    cascade_exercise(c, c->b, MANY);
    uint64_t moved = (pmc_read(route.y) - before) & COUNTER_MASK;
    expect_true(moved >= MANY, "Y (%u) runs after X (%u) overflowed", route.y, route.x);
}

static void expect_halted(const struct cascade *c, const char *how)
{
    unsigned x = c->route.x, y = c->route.y;
    uint64_t y_before = pmc_read(y), x_before = pmc_read(x);

    cascade_exercise(c, c->b, MANY);
    cascade_exercise(c, c->a, MANY);
    expect_register(y_before, pmc_read(y), "Y (%u) halted by %s", y, how);
    uint64_t moved = (pmc_read(x) - x_before) & COUNTER_MASK;
    expect_true(moved >= MANY, "X (%u) keeps counting when Y is halted by %s", x, how);
}

/* The two documented ways (18.15.5.5, R38); bit 11 takes the place of CASCADE on an extended route. */
static void check_halt(struct route route)
{
    struct cascade c;

    start_by_cascade(&c, route);
    pmc_halt_by_cascade_flag(route.y);
    expect_halted(&c, route.extended ? "clearing bit 11 of its CCCR" : "clearing CASCADE in its CCCR");
    expect_true(pmc_overflowed(route.x), "OVF of X (%u) stays when Y is halted by its own CCCR", route.x);

    pmc_clear(&machine_cpu);
    start_by_cascade(&c, route);
    pmc_halt_by_overflow_flag(route.x);
    expect_halted(&c, "clearing OVF in X's CCCR");
}

/* ---- Families: every plain route, those of them with exact events, every extended route ---- */

static void plain_suffix(unsigned member, char *out, size_t size)
{
    route_suffix(plain_route(member), out, size);
}

static const struct family every_route = {plain_routes, plain_suffix, 0};

/* A clock is always followed by another, so "the 400th and no 401st" cannot be had on the clock routes, which
 * come first. */
static unsigned clock_routes(void)
{
    unsigned count = 0;

    while (count < plain_routes() && stimulus_a(plain_route(count).x) == STIMULUS_CLOCKS)
        count++;
    return count;
}

static unsigned exact_routes(void)
{
    return plain_routes() - clock_routes();
}

static void exact_suffix(unsigned member, char *out, size_t size)
{
    plain_suffix(member + clock_routes(), out, size);
}

static const struct family every_exact_route = {exact_routes, exact_suffix, 0};

static void extended_suffix(unsigned member, char *out, size_t size)
{
    route_suffix(extended_route(member), out, size);
}

const struct family every_extended_route = {extended_routes, extended_suffix, 0};

static void example_plain(unsigned member)
{
    example(plain_route(member));
}

static void pmi_plain(unsigned member)
{
    check_pmi(plain_route(member + clock_routes()));
}

static void halt_plain(unsigned member)
{
    check_halt(plain_route(member));
}

static void example_extended(unsigned member)
{
    example(extended_route(member));
}

static void pmi_extended(unsigned member)
{
    check_pmi(extended_route(member));
}

static void halt_extended(unsigned member)
{
    check_halt(extended_route(member));
}

static const struct vector cascade_rows[] = {
    {"cascade.18-1", "200 A on X, then 400 B on Y, each overflow on exactly its count",
     "EX18-1 R33 R34 R36 R37 R40 R44", 0, false, 5000, example_plain, &every_route},
    {"cascade.pmi", "Y preset -400 interrupts on the 401st B", "EX18-1 R45 R46 R55 E3", NEED_LAPIC, false,
     5000, pmi_plain, &every_exact_route},
    {"cascade.halt", "Y halts by its CASCADE and by X's OVF; X goes on", "R33 R38 9.5.6", 0, false, 5000,
     halt_plain, &every_route},
    {"cascade.extended", "as Example 18-1 through bit 11", "R33 R35 R36 R37", NEED_EXTENDED_CASCADE, false,
     5000, example_extended, &every_extended_route},
    {"cascade.extended.pmi", "Y preset -400 interrupts on the 401st B", "R35 R45 R46 R55 E3",
     NEED_LAPIC | NEED_EXTENDED_CASCADE, false, 5000, pmi_extended, &every_extended_route},
    {"cascade.extended.halt", "Y halts by its bit 11 and by X's OVF; X goes on", "R33 R35 R38",
     NEED_EXTENDED_CASCADE, false, 5000, halt_extended, &every_extended_route},
};
VECTOR_GROUP(cascade);
