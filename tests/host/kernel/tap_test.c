/*
 * kernel/log/tap.c: the verdict follows from the points, and from nothing else; a run that reports more or
 * fewer points than it planned is broken. The consoles are replaced. tests/image has brief logs (brief.t) and
 * later loops of a soak (soak.t).
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
static void run_of(unsigned planned, unsigned passed, unsigned failed, unsigned skipped, enum verdict verdict,
                   const char *says)
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
    assert_int_equal(tap_end(), verdict);
    assert_non_null(strstr(logged, says));
}

TEST(the_verdict_follows_from_the_points)
{
    run_of(3, 2, 0, 1, VERDICT_PASS, "# 2 passed, 0 failed, 1 skipped of 3\n");
    run_of(3, 1, 1, 1, VERDICT_FAIL, "# 1 passed, 1 failed, 1 skipped of 3\n");
    run_of(1, 0, 1, 0, VERDICT_FAIL, "\nnot ok 1 - a.b");
    run_of(1, 0, 0, 1, VERDICT_PASS, "\nok 1 - a.b # SKIP no reason");
    run_of(0, 0, 0, 0, VERDICT_SKIP, "\n1..0 # SKIP nothing to do");
}

TEST(a_plan_that_was_not_kept_is_broken)
{
    run_of(3, 2, 0, 0, VERDICT_BROKEN, "Bail out! 3 points were planned and 2 reported");
    run_of(1, 2, 0, 0, VERDICT_BROKEN, "Bail out! 1 points were planned and 2 reported");
    run_of(2, 1, 0, 2, VERDICT_BROKEN, "Bail out! 2 points were planned and 3 reported");
}

TEST(a_log_that_was_cut_short_is_broken)
{
    timed_out = true;
    run_of(1, 1, 0, 0, VERDICT_BROKEN, "");
}
