/*
 * kernel/log/tap.c: the verdict follows from the points, and from nothing else; a run that reports more or
 * fewer points than it planned is broken. The consoles are replaced. tests/image/soak.t has later loops of a
 * soak.
 */
#include "kernel/log/log.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/kept_log.h"

static bool timed_out;

STUB(void, uart_drain, (void));
STUB(bool, uart_timed_out, (void), timed_out);

BEFORE_EACH(quiet_line)
{
    forget_log();
    timed_out = false;
}

/* A run of so many points, of which some fail or are skipped. */
static enum verdict run_of(unsigned planned, unsigned passed, unsigned failed, unsigned skipped)
{
    forget_log();
    tap_begin();
    tap_plan(planned, "nothing to do");
    while (passed-- > 0)
        tap_ok("a.b");
    while (failed-- > 0)
        tap_not_ok("a.b");
    while (skipped-- > 0)
        tap_skip("a.b", "no %s", "reason");
    return tap_end();
}

TEST(the_verdict_follows_from_the_points)
{
    assert_int_equal(run_of(3, 2, 0, 1), VERDICT_PASS);
    assert_true(log_has("# 2 passed, 0 failed, 1 skipped of 3\n"));
    assert_int_equal(run_of(3, 1, 1, 1), VERDICT_FAIL);
    assert_true(log_has("\nnot ok 2 - a.b"));
    assert_true(log_has("# 1 passed, 1 failed, 1 skipped of 3\n"));
    assert_int_equal(run_of(1, 0, 0, 1), VERDICT_PASS);
    assert_true(log_has("\nok 1 - a.b # SKIP no reason"));
    assert_int_equal(run_of(0, 0, 0, 0), VERDICT_SKIP);
    assert_true(log_has("\n1..0 # SKIP nothing to do"));
}

/* With or without a failure beside it. */
TEST(a_pmu_that_was_not_tested_is_no_pass)
{
    for (unsigned failed = 0; failed < 2; failed++) {
        forget_log();
        tap_begin();
        tap_plan(2, NULL);
        if (failed)
            tap_not_ok("a.b");
        else
            tap_ok("a.b");
        tap_skip_pmu("no PMU");
        assert_int_equal(tap_end(), failed ? VERDICT_FAIL : VERDICT_SKIP);
        assert_true(log_has("\nok 2 - pmu # SKIP no PMU"));
    }
}

TEST(a_plan_that_was_not_kept_is_broken)
{
    assert_int_equal(run_of(3, 2, 0, 0), VERDICT_BROKEN);
    assert_true(log_has("Bail out! 3 points were planned and 2 reported"));
    assert_int_equal(run_of(1, 2, 0, 0), VERDICT_BROKEN);
    assert_true(log_has("Bail out! 1 points were planned and 2 reported"));
    assert_int_equal(run_of(2, 1, 0, 2), VERDICT_BROKEN);
}

TEST(a_log_that_was_cut_short_is_broken)
{
    timed_out = true;
    assert_int_equal(run_of(1, 1, 0, 0), VERDICT_BROKEN);
}

/* A brief log has a comment on a vector only if the vector fails, and then before the point. */
TEST(brief_logs)
{
    tap_begin();
    tap_brief(true);
    tap_plan(4, NULL);
    forget_log();
    tap_comment(COMMENT_INFO, "a comment");
    tap_comment(COMMENT_DETAIL, "a detail");
    tap_show("a.a");
    tap_comment(COMMENT_VECTOR, "of what passes");
    tap_ok("a.a");
    tap_show("a.b");
    tap_comment(COMMENT_VECTOR, "first of %s", "what fails");
    tap_comment(COMMENT_VECTOR, "second");
    assert_true(log_has("# a comment\nok 1 - a.a"));
    assert_false(log_has("# first"));
    tap_not_ok("a.b");
    tap_comment(COMMENT_VECTOR, "third");
    assert_true(log_has("\n# first of what fails\n# second\nnot ok 2 - a.b"));
    assert_true(log_has("\n# third\n"));
    tap_show("a.c");
    tap_comment(COMMENT_VECTOR, "of what passes");
    tap_ok("a.c");
    tap_not_ok("a.d"); /* fails without having run: timeout=, soak */
    tap_show("a.e");
    tap_comment(COMMENT_VECTOR, "of what passes, or is skipped");
    tap_skip("a.e", "it cannot run");
    tap_not_ok("a.f");
    assert_false(log_has("of what passes") || log_has("a detail"));
    tap_brief(false);
    tap_comment(COMMENT_VECTOR, "in a full log");
    tap_comment(COMMENT_DETAIL, "in a full log, too");
    assert_true(log_has("\n# in a full log\n# in a full log, too\n"));
}
