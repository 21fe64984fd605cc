#include "cascade.h"

#include "tests/suite/expect.h"
#include "kernel/lib/format.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"

#define START_LATENCY 4 /* events Y may miss at its start (R37) */
#define KNOWN_B       100

static bool plain_source(unsigned y)
{
    return PMC_COUNTER[y].cascade_from != PMC_NONE && PMC_COUNTER[y].cascade_from_alternative == PMC_NONE;
}

static bool extended_source(unsigned y)
{
    return PMC_COUNTER[y].extended_from != PMC_NONE;
}

static unsigned count_routes(bool (*has_source)(unsigned))
{
    unsigned count = 0;

    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        count += has_source(y);
    return count;
}

static unsigned nth_y(bool (*has_source)(unsigned), unsigned index)
{
    unsigned y = 0;

    while (!has_source(y) || index-- > 0)
        y++;
    return y;
}

unsigned plain_routes(void)
{
    return count_routes(plain_source);
}

struct route plain_route(unsigned index)
{
    unsigned y = nth_y(plain_source, index);

    return (struct route){(uint8_t)PMC_COUNTER[y].cascade_from, (uint8_t)y, false};
}

unsigned extended_routes(void)
{
    return count_routes(extended_source);
}

struct route extended_route(unsigned index)
{
    unsigned y = nth_y(extended_source, index);

    return (struct route){(uint8_t)PMC_COUNTER[y].extended_from, (uint8_t)y, true};
}

void route_suffix(struct route route, char *out, size_t size)
{
    format(out, size, "%s.%u-%u", PMC_BLOCK_NAME[PMC_COUNTER[route.x].block], route.x, route.y);
}

void cascade_program(struct cascade *c, struct route route)
{
    skip_if_dead(route.x);
    *c = (struct cascade){.route = route, .a = stimulus_a(route.x), .b = stimulus_b(route.y)};
    stimulus_prepare(c->a);
    stimulus_prepare(c->b);
    c->x = stimulus_program(c->a, route.x);
    c->y = stimulus_program(c->b, route.y);
    frame_init(&c->frame, idle_counter(route.x, route.y));
}

void cascade_setup(struct cascade *c, struct route route)
{
    cascade_program(c, route);
    frame_phase(&c->frame, 0, STIMULUS[c->a].work, 0);
    frame_phase(&c->frame, 1, STIMULUS[c->b].work, 0);
    frame_phase(&c->frame, 2, STIMULUS[c->b].work, 0);
    c->overhead_a = (uint32_t)count_alone(&c->x, COUNT_AS_X, &c->frame);
    c->overhead_b = (uint32_t)count_alone(&c->y, COUNT_AS_Y, &c->frame);
}

void cascade_arm(const struct cascade *c)
{
    uint32_t start_msr, start_value;
    bool held;

    if (c->route.extended) {
        held = pmc_arm(&c->y, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y)) &&
               pmc_arm(&c->x, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
        pmc_arm_extended_cascade(&c->y);
    } else {
        held = example_18_1(&c->x, EXAMPLE_18_1_X, &c->y, EXAMPLE_18_1_Y, &start_msr, &start_value);
    }
    expect_true(held, "the counters hold their presets");
}

static void cascade_trial(const void *arg, struct observation *out)
{
    const struct cascade *c = arg;
    struct frame frame = c->frame;

    cascade_arm(c);
    frame_count(&frame, &c->x, &c->y, &c->x);
    if (c->with_pmi)
        pmi_arm(LVT_DELIVERY_FIXED);
    frame_measure(&frame);
    if (c->with_pmi)
        pmi_settle();
    out->v[CASCADE_X] = pmc_read(c->route.x);
    out->v[CASCADE_Y] = pmc_read(c->route.y);
    out->v[CASCADE_OVF_X] = pmc_overflowed(c->route.x);
    out->v[CASCADE_OVF_Y] = pmc_overflowed(c->route.y);
    if (c->with_pmi) {
        out->v[CASCADE_PMI] = pmi_taken(smp_self());
        out->v[CASCADE_PMI_OTHER] = pmi_taken(smp_self() ^ 1);
        pmi_disarm();
    }
}

struct observation cascade_run(struct cascade *c, uint32_t a, uint32_t b)
{
    frame_phase(&c->frame, 0, STIMULUS[c->a].work, a);
    /* In two halves: the straight-line workloads have half of 400. Both phases run always, so the frame stays
     * the same. */
    frame_phase(&c->frame, 1, STIMULUS[c->b].work, b / 2);
    frame_phase(&c->frame, 2, STIMULUS[c->b].work, b - b / 2);
    return observe(cascade_trial, c);
}

void cascade_exercise(const struct cascade *c, enum stimulus_id id, uint32_t n)
{
    struct frame frame = c->frame;

    frame_phase(&frame, 0, STIMULUS[id].work, n / 2);
    frame_phase(&frame, 1, STIMULUS[id].work, n - n / 2);
    frame_phase(&frame, 2, &work_nothing, 0);
    frame_exercise(&frame);
}

int32_t cascade_extra_b(struct cascade *c)
{
    struct observation o = cascade_run(c, EXAMPLE_18_1_X, KNOWN_B);
    uint64_t counted = (o.v[CASCADE_Y] + EXAMPLE_18_1_Y) & COUNTER_MASK;

    expect_register(c->overhead_a, o.v[CASCADE_X], "X (%u) after 200 A and the frame's own", c->route.x);
    expect_between(KNOWN_B - START_LATENCY, KNOWN_B + c->overhead_b + START_LATENCY, counted,
                   "B counted by Y (%u) of %u after X overflowed, frame and start latency allowed (R37)",
                   c->route.y, KNOWN_B);
    return (int32_t)counted - KNOWN_B;
}
