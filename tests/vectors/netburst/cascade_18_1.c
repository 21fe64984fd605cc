/*
 * Example 18-1, "Counting Events", on every cascade link that the manual documents, plain and extended
 * (18.15.5.6, 18.15.5.7; R33 to R39, R46).
 *
 * The manual sets it up in these steps, which are example_18_1() in pmc/netburst/examples.c:
 *
 *   - counter X is preset for a count of -200 and counts event A;
 *   - counter Y is preset for a count of -400 and counts event B;
 *   - Y's CCCR has the cascade flag 1 and the enable flag 0;
 *   - the nested counting begins when the enable bit of X is set.
 *
 * What must happen then:
 *
 *   199 A          X holds -1, no OVF; Y holds its preset, however many B follow
 *   200 A          X wraps to 0, sets OVF and goes on counting; Y is enabled and counts B
 *   399 B          Y holds -1, no OVF
 *   400 B          Y wraps to 0 and sets OVF
 *   401 B          Y interrupts, if OVF_PMI is set in its CCCR: the PMI comes one count after the overflow
 * (R46)
 *
 * A and B are disjoint (pmu-rules 9.2 to 9.4), except in the BPU block, which counts clocks on both sides:
 * there only X - Y can be known. The manual leaves open by a few events when Y starts (R37). So the workload
 * first runs with a known number of B, which shows what Y counts besides them; after that a check is exact to
 * the single event. A wrong value means that X or Y lost or gained an event, or that Y started by something
 * else.
 */
#include "cascade.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

_Static_assert(EXAMPLE_18_1_X == 200 && EXAMPLE_18_1_Y == 400, "the numbers of Example 18-1");

static void after_199_and_200_a(struct cascade *c)
{
    unsigned x = c->link.x, y = c->link.y;
    struct observation o = cascade_run(c, 199 - c->overhead_a, KNOWN_B);

    expect_register(COUNTER_OVERFLOW_IN(1), o.v[CASCADE_X], "X (%u) after 199 A", x);
    expect_equal(0, o.v[CASCADE_OVF_X], "OVF of X (%u) after 199 A", x);
    expect_register(COUNTER_OVERFLOW_IN(400), o.v[CASCADE_Y], "Y (%u) after 199 A and %u B", y, KNOWN_B);
    expect_equal(0, o.v[CASCADE_OVF_Y], "OVF of Y (%u) after 199 A", y);

    o = cascade_run(c, 200 - c->overhead_a, 0);
    expect_register(0, o.v[CASCADE_X], "X (%u) after 200 A", x);
    expect_equal(1, o.v[CASCADE_OVF_X], "OVF of X (%u) after 200 A", x);
}

static void after_399_to_401_b(struct cascade *c)
{
    unsigned x = c->link.x, y = c->link.y;
    int32_t extra_b = cascade_extra_b(c);

    for (int32_t b = 399; b <= 401; b++) {
        struct observation o = cascade_run(c, 200, (uint32_t)(b - extra_b));
        expect_register(COUNTER_OVERFLOW_IN(400 - b), o.v[CASCADE_Y], "Y (%u) after %d B", y, b);
        expect_equal(b >= 400, o.v[CASCADE_OVF_Y], "OVF of Y (%u) after %d B", y, b);
        expect_register(c->overhead_a, o.v[CASCADE_X], "X (%u), which keeps counting", x);
        expect_equal(1, o.v[CASCADE_OVF_X], "OVF of X (%u)", x);
    }
}

/*
 * A and B are clocks. One write of X's CCCR := 0 stops both counters (ENABLE of X, and OVF of X for Y: R38),
 * so after T clocks X = T - 200 and Y = T - 200 - 400, but for the clocks Y needs to start.
 */
#define CLOCK_LATENCY     64
#define FAR_FROM_OVERFLOW COUNTER_OVERFLOW_IN(1ull << 39)

static struct observation run_clocks(const struct cascade *c, uint64_t preset_x)
{
    struct frame frame = c->frame;
    struct observation o = {{0}};

    pmc_clear(&machine_cpu);
    cascade_arm(c);
    expect_true(pmc_preset(c->link.x, preset_x), "X holds its preset");
    frame_phase(&frame, 0, &work_loop, 4000);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->link.x), pmc_cccr_enabled(&c->x)};
    frame.stop[1] = (struct msr_write){MSR_CCCR(c->link.x), 0};
    frame_measure(&frame);
    o.v[CASCADE_X] = pmc_read(c->link.x);
    o.v[CASCADE_Y] = pmc_read(c->link.y);
    o.v[CASCADE_OVF_Y] = pmc_overflowed(c->link.y);
    return o;
}

static void check_clocks(const struct cascade *c)
{
    unsigned x = c->link.x, y = c->link.y;
    struct observation o = run_clocks(c, FAR_FROM_OVERFLOW);

    expect_true(o.v[CASCADE_X] > FAR_FROM_OVERFLOW, "X (%u) counted clocks", x);
    expect_register(COUNTER_OVERFLOW_IN(400), o.v[CASCADE_Y], "Y (%u) while X has not overflowed", y);

    o = run_clocks(c, COUNTER_OVERFLOW_IN(200));
    expect_true(o.v[CASCADE_X] < FAR_FROM_OVERFLOW, "X (%u) wrapped", x);
    uint64_t difference = (o.v[CASCADE_X] - o.v[CASCADE_Y]) & COUNTER_MASK;
    expect_between(400 - 1, 400 + CLOCK_LATENCY, difference,
                   "clocks between X (%u) and Y (%u), start latency allowed (R37)", x, y);
    expect_equal(o.v[CASCADE_Y] < FAR_FROM_OVERFLOW, o.v[CASCADE_OVF_Y],
                 "OVF of Y (%u) is set exactly when it wrapped", y);
}

