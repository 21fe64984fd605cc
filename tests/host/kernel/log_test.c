/*
 * kernel/log/log.c and tap.c against docs/log.md: what the consoles get, and the copy of it; the verdict
 * follows from the points, and from nothing else. tests/image has the check codes of whole logs
 * (CheckedLog.pm), brief logs (brief.t) and later loops of a soak (soak.t).
 */
#include <stdio.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/log/log.h"
#include "tests/host/support/kept_log.h"

static bool timed_out;
static size_t drained; /* how much of the log had been written when the serial line was last waited for */

STUB(void, uart_drain, (void), (void)(drained = logged_length));
STUB(bool, uart_timed_out, (void), timed_out);

BEFORE_EACH(begin)
{
    forget_log();
    drained = 0;
    timed_out = false;
    log_begin();
}

/* The machine may hang in what is attempted, so the line is out before the caller goes on. */
TEST(an_attempt_is_on_the_line_at_once)
{
    log_line("# any other line");
    assert_int_equal(drained, 0);
    log_attempt("# about to write register %u", 7);
    assert_string_equal(logged, "# any other line\n# about to write register 7\n");
    assert_int_equal(drained, logged_length);
}

/* The codes are zlib's crc32() of all bytes before them, check codes of earlier lines included. */
TEST(records_and_the_end_have_check_codes)
{
    log_line("TAP version 13");
    log_line("1..2");
    log_checked("ok %u - a.b", 1);
    log_checked("ok 2 - a.c # SKIP why");
    log_end("pass");
    assert_string_equal(logged, "TAP version 13\n"
                                "1..2\n"
                                "ok 1 - a.b #580E\n"
                                "ok 2 - a.c # SKIP why #55F7\n"
                                "# END OF TAP: pass, 5 lines, CRC-32 B56BC0A9\n");
}

/* Lines before the document are not in its checksum, its number of lines or its copy. */
TEST(a_document_begins_anew)
{
    char first[100];
    size_t length;

    log_line("TAP version 13");
    log_end("pass");
    strcpy(first, logged);
    log_begin();
    forget_log();
    log_line("TAP version 13");
    log_end("pass");
    assert_string_equal(logged, first);
    log_text(&length);
    assert_int_equal(length, strlen(first) + 2); /* a CR for each of two lines */
}

TEST(foreign_characters_and_long_lines_do_no_harm)
{
    char text[3000];

    log_line("# %s", "a\nb\rc\x80\x1B[0m\x7F");
    assert_string_equal(logged, "# a?b?c??[0m?\n");
    forget_log();
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    log_checked("%s", text);
    assert_int_equal(logged_length, LOG_LINE_CHARS + 6 + 1);
    assert_memory_equal(logged + LOG_LINE_CHARS - 4, "x... #", 6);
    assert_int_equal(logged[logged_length - 1], '\n');
    forget_log();
    text[LOG_LINE_CHARS] = '\0';
    log_line("%s", text); /* just fits */
    assert_int_equal(logged_length, LOG_LINE_CHARS + 1);
    assert_int_equal(logged[LOG_LINE_CHARS - 1], 'x');
}

/* What strips blanks from the ends of lines finds none, in checked lines before the check code neither. */
TEST(no_line_ends_in_a_blank)
{
    char text[LOG_LINE_CHARS + 10];

    log_line("# boot line: %s", "  ");
    log_line("ends  ");
    log_line("   ");
    assert_string_equal(logged, "# boot line:\nends\n\n");
    forget_log();
    log_checked("ok 1 - a.b # SKIP why ");
    assert_memory_equal(logged, "ok 1 - a.b # SKIP why #", 23);
    forget_log();
    memset(text, ' ', sizeof text - 1);
    text[0] = 'x';
    text[LOG_LINE_CHARS] = '\0';
    log_line("%s", text);
    assert_string_equal(logged, "x\n");
}

#define LINE_BYTES (sizeof("# this is line 000000 of many too\r\n") - 1)

/* tests/image/logfile.t compares a copy that is not full with the log. */
TEST(a_full_copy_says_so)
{
    size_t written = 0, length, kept;
    unsigned long long missing = 0;
    const char *copy, *notice;

    for (unsigned i = 0; i < LOG_COPY_BYTES / LINE_BYTES + 10; i++) {
        log_line("# this is line %06u of many too", i);
        written += LINE_BYTES;
    }
    assert_int_equal(written, logged_length / (LINE_BYTES - 1) * LINE_BYTES); /* a CR for each line */
    assert_true(written > LOG_COPY_BYTES);
    copy = log_text(&length);
    assert_true(length <= LOG_COPY_BYTES);
    assert_true(length > LOG_COPY_BYTES - 200);
    notice = memmem(copy, length, "# the copy", 10);
    assert_non_null(notice);
    kept = (size_t)(notice - copy);
    assert_int_equal(kept % LINE_BYTES, 0); /* whole lines */
    assert_memory_equal(copy + length - 2, "\r\n", 2);
    assert_int_equal(sscanf(notice, "# the copy in memory is full: %llu bytes", &missing), 1);
    assert_int_equal(missing, written - kept);
    log_line("short");
    assert_ptr_equal(log_text(&length), copy); /* nothing after the gap, however short */
    assert_int_equal(sscanf(notice, "# the copy in memory is full: %llu bytes", &missing), 1);
    assert_int_equal(missing, written - kept + 7);
}

