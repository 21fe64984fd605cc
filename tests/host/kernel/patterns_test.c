/* kernel/run/options.c: the patterns of the boot words only= and skip=, and which vectors they match. */
#include <string.h>
#include "boot_line.h"

TEST(patterns_add_up)
{
    accept("only=cascade,R33 skip=pmi only=count.instructions");
    assert_int_equal(options.only_count, 3);
    assert_pattern(&options.only[0], "cascade");
    assert_pattern(&options.only[1], "R33");
    assert_pattern(&options.only[2], "count.instructions");
    assert_int_equal(options.skip_count, 1);
    assert_pattern(&options.skip[0], "pmi");
}

TEST(empty_patterns_are_refused)
{
    static const char *const words[] = {"only=", "only=,", "only=a,", "only=,a", "skip=a,,b", "skip="};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        refuse(words[i], words[i], "PATTERN");
}

/* Exactly OPTIONS_PATTERNS fit, in one word or in many, for only= and skip= separately. */
TEST(too_many_patterns_are_refused)
{
    char one_word[256] = "only=", many_words[256] = "";

    assert_int_equal(OPTIONS_PATTERNS, 16);
    for (unsigned i = 0; i < OPTIONS_PATTERNS; i++) {
        strcat(one_word, i > 0 ? ",a" : "a");
        strcat(many_words, "skip=b ");
    }
    strcat(one_word, " ");
    strcat(one_word, many_words);
    accept(one_word);
    assert_int_equal(options.only_count, OPTIONS_PATTERNS);
    assert_int_equal(options.skip_count, OPTIONS_PATTERNS);
    strcat(many_words, "skip=last");
    refuse(many_words, "skip=last", "16");
}

TEST(matching)
{
    static const struct {
        const char *pattern, *id, *rules;
        bool matches;
    } rows[] = {
        {"cascade", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.18-1", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.18-1.iq.12-14", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.", "cascade.18-1.iq.12-14", "R33", true},
        {"cascade.", "cascade", "R33", false},
        {"casc", "cascade.18-1.iq.12-14", "R33", false},
        {"cascade.18", "cascade.18-1.iq.12-14", "R33", false},
        {"cascade.18-1.iq.12-14.more", "cascade.18-1.iq.12-14", "R33", false},
        {"18-1", "cascade.18-1.iq.12-14", "R33", false},
        {"", "cascade", "R33", false},
        {".", "cascade", "R33", false},
        {"R33", "cascade", "R33", true},
        {"R33", "cascade", "R31 R33 R34", true},
        {"R33", "cascade", "R31\t R33", true},
        {"R3", "cascade", "R33 R34", false},
        {"R33", "cascade", "R3 R331", false},
        {"R33", "cascade", "R34 R43 S33", false},
        {"R33", "cascade", "", false},
        {"R33", "cascade", NULL, false},
        {"18-1", "cascade", "18-1 R33", true},
        {"r33", "cascade", "R33", false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pattern pattern = {rows[i].pattern, strlen(rows[i].pattern)};

        if (pattern_matches(&pattern, rows[i].id, rows[i].rules) != rows[i].matches)
            fail_msg("%s against %s", rows[i].pattern, rows[i].id);
    }
}

/* A pattern is not terminated: it ends at its length. */
TEST(pattern_ends_at_its_length)
{
    const struct pattern pattern = {"cascade,R33 quiet", 7};

    assert_true(pattern_matches(&pattern, "cascade.18-1", "R1"));
    assert_false(pattern_matches(&pattern, "count", "R33"));
}

/* Rows of the suite are passed over when no id that begins like theirs can match. */
TEST(what_cannot_match)
{
    static const struct {
        const char *pattern, *start, *rules;
        bool may;
    } rows[] = {
        {"cascade", "cascade.18-1.iq", "R33", true},
        {"cascade.18-1.iq.12-14", "cascade.18-1.iq", "R33", true},
        {"cascade.18-1.iq", "cascade.18-1.iq", "R33", true},
        {"cascade.", "cascade", "R33", true},
        {"R33", "cascade.18-1.iq", "R31 R33", true},
        {"cascade.18-2", "cascade.18-1.iq", "R33", false},
        {"count.iq", "cascade.18-1.iq", "R33", false},
        {"R3", "cascade.18-1.iq", "R33", false},
        {"R33", "cascade.18-1.iq", NULL, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pattern pattern = {rows[i].pattern, strlen(rows[i].pattern)};

        if (pattern_may_match(&pattern, rows[i].start, rows[i].rules) != rows[i].may)
            fail_msg("%s against %s...", rows[i].pattern, rows[i].start);
    }
}
