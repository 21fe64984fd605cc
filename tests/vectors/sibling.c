/*
 * The machine the vectors stand on, looked at when all of them have run.
 *
 * The second logical processor that firmware lists takes a piece of work and returns from it. One that never
 * started, or stopped on the way, left vectors skipped that the part should have run, and that must not look
 * like a pass. Where the tables list none there is nothing to ask for.
 */
#include "tests/suite/expect.h"
#include "kernel/x86/lapic.h"
#include "kernel/smp/smp.h"
#include "tests/suite/vector.h"

#define ANSWER_US 10000

static void nothing(void *unused)
{
    (void)unused;
}

static void sibling(unsigned member)
{
    const struct topology *t = smp_topology();

    (void)member;
    if (!t->sibling_listed)
        skip_now("firmware's tables (%s) list no second logical processor", t->source);
    if (!lapic_present())
        skip_now("no local APIC to start the second logical processor with");
    expect_true(smp_start(nothing, 0) && smp_wait(ANSWER_US), "the listed second logical processor answers");
}

static const struct vector harness_rows[] = {
    {"harness.sibling", "a second logical processor that firmware lists answers to the end", "MP", NEED_SMT,
     false, 1000, sibling, 0},
};
VECTOR_GROUP(harness);
