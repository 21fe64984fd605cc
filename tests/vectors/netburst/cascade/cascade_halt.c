/*
 * Halting a cascaded counter (18.15.5.5; R36, R38): "either clear the Cascade flag in the cascaded counter's
 * CCCR MSR or clear the OVF flag in the alternate counter's CCCR MSR".
 *
 * X overflows and Y runs. Then one bit is cleared, and all others stay as they were. Y must stand still,
 * whatever B's and A's follow, and X must go on counting. On an extended link bit 11 is the flag.
 *
 *   the flag, as written   Y's CCCR is written as it was when Y was armed, without the flag; ENABLE is 0
 *   the flag, read back    it is written as it is read, without the flag; meanwhile Y has overflowed, and OVF
 *                          stays. Where ENABLE of a started Y reads 1 (10.1c) this write sets ENABLE, and the
 *                          manual has two sentences for it: this one halts Y, and by paragraph 2 of
 *                          the section only clearing ENABLE does (R36). There Y must halt when ENABLE is
 *                          cleared as well
 *   OVF of X               X's CCCR is written as it is read, without OVF; ENABLE of X stays 1. Y has its
 *                          OVF_PMI flags, and OS without USR, which make no difference
 */
#include "cascade.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

/* Start Y by an overflow of X. Y's CCCR has y_bits; if any are set, Y's ESCR counts at CPL 0 only. Y
 * overflows with y_count B's, of which VISIBLE occur here. */
static void start_by_cascade(struct cascade *c, const struct cascade_link *link, uint32_t y_bits,
                             uint64_t y_count)
{
    pmc_clear(&machine_cpu);
    cascade_program(c, link);
    c->y_count = y_count;
    c->y.cccr |= y_bits;
    if (y_bits)
        pmc_set_privilege(&c->y, escr_self(true, false));
    cascade_arm(c);
    require_true(cascade_rules(link), cascade_starts(c), "Y (%C) runs after X (%C) overflowed", link->y,
                 link->x);
    require_true(RULES(R29, R28), pmc_overflowed(link->x), "OVF of X (%C)", link->x);
}

static void expect_halted(const struct cascade *c, const char *flag, const char *how)
{
    unsigned x = c->link.x, y = c->link.y;
    uint64_t y_before = pmc_read(y), x_before = pmc_read(x);

    cascade_exercise(c, c->b, VISIBLE);
    cascade_exercise(c, c->a, VISIBLE);
    expect_between(R38, 0, ACCESSES_ADD, moved(y, y_before),
                   "events counted by Y (%C), halted by clearing %s%s; reading may add some (E1)", y, flag,
                   how);
    expect_true(RULES(R38, R27), moved(x, x_before) >= VISIBLE,
                "X (%C) keeps counting when Y is halted by clearing %s", x, flag);
}

static void check_halt(const void *item)
{
    const struct cascade_link *link = item;
    const uint32_t pmi = CCCR_OVF_PMI_T0 | (machine_cpu.ht ? CCCR_OVF_PMI_T1 : 0);
    const char *flag = link->extended ? "bit 11" : "CASCADE";
    struct cascade c;

    start_by_cascade(&c, link, 0, EXAMPLE_18_1_Y);
    pmc_halt_by_cascade_flag(&c.y);
    expect_halted(&c, flag, " in its CCCR as written");
    expect_true(RULES(R29, R32), pmc_overflowed(link->x),
                "OVF of X (%C) stays when Y is halted by its own CCCR", link->x);

    start_by_cascade(&c, link, 0, VISIBLE / 2);
    uint64_t cccr = msr_read(MSR_CCCR(link->y));
    expect_true(RULES(R29, R28), cccr & CCCR_OVF, "OVF of Y (%C)", link->y);
    msr_write(MSR_CCCR(link->y), cccr & ~(uint64_t)(link->extended ? CCCR_CASCNT : CCCR_CASCADE));
    if (cccr & CCCR_ENABLE)
        pmc_stop(link->y);
    expect_halted(&c, flag, " in its CCCR as read");
    expect_true(RULES(R29, R38), pmc_overflowed(link->y), "OVF of Y (%C) stays when Y is halted", link->y);

    start_by_cascade(&c, link, pmi, EXAMPLE_18_1_Y);
    pmc_halt_by_overflow_flag(link->x);
    expect_halted(&c, "OVF in X's CCCR", "");
}

static void check_17(void)
{
    const struct cascade_link link = link_of_17();

    check_halt(&link);
}

static const struct vector cascade_halt_rows[] = {
    CHECK("cascade.halt", "Y halts by its CASCADE and by X's OVF; X goes on", .also = "9.5.6",
          .deadline_ms = 5000, .run_item = check_halt, .items = &plain_links),
    CHECK("cascade.17.halt", "the same with Y = 17 and the X that starts it", .also = "9.5.6",
          .deadline_ms = 5000, .run = check_17),
    CHECK("cascade.extended.halt", "Y halts by its bit 11 and by X's OVF; X goes on",
          .needs = NEED_EXTENDED_CASCADE, .deadline_ms = 5000, .run_item = check_halt,
          .items = &extended_links),
};
VECTOR_GROUP(cascade_halt);