static void check_example(const void *link)
{
    struct cascade c;

    cascade_program(&c, link);
    if (c.a == STIMULUS_CLOCKS) {
        check_clocks(&c);
        return;
    }
    cascade_calibrate(&c);
    after_199_and_200_a(&c);
    after_399_to_401_b(&c);
}

/* The PMI of Y: none on the 400th B, one on the 401st. E3 takes it away on some parts; OVF is still due. */
static void check_pmi(const void *link)
{
    struct cascade c;

    cascade_program(&c, link);
    cascade_calibrate(&c);
    unsigned y = c.link.y;
    int32_t extra_b = cascade_extra_b(&c);
    c.y.cccr |= ovf_pmi_to(smp_self());
    c.with_pmi = true;
    for (int32_t b = 400; b <= 401; b++) {
        struct observation o = cascade_run(&c, 200, (uint32_t)(b - extra_b));
        bool due = b == 401;
        expect_equal(1, o.v[CASCADE_OVF_Y], "OVF of Y (%u) after %d B", y, b);
        expect_equal(0, o.v[CASCADE_PMI_OTHER], "PMIs at the other logical processor");
        if (due && o.v[CASCADE_PMI] == 0 && machine_has_erratum(PMC_E3)) {
            report_erratum(PMC_E3);
            continue;
        }
        expect_equal(due, o.v[CASCADE_PMI], "PMIs of Y (%u) after %d B, preset -400 (R46)", y, b);
    }
}

/* X overflows, and Y runs. */
static void start_by_cascade(struct cascade *c, const struct cascade_link *link)
{
    cascade_program(c, link);
    cascade_arm(c);
    pmc_start(&c->x);
    cascade_exercise(c, c->a, 200);
    expect_true(pmc_overflowed(link->x), "OVF of X (%u) after 200 A", link->x);

    uint64_t before = pmc_read(link->y);
    cascade_exercise(c, c->b, VISIBLE);
    expect_true(moved(link->y, before) >= VISIBLE, "Y (%u) runs after X (%u) overflowed", link->y, link->x);
}

static void expect_halted(const struct cascade *c, const char *how)
{
    unsigned x = c->link.x, y = c->link.y;
    uint64_t y_before = pmc_read(y), x_before = pmc_read(x);

    cascade_exercise(c, c->b, VISIBLE);
    cascade_exercise(c, c->a, VISIBLE);
    expect_register(y_before, pmc_read(y), "Y (%u) halted by %s", y, how);
    expect_true(moved(x, x_before) >= VISIBLE, "X (%u) keeps counting when Y is halted by %s", x, how);
}

/* The two documented ways (18.15.5.5, R38); on an extended link bit 11 takes the place of CASCADE. */
static void check_halt(const void *item)
{
    const struct cascade_link *link = item;
    struct cascade c;

    start_by_cascade(&c, link);
    pmc_halt_by_cascade_flag(link->y);
    expect_halted(&c, link->extended ? "clearing bit 11 of its CCCR" : "clearing CASCADE in its CCCR");
    expect_true(pmc_overflowed(link->x), "OVF of X (%u) stays when Y is halted by its own CCCR", link->x);

    pmc_clear(&machine_cpu);
    start_by_cascade(&c, link);
    pmc_halt_by_overflow_flag(link->x);
    expect_halted(&c, "clearing OVF in X's CCCR");
}

static const struct vector cascade_rows[] = {
    CHECK("cascade.18-1", "200 A on X, then 400 B on Y, each overflow on exactly its count",
          .rules = "EX18-1 R33 R34 R36 R37 R40 R44", .deadline_ms = 5000, .run_item = check_example,
          .items = &plain_links),
    CHECK("cascade.pmi", "Y preset -400 interrupts on the 401st B", .rules = "EX18-1 R45 R46 R55 E3",
          .needs = NEED_LAPIC, .deadline_ms = 5000, .run_item = check_pmi, .items = &exact_links),
    CHECK("cascade.halt", "Y halts by its CASCADE and by X's OVF; X goes on", .rules = "R33 R38 9.5.6",
          .deadline_ms = 5000, .run_item = check_halt, .items = &plain_links),
    CHECK("cascade.extended", "as Example 18-1 through bit 11", .rules = "R33 R35 R36 R37",
          .needs = NEED_EXTENDED_CASCADE, .deadline_ms = 5000, .run_item = check_example,
          .items = &extended_links),
    CHECK("cascade.extended.pmi", "Y preset -400 interrupts on the 401st B", .rules = "R35 R45 R46 R55 E3",
          .needs = NEED_LAPIC | NEED_EXTENDED_CASCADE, .deadline_ms = 5000, .run_item = check_pmi,
          .items = &extended_links),
    CHECK("cascade.extended.halt", "Y halts by its bit 11 and by X's OVF; X goes on", .rules = "R33 R35 R38",
          .needs = NEED_EXTENDED_CASCADE, .deadline_ms = 5000, .run_item = check_halt,
          .items = &extended_links),
};
VECTOR_GROUP(cascade, .prepare = cascade_make_links);
