/* kernel/log/outcome.c: what the screen says of the failures at the end of a run. */
#include <stdio.h>
#include <string.h>
#include "kernel/log/outcome.h"
#include "tests/host/support/host_test.h"

static char text[1000];

static const char *said(void)
{
    outcome_format(text, sizeof text);
    return text;
}

/* What failed is kept for the whole of a run, so the tests are the steps of one run. */
TEST(nothing_failed)
{
    assert_string_equal(said(), "");
    assert_false(outcome_is_told());
    outcome_value("what", "of no failure");
    assert_false(outcome_is_told());
}

TEST(what_was_not_tested)
{
    static const char first[] = "no APIC", second[] = "no sibling";

    assert_int_equal(outcome_format_untested(0, 9, text, sizeof text), 0);
    outcome_untested(first, "turn it on");
    outcome_untested(second, "list it");
    outcome_untested(first, "turn it on");
    assert_int_equal(outcome_untested_points(), 3);
    const size_t length = outcome_format_untested(0, 9, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "not tested: 2 of 9: no APIC; turn it on");
    outcome_format_untested(1, 9, text, sizeof text);
    assert_string_equal(text, "not tested: 1 of 9: no sibling; list it");
    assert_int_equal(outcome_format_untested(2, 9, text, sizeof text), 0);
    assert_string_equal(said(), "");
}

TEST(failures_are_counted_and_the_first_is_told)
{
    outcome_failed("cascade.18-1.iq.14-12");
    assert_string_equal(said(), "failed: cascade.18-1 (1)\n");
    outcome_value("title", "a title");
    assert_false(outcome_is_told());
    outcome_value("what", "OVF of counter 12");
    assert_true(outcome_is_told());
    outcome_value("expected", "1");
    outcome_value("observed", "0");
    outcome_value("MSR_IQ_CCCR0", "80039000H");
    outcome_failed("state.cccr");
    outcome_value("what", "of the second failure");
    outcome_failed("cascade.18-1.iq.12-14");
    assert_string_equal(said(), "failed: cascade.18-1 (2), state (1)\n"
                                "first failure: cascade.18-1.iq.14-12\n"
                                "what: OVF of counter 12\nexpected: 1\nobserved: 0\n");
}

/* More families than three rows can name, and more than are counted by name. */
TEST(the_rest_is_counted)
{
    unsigned named = 0, others = 0;

    for (unsigned i = 0; i < 100; i++) {
        char id[40];

        snprintf(id, sizeof id, "family%u.x", i);
        outcome_failed(id);
    }
    const char *end = strchr(said(), '\n');
    assert_true(end - text < 3 * 76 && end - text > 180);
    for (const char *at = strchr(text, '('); at != NULL && at < end; at = strchr(at + 1, '('))
        named += (unsigned)(at[1] - '0');
    assert_int_equal(sscanf(strrchr(text, ')') + 1, ", %u in other families\n", &others), 1);
    assert_int_equal(named + others, 103);
}

/* The registers of the exception are in the log's last lines. */
TEST(an_exception_of_the_kernel)
{
    assert_true(outcome_is_told());
    outcome_failed("kernel.trap");
    assert_false(outcome_is_told());
}
