/*
 * Example 18-1, "Counting Events", on every cascade link that the manual documents, plain and extended
 * (18.15.5.6, 18.15.5.7; R33 to R37, R46).
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
 *   X one short of its overflow   X holds -1, no OVF; Y holds its preset, however many B follow
 *   X overflows with the last A   X wraps to 0 and sets OVF
 *   X overflows among the A's     X goes on counting; Y is enabled and counts every B that follows
 *   Y one short of its overflow   Y holds -1, no OVF
 *   Y overflows with the last B   Y wraps to 0 and sets OVF
 *   one more B                    Y interrupts, if OVF_PMI is set in its CCCR: the PMI comes one count after
 *                                 the overflow (R46)
 *
 * How many A and B there are is measured first, with X and Y each enabled by itself, and the presets are set
 * by that: an event may count more than once for an occurrence. The manual leaves open when Y starts (R37).
 * So A and B do not overlap, X overflows well before the last A, and the frame serialises between A and B:
 * what Y counts does not depend on a start that is some hundred clocks late. A wrong value means that X or Y
 * lost or gained an event, or that Y started by something else.
 *
 * No event of the BPU block is known to make the same count in each run. So there X and Y count replayed
 * loads beside their twins (tests/suite/course.h), which see the same events, one by one, so that X and Y
 * pass their overflows in steps of one. The second witness are clocks on X and Y, in a run that is not
 * stepped: there X - Y is known but for the start.
 */
#include "cascade.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/course.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/unflagged.h"

#define A_WORK     (EXAMPLE_18_1_X + 50) /* occurrences of A: X overflows with the 200th event or so */
#define B_WORK     EXAMPLE_18_1_Y        /* in two phases: a straight line is no longer than half of it */
#define PMI_B_WORK 200                   /* in one phase */
#define NEVER      (1ull << 39)          /* events */

_Static_assert(EXAMPLE_18_1_X == 200 && EXAMPLE_18_1_Y == 400, "the numbers of Example 18-1");

static void set_phases(struct cascade *c, uint32_t b)
{
    frame_phase(&c->frame, 0, STIMULUS[c->a].work, A_WORK);
    frame_phase(&c->frame, 1, STIMULUS[c->b].work, b / 2);
    frame_phase(&c->frame, 2, STIMULUS[c->b].work, b - b / 2);
}

static struct observation run(struct cascade *c, uint64_t x_count, uint64_t y_count)
{
    c->x_count = x_count;
    c->y_count = y_count;
    return cascade_run(c);
}

/* Has a counter with this value overflowed? */
static bool has_wrapped(uint64_t value)
{
    return value < NEVER;
}

/* An event that is not exact may count a few more on a wrong path, so X may overflow all the same. */
static void overflow_of_x(struct cascade *c, uint64_t all_a)
{
    const uint32_t slack = STIMULUS[c->a].slack;
    unsigned x = c->link.x, y = c->link.y;
    struct observation o = run(c, all_a + 1, EXAMPLE_18_1_Y);

    expect_counter(RULES(R27, R28), COUNTER_OVERFLOW_IN(1), slack, o.v[CASCADE_X],
                   "X (%C), one A short of its overflow", x);
    expect_equal(R28, slack && has_wrapped(o.v[CASCADE_X]), o.v[CASCADE_OVF_X], "OVF of X (%C), one A short",
                 x);
    if (!o.v[CASCADE_OVF_X]) {
        expect_register(RULES(R37, R33, R36), COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y), o.v[CASCADE_Y],
                        "Y (%C) after %u B, X one A short of its overflow", y, B_WORK);
        expect_equal(RULES(R33, R28), 0, o.v[CASCADE_OVF_Y], "OVF of Y (%C), X one A short", y);
    }
    o = run(c, all_a, EXAMPLE_18_1_Y);
    expect_counter(RULES(R27, R28, R37), 0, slack, o.v[CASCADE_X], "X (%C), which overflows with the last A",
                   x);
    expect_equal(RULES(R29, R28), !slack || has_wrapped(o.v[CASCADE_X]), o.v[CASCADE_OVF_X],
                 "OVF of X (%C), which overflows with the last A", x);
}

/*
 * Returns how many B's Y counts once X has overflowed, and expects as many as when Y is enabled by itself.
 * The latter number is twice the difference between b B's and half of them: a difference is free of what the
 * enabling write adds (E20).
 */
static uint64_t b_after_overflow(struct cascade *c, uint32_t b)
{
    const uint32_t slack = STIMULUS[c->b].slack;

    set_phases(c, b / 2);
    uint64_t half = count_alone(&c->y, COUNT_AS_Y, &c->frame);
    set_phases(c, b);
    uint64_t all = 2 * (count_alone(&c->y, COUNT_AS_Y, &c->frame) - half);
    struct observation o = run(c, EXAMPLE_18_1_X, NEVER);
    uint64_t counted = (o.v[CASCADE_Y] + NEVER) & COUNTER_MASK;

    expect_near(all ? cascade_rules(&c->link) : RULES(R7, R27, R33), all, 2 * slack, counted,
                "B's counted by Y (%C) once X has overflowed, against Y enabled by itself", c->link.y);
    return counted;
}

