/*
 * tests/suite/exercised.c: what was not exercised is named once at the end of the log, with the most that it
 * counted; the run is a pass, but not by the boot word strict.
 */
#include <stdio.h>
#include <string.h>
#include "kernel/log/log.h"
#include "one_run.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/exercised.h"
#include "tests/suite/expect.h"

STUB(void, pmc_dump, (const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context), (void)0);

static const struct vector ROW = {.id = "a.check", .title = "a title"};
const struct vector_group *const VECTOR_GROUPS[] = {NULL};

static const char OPEN[] = "nobody says what it counts";

BEFORE_EACH(begin)
{
    forget_log();
    tap_begin();
    tap_plan(1, NULL);
    expect_begin(&ROW, false);
    expect_run(true);
}

static enum verdict end_of_run(bool strict)
{
    tap_ok("a.check");
    exercised_report();
    tap_strict(strict);
    const enum verdict verdict = tap_end();

    tap_strict(false);
    return verdict;
}

static void going_on(void *failing)
{
    if (failing)
        expect_equal(0, 1, 2, "an expectation");
    not_exercised_now("bnr", OPEN, 7);
}

TEST(nothing_is_said_of_nothing)
{
    assert_int_equal(end_of_run(true), VERDICT_PASS);
    assert_true(log_has("\n# 1 passed, 0 failed, 0 skipped of 1\n") && !log_has("exercised"));
}

/* The names are those of the whole run, as in a soak, so this test counts on. */
TEST(each_name_is_said_once_with_the_most_that_it_counted)
{
    char name[EXERCISED_NAME] = "snoop";

    not_exercised("bnr", OPEN, 3);
    not_exercised(name, OPEN, 0);
    not_exercised("bnr", OPEN, 5);
    not_exercised("bnr", OPEN, 4);
    strcpy(name, "another");
    assert_int_equal(end_of_run(false), VERDICT_PASS);
    assert_true(log_has("\n# not exercised: bnr: nobody says what it counts; counted 5\n"
                        "# not exercised: snoop: nobody says what it counts; counted 0\n"
                        "# 1 passed, 0 failed, 0 skipped of 1; 2 not exercised\n# END OF TAP: pass, "));
}

TEST(a_vector_may_end_by_it_and_a_failure_before_it_counts)
{
    assert_false(returns_from(going_on, NULL));
    assert_true(expect_ended());
    assert_int_equal(expect_outcome(), OUTCOME_OPEN);
    expect_run(true);
    (void)returns_from(going_on, (void *)&OPEN);
    assert_int_equal(expect_outcome(), OUTCOME_NOT_OK);
}

TEST(strict_does_not_take_it_for_a_pass)
{
    not_exercised("bnr", OPEN, 1);
    assert_int_equal(end_of_run(true), VERDICT_SKIP);
    assert_true(log_has("# END OF TAP: skip, "));
    assert_true(tap_has_tested());
}

/* The last test: there is no way back. */
TEST(what_has_no_room_is_one_name)
{
    char name[EXERCISED_NAME];

    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "event %u", i);
        not_exercised(name, OPEN, i);
    }
    assert_int_equal(end_of_run(false), VERDICT_PASS);
    assert_true(log_has("\n# not exercised: others: the list is full; counted 299\n"
                        "# 1 passed, 0 failed, 0 skipped of 1; 128 not exercised\n"));
}
