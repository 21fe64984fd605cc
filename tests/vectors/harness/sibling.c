/*
 * The second logical processor, after all other vectors have run.
 *
 * The second logical processor that firmware lists must take a piece of work and return from it. One that
 * never started, or stopped on the way, has left vectors skipped that this part should have run; without this
 * vector that would look like a pass. Where the tables list none, the vector is skipped.
 */
#include "kernel/smp/smp.h"
#include "tests/suite/expect.h"
#include "tests/suite/vector.h"

/* The host of a virtual machine may let a processor wait. */
#define ANSWER_US   2000000u
#define PATIENCE_MS 20000

static void nothing(void *unused)
{
    (void)unused;
}

static void sibling(void)
{
    expect_true(MP, smp_start(nothing, NULL) && smp_wait(ANSWER_US),
                "the listed second logical processor answers");
}

static const struct vector sibling_rows[] = {
    CHECK("harness.sibling", "a second logical processor that firmware lists answers to the end",
          .needs = NEED_SIBLING_LISTED, .deadline_ms = PATIENCE_MS, .run = sibling),
};
VECTOR_GROUP(sibling);