static void overflow_of_y(struct cascade *c, uint64_t all_a)
{
    unsigned x = c->link.x, y = c->link.y;
    const uint32_t of_a = STIMULUS[c->a].slack, of_b = STIMULUS[c->b].slack;
    uint64_t all_b = b_after_overflow(c, B_WORK);

    for (int beyond = -1; beyond <= 1; beyond++) {
        struct observation o = run(c, EXAMPLE_18_1_X, all_b - (uint64_t)beyond);
        expect_counter(RULES(R27, R37), (uint64_t)beyond, of_b, o.v[CASCADE_Y],
                       "Y (%C), %d B beyond its overflow", y, beyond);
        expect_equal(beyond < 0 ? R28
                     : all_b    ? RULES(R29, R28)
                                : cascade_rules(&c->link),
                     of_b ? has_wrapped(o.v[CASCADE_Y]) : beyond >= 0, o.v[CASCADE_OVF_Y],
                     "OVF of Y (%C), %d B beyond its overflow", y, beyond);
        expect_counter(RULES(R37, R27), all_a - EXAMPLE_18_1_X, of_a, o.v[CASCADE_X],
                       "X (%C), which keeps counting", x);
        expect_equal(RULES(R29, R28), 1, o.v[CASCADE_OVF_X], "OVF of X (%C)", x);
    }
}

/*
 * A and B are clocks. One write of X's CCCR := 0 stops both counters (ENABLE of X, and OVF of X for Y: R38),
 * so after T clocks X = T - 200 and Y = T - 200 - 400, but for the clocks that Y needs to start and to stop.
 */
#define START_CLOCKS      1000
#define STOP_CLOCKS       100
#define FAR_FROM_OVERFLOW COUNTER_OVERFLOW_IN(NEVER)

static struct observation run_clocks(struct cascade *c, uint64_t x_count)
{
    struct frame frame = c->frame;
    struct observation o = {{0}};

    pmc_clear(&machine_cpu);
    c->x_count = x_count;
    cascade_arm(c);
    frame_phase(&frame, 0, &work_loop, 4000);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->link.x), pmc_cccr_enabled(&c->x)};
    frame.stop[1] = (struct msr_write){MSR_CCCR(c->link.x), machine_off()};
    frame_measure(&frame);
    o.v[CASCADE_X] = pmc_read(c->link.x);
    o.v[CASCADE_Y] = pmc_read(c->link.y);
    o.v[CASCADE_OVF_Y] = pmc_overflowed(c->link.y);
    return o;
}

static void check_clocks(struct cascade *c)
{
    unsigned x = c->link.x, y = c->link.y;
    struct observation o = run_clocks(c, NEVER);

    require_true(RULES(R27, R16), o.v[CASCADE_X] > FAR_FROM_OVERFLOW, "X (%C) counted clocks", x);
    expect_between(RULES(R33, R37, R36), 0, ACCESSES_ADD, (o.v[CASCADE_Y] + EXAMPLE_18_1_Y) & COUNTER_MASK,
                   "clocks of Y (%C) while X has not overflowed; reading may add some (E1)", y);

    o = run_clocks(c, EXAMPLE_18_1_X);
    require_true(RULES(R28, R27), o.v[CASCADE_X] < FAR_FROM_OVERFLOW, "X (%C) wrapped", x);
    uint64_t difference = (o.v[CASCADE_X] - o.v[CASCADE_Y]) & COUNTER_MASK;
    expect_between(RULES(R37, R41), EXAMPLE_18_1_Y - STOP_CLOCKS, EXAMPLE_18_1_Y + START_CLOCKS, difference,
                   "clocks between X (%C) and Y (%C), start latency allowed", x, y);
    expect_equal(RULES(R29, R28), o.v[CASCADE_Y] < FAR_FROM_OVERFLOW, o.v[CASCADE_OVF_Y],
                 "OVF of Y (%C) is set exactly when it wrapped", y);
}

/* ---- Replayed loads, one by one, beside twins ---- */

static void check_replays(const struct cascade_link *link)
{
    struct course course = {
        .actors = 2,
        .actor = {{.counter = link->y, .cccr = CCCR_CASCADE}, {.counter = link->x, .cccr = CCCR_ENABLE}},
    };

    for (unsigned i = 0; i < course.actors; i++) {
        course.actor[i].event = COURSE_REPLAYS;
        course.actor[i].cccr |= CCCR_ACTIVE_MASK;
        course.actor[i].start = course_start(course.actor[i].cccr);
    }
    for (unsigned i = 0; i < COURSE_STEPS; i++) /* X overflows, at first with some events of Y in between */
        course.step[course.steps++] = course_events_of(i < 2 * COURSE_STEPS / 3 && i % 4 ? 2 : 1, 1);
    course_expect(&course, "replayed loads, one by one");
}

