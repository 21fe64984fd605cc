/*
 * The second logical processor, after all other vectors have run.
 *
 * The second logical processor that firmware lists must take a piece of work and return from it. One that
 * never started, or stopped on the way, has left vectors skipped that this part should have run; without this
 * vector that would look like a pass. Where the tables list none, the vector is skipped.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "tests/suite/expect.h"
#include "tests/suite/vector.h"

#define ANSWER_US 10000

static void nothing(void *unused)
{
    (void)unused;
}

static void sibling(void)
{
    const struct topology *t = smp_topology();

    if (!t->sibling_listed)
        skip_now("the firmware lists no second logical processor (%s)", t->source);
    if (!lapic_present())
        skip_now("%s", lapic_missing());
    expect_true(NULL, smp_start(nothing, 0) && smp_wait(ANSWER_US),
                "the listed second logical processor answers");
}

static const struct vector sibling_rows[] = {
    CHECK("harness.sibling", "a second logical processor that firmware lists answers to the end",
          .rules = "MP", .needs = NEED_SMT, .run = sibling),
};
VECTOR_GROUP(sibling);
