#include "cascade.h"

#include "kernel/lib/format.h"
#include "kernel/smp/smp.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"

#define START_LATENCY 4 /* events Y may miss at its start (R37) */

static struct cascade_link plain[PMC_COUNTERS], extended[PMC_COUNTERS];

static void link_name(const void *item, char *out, size_t size)
{
    const struct cascade_link *link = item;

    format(out, size, "%s.%u-%u", PMC_BLOCK_NAME[PMC_COUNTER[link->x].block], link->x, link->y);
}

#define LINKS(array)                                                             \
    {                                                                            \
        .first = (array), .size = sizeof(struct cascade_link), .name = link_name \
    }
struct items plain_links = LINKS(plain), exact_links = LINKS(plain), extended_links = LINKS(extended);

void cascade_make_links(void)
{
    unsigned on_clocks = 0;

    plain_links.count = extended_links.count = 0;
    for (const struct pmc_counter *y = PMC_COUNTER; y < PMC_COUNTER + PMC_COUNTERS; y++) {
        if (y->cascade_from != PMC_NONE && y->cascade_from_alternative == PMC_NONE)
            plain[plain_links.count++] = (struct cascade_link){(uint8_t)y->cascade_from, y->number, false};
        if (y->extended_from != PMC_NONE)
            extended[extended_links.count++] =
                (struct cascade_link){(uint8_t)y->extended_from, y->number, true};
    }
    /* The links that count clocks come first. A clock is always followed by another, so there "the 400th and
     * no 401st" cannot be had. */
    while (stimulus_a(plain[on_clocks].x) == STIMULUS_CLOCKS)
        on_clocks++;
    exact_links.first = plain + on_clocks;
    exact_links.count = plain_links.count - on_clocks;
}

void cascade_program(struct cascade *c, const struct cascade_link *link)
{
    skip_if_dead(link->x);
    *c = (struct cascade){.link = *link, .a = stimulus_a(link->x), .b = stimulus_b(link->y)};
    c->x = stimulus_prepared(c->a, link->x);
    c->y = stimulus_prepared(c->b, link->y);
    frame_init(&c->frame, idle_counter(link->x, link->y));
}

void cascade_calibrate(struct cascade *c)
{
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

    if (c->link.extended) {
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
        pmi_wait_for_delivery();
    out->v[CASCADE_X] = pmc_read(c->link.x);
    out->v[CASCADE_Y] = pmc_read(c->link.y);
    out->v[CASCADE_OVF_X] = pmc_overflowed(c->link.x);
    out->v[CASCADE_OVF_Y] = pmc_overflowed(c->link.y);
    if (c->with_pmi) {
        out->v[CASCADE_PMI] = pmi_taken(smp_self());
        out->v[CASCADE_PMI_OTHER] = pmi_taken(smp_self() ^ 1);
        pmi_disarm();
    }
}

struct observation cascade_run(struct cascade *c, uint32_t a, uint32_t b)
{
    frame_phase(&c->frame, 0, STIMULUS[c->a].work, a);
    /* In two halves, because the straight-line workloads are no longer than half of 400. Both phases always
     * run, so the frame's own events stay the same. */
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

uint64_t moved(unsigned counter, uint64_t since)
{
    return (pmc_read(counter) - since) & COUNTER_MASK;
}

int32_t cascade_extra_b(struct cascade *c)
{
    struct observation o = cascade_run(c, EXAMPLE_18_1_X, KNOWN_B);
    uint64_t counted = (o.v[CASCADE_Y] + EXAMPLE_18_1_Y) & COUNTER_MASK;

    expect_register(c->overhead_a, o.v[CASCADE_X], "X (%u) after 200 A and the frame's own", c->link.x);
    expect_between(KNOWN_B - START_LATENCY, KNOWN_B + c->overhead_b + START_LATENCY, counted,
                   "B counted by Y (%u) of %u after X overflowed, frame and start latency allowed (R37)",
                   c->link.y, KNOWN_B);
    return (int32_t)counted - KNOWN_B;
}
