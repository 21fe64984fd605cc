/*
 * Self-tests of the harness: vectors that go wrong on purpose. The boot word selftest=NAME runs one of them
 * before the selected vectors; no other run has them. Each but `slow` must end as `not ok` with a dump
 * (`late` only in the second loop of a soak), and the vectors after it must pass as if it had not run.
 */
#include "vector.h"

#include "expect.h"
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"

/* A wrong expectation: 1 + 1 is not 3. */
static void selftest_fail(void)
{
    expect_equal(0, 3, 1 + 1, "a sum, expected wrongly on purpose");
}

#define WRONG_SUMS 11u

/* More wrong expectations than a diagnosis lists, then an exception: the diagnosis says all of it. */
static void selftest_many(void)
{
    for (unsigned i = 0; i < WRONG_SUMS; i++)
        expect_equal(0, i + 1, i, "a sum, expected wrongly on purpose, it's number %u", i);
    __asm__ volatile("ud2");
}

#define SLOW_US 1200000u

/* A failure that only a second loop shows. */
static void selftest_late(void)
{
    static unsigned runs;

    expect_equal(0, 0, runs++ > 0, "runs before this one, bounded to 1");
}

static void selftest_slow(void)
{
    delay_us(SLOW_US);
}

static const struct vector selftest_rows[] = {
    CHECK("selftest.fail", "an expectation that does not hold", .also = "none", .run = selftest_fail),
    CHECK("selftest.many", "expectations that do not hold, and an exception", .also = "none",
          .run = selftest_many),
    CHECK("selftest.late", "an expectation that holds in the first loop alone", .also = "none",
          .run = selftest_late),
    CHECK("selftest.slow", "a vector that takes more than a second", .also = "none", .deadline_ms = 5000,
          .run = selftest_slow),
};

const struct vector *selftest_named(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(selftest_rows); i++)
        if (strcmp(selftest_rows[i].id + sizeof "selftest." - 1, name) == 0)
            return &selftest_rows[i];
    return NULL;
}
