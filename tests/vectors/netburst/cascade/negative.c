/*
 * What must not cascade (pmu-rules 9.5; R34, R35).
 *
 * Y is armed, X overflows, and many B follow: Y must hold its preset. A Y that moves was started by a link
 * that the manual excludes. The vectors of cascade_18_1.c show that the same arming does start Y from its
 * documented partner, so a Y that cannot move at all is found there.
 */
#include "cascade.h"
#include "tests/suite/expect.h"
#include "kernel/lib/format.h"
#include "pmc/msr.h"
#include "tests/suite/machine.h"

enum arming { BY_NOTHING, BY_CASCADE, BY_EXTENDED };

/* clang-format off */
static const struct negative {
    uint8_t x, y, arming;
    const char *why;
} NEGATIVE[] = {
    {12, 16, BY_CASCADE,  "counter 16 can only be cascaded from 14 (18.15.5.6)"},
    {16, 14, BY_CASCADE,  "counter 14 cannot be cascaded from 16 (18.15.5.6)"},
    {17, 15, BY_CASCADE,  "16 and 17 initiate nothing by CASCADE (18.15.5.7)"},
    {17, 13, BY_CASCADE,  "16 and 17 initiate nothing by CASCADE (18.15.5.7)"},
    {16, 12, BY_CASCADE,  "16 and 17 initiate nothing by CASCADE (18.15.5.7)"},
    {0,  2,  BY_NOTHING,  "CASCADE = 0"},
    {4,  6,  BY_NOTHING,  "CASCADE = 0"},
    {8,  10, BY_NOTHING,  "CASCADE = 0"},
    {12, 14, BY_NOTHING,  "CASCADE = 0"},
    {0,  3,  BY_CASCADE,  "not its alternate counter"},
    {4,  7,  BY_CASCADE,  "not its alternate counter"},
    {8,  11, BY_CASCADE,  "not its alternate counter"},
    {12, 15, BY_CASCADE,  "not its alternate counter"},
    {0,  4,  BY_CASCADE,  "no cascade crosses blocks"},
    {4,  8,  BY_CASCADE,  "no cascade crosses blocks"},
    {8,  12, BY_CASCADE,  "no cascade crosses blocks"},
    {12, 0,  BY_CASCADE,  "no cascade crosses blocks"},
    {17, 12, BY_EXTENDED, "CASCNT4INTO0 listens to counter 16 only (Table 18-65)"},
    {16, 15, BY_EXTENDED, "CASCNT5INTO3 listens to counter 17 only (Table 18-65)"},
    {14, 16, BY_EXTENDED, "CASCNT5INTO4 listens to counter 17 only (Table 18-65)"},
    {15, 17, BY_EXTENDED, "CASCNT4INTO5 listens to counter 16 only (Table 18-65)"},
};
/* clang-format on */

static void negative_name(const void *item, char *out, size_t size)
{
    static const char *const arming[] = {
        [BY_NOTHING] = "off", [BY_CASCADE] = "plain", [BY_EXTENDED] = "extended"};
    const struct negative *n = item;

    format(out, size, "%s.%u-%u", arming[n->arming], n->x, n->y);
}

static unsigned negative_needs(const void *item)
{
    return ((const struct negative *)item)->arming == BY_EXTENDED ? NEED_EXTENDED_CASCADE : 0;
}

static const struct items every_negative = ITEMS(NEGATIVE, .name = negative_name, .needs = negative_needs);

static void inert(const void *item)
{
    const struct negative *n = item;
    const uint64_t preset = COUNTER_OVERFLOW_IN(EXAMPLE_18_1_Y);
    enum stimulus_id a = stimulus_a(n->x), b = stimulus_b(n->y);
    struct pmc_programming x = stimulus_prepared(a, n->x), y = stimulus_prepared(b, n->y);

    pmc_arm(&y, preset);
    if (n->arming == BY_CASCADE)
        pmc_arm_cascade(&y);
    else if (n->arming == BY_EXTENDED)
        pmc_arm_extended_cascade(&y);
    else
        msr_write(MSR_CCCR(n->y), y.cccr); /* all but CASCADE and ENABLE: it could count */
    pmc_arm(&x, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    pmc_start(&x);

    work_exercise(STIMULUS[a].work, EXAMPLE_18_1_X);
    work_exercise(STIMULUS[b].work, EXAMPLE_18_1_Y / 2);
    work_exercise(STIMULUS[b].work, EXAMPLE_18_1_Y / 2);
    const uint32_t rules = n->arming == BY_EXTENDED ? R35 : n->arming == BY_CASCADE ? R34 : RULES(R33, R34);

    require_true(RULES(R29, R28), pmc_overflowed(n->x), "OVF of counter %u", n->x);
    expect_true(rules, !pmc_overflowed(n->y), "OVF of counter %u stays 0", n->y);
    pmc_stop_all(); /* an access to a counter that selects an event may add to it (E1) */
    expect_register(rules, preset, pmc_read(n->y), "counter %u after counter %u overflowed; %s", n->y, n->x,
                    n->why);
}

static const struct vector negative_rows[] = {
    CHECK("cascade.inert", "an overflow that must start nothing", .also = "9.5.1 9.5.4 9.5.5",
          .deadline_ms = 2000, .run_item = inert, .items = &every_negative),
};
VECTOR_GROUP(negative);
