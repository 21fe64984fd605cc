/* sim/lib/near.c: the distance of two names, counted by hand, and which name is suggested. */
#include <stdio.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "sim/lib/near.h"

TEST(distances)
{
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"", "", 0},
        {"cascade", "cascade", 0},
        {"", "abc", 3},
        {"abc", "", 3},
        {"cascade-erly", "cascade-early", 1},   /* inserted */
        {"cascade-eaarly", "cascade-early", 1}, /* deleted */
        {"cascade-aarly", "cascade-early", 1},  /* replaced */
        {"cascade-aerly", "cascade-early", 1},  /* swapped */
        {"kitten", "sitting", 3},               /* two replaced, one inserted */
        {"abcd", "badc", 2},                    /* swapped twice */
        {"ca", "abc", 3},                       /* nothing comes between two letters that are swapped */
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(near_distance(rows[i].a, rows[i].b, 9), rows[i].distance);
        assert_int_equal(near_distance(rows[i].b, rows[i].a, 9), rows[i].distance);
    }
}

TEST(distances_are_bounded)
{
    char longest[NEAR_NAME_MAX + 1], too_long[NEAR_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[NEAR_NAME_MAX] = '\0';
    memset(too_long, 'x', sizeof too_long);
    too_long[NEAR_NAME_MAX + 1] = '\0';
    assert_int_equal(near_distance("abcdef", "ghijkl", 2), 3);
    assert_int_equal(near_distance(longest, longest, 2), 0);
    assert_int_equal(near_distance("", longest, 99), NEAR_NAME_MAX);
    assert_int_equal(near_distance(longest, too_long, 2), 3);
    assert_int_equal(near_distance(too_long, longest, 2), 3);
}

static void print_names(FILE *out)
{
    fputs("cascade-late    R33  a meaning with cascade-erly in it\ncascade-early   R33\nht\nuart-dies\n\n",
          out);
}

static void print_nothing(FILE *out)
{
    (void)out;
}

TEST(hints)
{
    static const struct {
        const char *wanted, *hint;
    } rows[] = {
        {"cascade-erly", "; did you mean cascade-early?"},
        {"cascade-lat", "; did you mean cascade-late?"}, /* the nearest, though others are near */
        {"uart-died", "; did you mean uart-dies?"},
        {"uartdied", "; did you mean uart-dies?"}, /* two errors in eight characters */
        {"urtdis", "" /* three errors in six characters */},
        {"hx", ""}, /* one error in two characters */
        {"", ""},
        {"uart-dies", ""}, /* in the list, and yet refused: it does not help to name it again */
        {"something-else", ""},
    };
    char hint[NEAR_NAME_MAX];
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        near_hint(rows[i].wanted, print_names, hint, sizeof hint);
        assert_string_equal(hint, rows[i].hint);
    }
    near_hint("cascade-early", print_nothing, hint, sizeof hint);
    assert_string_equal(hint, "");
    near_hint("cascade-erly", print_names, hint, 10);
    assert_string_equal(hint, "; did you");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(distances_are_bounded),
        cmocka_unit_test(hints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
