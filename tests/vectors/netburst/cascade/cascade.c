/* Programs, arms and runs one cascade from X to Y, for the vectors that cascade. */
#include "cascade.h"

#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"

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

static void program(struct cascade *c, const struct cascade_link *link, enum stimulus_id a,
                    enum stimulus_id b)
{
    end_if_dead(link->x);
    end_if_dead(link->y);
    *c =
        (struct cascade){.link = *link, .a = a, .b = b, .x_count = EXAMPLE_18_1_X, .y_count = EXAMPLE_18_1_Y};
    c->x = stimulus_prepared(a, link->x);
    c->y = stimulus_prepared(b, link->y);
    frame_init(&c->frame, idle_counter(link->x, link->y));
}

uint32_t cascade_rules(const struct cascade_link *link)
{
    return link->extended ? RULES(R35, R33, R37, R36) : RULES(R34, R33, R37, R36);
}

void cascade_program(struct cascade *c, const struct cascade_link *link)
{
    program(c, link, stimulus_a(link->x), stimulus_b(link->y));
}

void cascade_program_apart(struct cascade *c, const struct cascade_link *link)
{
    /* On the IQ counters taken branches and instructions occur everywhere. */
    if (PMC_COUNTER[link->x].block == BLOCK_IQ)
        program(c, link, STIMULUS_INSTRUCTIONS, STIMULUS_NOT_TAKEN);
    else
        cascade_program(c, link);
}

void cascade_arm(const struct cascade *c)
{
    uint32_t start_msr, start_value;
    bool held;

    if (c->link.extended) {
        held = pmc_arm(&c->y, COUNTER_OVERFLOW_IN(c->y_count)) &&
               pmc_arm(&c->x, COUNTER_OVERFLOW_IN(c->x_count));
        pmc_arm_extended_cascade(&c->y);
    } else {
        held = example_18_1(&c->x, c->x_count, &c->y, c->y_count, &start_msr, &start_value);
    }
    require_true(R4, held, "the counters hold their presets");
}

static void cascade_trial(const void *arg, struct observation *out)
{
    const struct cascade *c = arg;
    struct frame frame = c->frame;

    cascade_arm(c);
    frame_count(&frame, &c->x, &c->y, &c->x);
    if (c->with_pmi)
        pmi_arm();
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

struct observation cascade_run(const struct cascade *c)
{
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

bool cascade_y_runs(const struct cascade *c)
{
    const uint64_t before = pmc_read(c->link.y);

    cascade_exercise(c, c->b, VISIBLE);
    return moved(c->link.y, before) >= VISIBLE;
}

bool cascade_starts(const struct cascade *c)
{
    pmc_start(&c->x);
    cascade_exercise(c, c->a, EXAMPLE_18_1_X);
    return cascade_y_runs(c);
}

bool starts_17(uint8_t x)
{
    struct cascade c;

    pmc_clear(&machine_cpu);
    cascade_program(&c, &(struct cascade_link){x, 17, false});
    cascade_arm(&c);
    return cascade_starts(&c);
}

struct cascade_link link_of_17(void)
{
    const bool by_13 = starts_17(13), by_15 = starts_17(15);

    require_equal(R34, 1, by_13 + by_15, "how many of counters 13 and 15 start counter 17 by CASCADE");
    pmc_clear(&machine_cpu);
    return (struct cascade_link){by_13 ? 13 : 15, 17, false};
}

uint64_t moved(unsigned counter, uint64_t since)
{
    return (pmc_read(counter) - since) & COUNTER_MASK;
}
