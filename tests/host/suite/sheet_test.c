/*
 * tests/suite/sheet.c: which answer stands in which line, and which check that failed makes which answers
 * doubtful. A failure stays, so the tests follow each other.
 */
#include <stdlib.h>
#include "kernel/log/log.h"
#include "kernel/run/run.h"
#include "tests/host/support/kept_log.h"
#include "tests/suite/sheet.h"

STUB(void, console_drain, (void));
STUB(bool, console_timed_out, (void), false);

void bail_out(const char *fmt, ...)
{
    fail_msg("bails out: %s", fmt);
    abort();
}

static const char *reason; /* why no probe was run; null: all were */

static const char *why_not(const char *probe)
{
    assert_non_null(probe);
    return reason;
}

static void print(void)
{
    forget_log();
    sheet_print(why_not);
}

TEST(a_sheet_without_answers_is_not_printed)
{
    print();
    assert_string_equal(logged, "");
}

TEST(each_answer_stands_behind_its_question)
{
    sheet_line("10.2", "%u", 15);
    sheet_line("10.5a", "raised");
    sheet_line("10.8a", "ignored");
    sheet_line("10.12b", "89H");
    sheet_line("11.12", "is an edge");
    print();
    assert_true(log_has("# sheet 10.2 CASCADE of counter 17 listens to: 15\n"));
    assert_true(log_has("# sheet 10.8a counter bits 63:40: ignored\n"));
    assert_true(log_has("# sheet 11.12 edge filter switched on in a counter that runs: is an edge\n"));
    assert_true(log_has("# sheet 10.4 ENABLE of CCCR 1: not probed: probe.count.cccr1 gave no answer\n"));
    reason = "left out by skip=";
    print();
    assert_true(log_has("# sheet 10.4 ENABLE of CCCR 1: not probed: left out by skip=\n"));
    reason = NULL;
}

/* A check of PMIs by cascades belongs to that family, and not to the one of cascades. */
TEST(a_failed_check_makes_doubtful_what_rests_on_it)
{
    sheet_doubt("cascade.pmi.iq");
    print();
    assert_true(log_has("# sheet 10.5a PMI of a Y started by CASCADE: not probed: cascade.pmi.* failed\n"));
    assert_true(log_has("listens to: 15\n"));
    sheet_doubt("cascade.18-1.iq.12-14");
    print();
    assert_true(log_has("listens to: not probed: cascade.* failed\n"));
    assert_true(log_has("# sheet 10.8a counter bits 63:40: ignored\n"));
    sheet_doubt("harness.sibling");
    sheet_doubt("state.cccr");
    print();
    assert_true(log_has("# sheet 10.8a counter bits 63:40: not probed: state.* failed\n"));
    assert_true(log_has("# sheet 10.12b IA32_MISC_ENABLE: 89H\n"));
}