/* The clocks of holds that nest count once. */
TEST(holds_nest)
{
    const uint64_t before = log_clocks();

    assert_false(log_held());
    log_hold();
    log_line("a line holds and releases");
    assert_true(log_held());
    log_hold();
    log_release();
    assert_true(log_held());
    tsc += 1000;
    log_release();
    assert_false(log_held());
    assert_int_equal(log_clocks() - before, 1010);
    log_hold();
    log_hold();
    log_release_all();
    log_release();
    assert_false(log_held());
    assert_int_equal(log_clocks() - before, 1020);
}

/* ---- The verdict ---- */

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

TEST(a_plan_that_was_not_kept_or_a_log_that_was_cut_short_is_broken)
{
    run_of(3, 2, 0, 0, VERDICT_BROKEN, "Bail out! 3 points were planned and 2 reported");
    run_of(1, 2, 0, 0, VERDICT_BROKEN, "Bail out! 1 points were planned and 2 reported");
    run_of(2, 1, 0, 2, VERDICT_BROKEN, "Bail out! 2 points were planned and 3 reported");
    timed_out = true; /* the serial line: the log was cut short */
    run_of(1, 1, 0, 0, VERDICT_BROKEN, "");
}

/* A brief log has a comment on a vector only if the vector fails, and then before the point. */
TEST(brief_logs)
{
    tap_begin();
    tap_brief(true);
    tap_plan(3, NULL);
    forget_log();
    tap_comment(COMMENT_INFO, "a comment");
    tap_comment(COMMENT_DETAIL, "a detail");
    tap_show("a.a");
    tap_comment(COMMENT_VECTOR, "of what passes");
    tap_ok("a.a");
    tap_not_ok("a.c"); /* fails without having run: timeout=, soak */
    tap_show("a.b");
    tap_comment(COMMENT_VECTOR, "of %s", "what fails");
    tap_not_ok("a.b");
    tap_brief(false);
    assert_true(log_has("# a comment\nok 1 - a.a") && log_has("\n# of what fails\nnot ok 3 - a.b"));
    assert_false(log_has("of what passes") || log_has("a detail"));
}

/* What passed, and what was announced, is no loss on a photograph. */
TEST(a_condensed_log_has_all_else)
{
    tap_begin();
    tap_plan(3, NULL);
    tap_start("a.a", NULL, "a title");
    tap_ok("a.a");
    tap_skip("a.b", "why");
    tap_not_ok("a.c");
    diagnosis_begin();
    tap_value("what", "ok 1");
    diagnosis_end();
    tap_comment(COMMENT_INFO, "sheet 1");
    assert_string_equal(
        log_condense(),
        "TAP version 13\n1..3\nnot ok 3 - a.c #3788\n  ---\n  what: 'ok 1'\n  ...\n# sheet 1\n");
}

/* ---- Results that are wrong now and then ---- */

static enum verdict verdict_of_unexplained(bool strict, unsigned failed)
{
    forget_log();
    tap_strict(strict);
    tap_begin();
    tap_plan(2 + failed, NULL);
    tap_ok_unexplained("a.b", 2, "2 of 93 starts by CASCADE, 14 by 12");
    tap_ok("a.c");
    for (unsigned i = 0; i < failed; i++) {
        tap_not_ok("a.d");
        if (i == 0)
            tap_intermittent();
    }
    const enum verdict verdict = tap_end();

    tap_strict(false);
    return verdict;
}

TEST(unexplained_results_are_counted_and_are_no_pass_when_strict)
{
    assert_int_equal(verdict_of_unexplained(false, 0), VERDICT_PASS);
    assert_true(log_has("\nok 1 - a.b # unexplained: 2 of 93 starts by CASCADE, 14 by 12 #"));
    assert_true(log_has("\n# 2 passed, 0 failed, 0 skipped of 2; 2 unexplained\n"));
    assert_int_equal(verdict_of_unexplained(true, 0), VERDICT_SKIP);
    assert_true(log_has("\n# END OF TAP: skip, "));
    for (unsigned strict = 0; strict < 2; strict++)
        assert_int_equal(verdict_of_unexplained(strict, 1), VERDICT_FAIL);
    tap_strict(true);
    run_of(2, 2, 0, 0, VERDICT_PASS, "# 2 passed, 0 failed, 0 skipped of 2\n"); /* they are of one document */
    tap_strict(false);
}

TEST(failures_that_come_now_and_then_are_counted_apart)
{
    assert_int_equal(verdict_of_unexplained(false, 3), VERDICT_FAIL);
    assert_true(
        log_has("\n# 2 passed, 3 failed, 0 skipped of 5; 1 of the failed intermittent; 2 unexplained\n"));
}

/* In later loops a point that passed has no line, but this one has. The last test: there is no way back. */
TEST(an_unexplained_result_of_a_later_loop_has_a_line)
{
    tap_begin();
    tap_plan(1, NULL);
    tap_later_loop(17);
    tap_ok_unexplained("a.b", 1, "1 of 9 carries, counter 4");
    tap_later_loop(0);
    tap_ok("soak");
    assert_int_equal(tap_end(), VERDICT_PASS);
    assert_true(log_has("\n# soak loop 17: ok - a.b # unexplained: 1 of 9 carries, counter 4 #"));
    assert_true(log_has("\n# 1 passed, 0 failed, 0 skipped of 1; 1 unexplained; 17 loops begun\n"));
    assert_int_equal(tap_counted().points, 2);
}