static void check_example(const void *link)
{
    struct cascade c;

    cascade_program_apart(&c, link);
    if (c.a == STIMULUS_CLOCKS) {
        if (!counter_is_dead(1)) /* counter 1 is X, Y or one of their twins */
            check_replays(link);
        check_clocks(&c);
        return;
    }
    set_phases(&c, B_WORK);
    uint64_t all_a = count_alone(&c.x, COUNT_AS_X, &c.frame);
    require_true(RULES(R27, R7), all_a >= A_WORK, "X (%C), enabled by itself, counts the %u A's", c.link.x,
                 A_WORK);
    overflow_of_x(&c, all_a);
    overflow_of_y(&c, all_a);
}

static void check_17(void)
{
    const struct cascade_link link = link_of_17();

    check_example(&link);
}

/*
 * The PMI of Y: none when Y overflows with the last B, one when another B follows. The frame serialises
 * between the two: whether two events of one clock are two counts is an open question (11.4). E3 takes the
 * PMI away on some parts; OVF is still due.
 */
static void check_pmi(const void *link)
{
    struct cascade c;

    cascade_program_apart(&c, link);
    unsigned y = c.link.y;
    uint64_t all_b = b_after_overflow(&c, PMI_B_WORK);
    frame_phase(&c.frame, 1, STIMULUS[c.b].work, PMI_B_WORK);
    c.y.cccr |= ovf_pmi_to(smp_self());
    c.with_pmi = true;
    const uint32_t slack = STIMULUS[c.b].slack;
    for (unsigned more = 0; more <= 1; more++) {
        /* Not the same work with n = 0: its jump would be mispredicted, and FIRM events count the wrong path.
         */
        frame_phase(&c.frame, 2, more ? STIMULUS[c.b].work : &work_nothing, more);
        struct observation o = run(&c, EXAMPLE_18_1_X, all_b);
        const uint64_t beyond = o.v[CASCADE_Y];
        const bool wrapped = slack == 0 || has_wrapped(beyond), due = slack ? wrapped && beyond > 0 : more;

        expect_counter(RULES(R27, R37), more, slack, beyond, "Y (%C), which overflows, and %u B more", y,
                       more);
        expect_equal(RULES(R29, R28), wrapped,
                     wrapped ? unflagged_accepts(y, o.v[CASCADE_OVF_Y],
                                                 !due || o.v[CASCADE_PMI] || machine_has_erratum(PMC_E3))
                             : o.v[CASCADE_OVF_Y],
                     "OVF of Y (%C), which overflows, and %u B more", y, more);
        expect_equal(R45, 0, o.v[CASCADE_PMI_OTHER], "PMIs at the other logical processor");
        if (due && o.v[CASCADE_PMI] == 0 && machine_has_erratum(PMC_E3)) {
            report_erratum(PMC_E3);
            continue;
        }
        expect_equal(due ? RULES(R55, R46, R45) : RULES(R47, R46), due, o.v[CASCADE_PMI],
                     "PMIs of Y (%C), %u B after its overflow", y, more);
    }
}

static const struct vector cascade_rows[] = {
    CHECK("cascade.18-1", "200 A on X, then 400 B on Y, each overflow on exactly its count", .also = "EX18-1",
          .deadline_ms = 5000, .stages = STAGE_CASCADE, .run_item = check_example, .items = &plain_links),
    CHECK("cascade.17", "CASCADE of 17 listens to one of 13 and 15, and there it is as Example 18-1",
          .also = "EX18-1", .deadline_ms = 5000, .stages = STAGE_CASCADE, .run = check_17),
    CHECK("cascade.pmi", "Y interrupts on the first B after its overflow", .also = "EX18-1 E3",
          .needs = NEED_LAPIC, .deadline_ms = 5000, .stages = STAGE_PMI | STAGE_CASCADE,
          .run_item = check_pmi, .items = &exact_links),
    CHECK("cascade.extended", "as Example 18-1 through bit 11", .also = "EX18-1",
          .needs = NEED_EXTENDED_CASCADE, .deadline_ms = 5000, .stages = STAGE_EXTENDED,
          .run_item = check_example, .items = &extended_links),
    CHECK("cascade.extended.pmi", "Y interrupts on the first B after its overflow", .also = "EX18-1 E3",
          .needs = NEED_LAPIC | NEED_EXTENDED_CASCADE, .deadline_ms = 5000,
          .stages = STAGE_PMI | STAGE_EXTENDED, .run_item = check_pmi, .items = &extended_links),
};
VECTOR_GROUP(cascade, .prepare = cascade_make_links);
