/*
 * tests/suite/unexplained.c: which results are a failure, counted by action and place, and what the log says
 * of them and of what was judged (docs/log.md). What was counted stays from test to test: they forget each
 * other's results by ten loops of a soak, and their numbers by places of their own.
 */
#include "kernel/log/log.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/kept_log.h"
#include "tests/suite/rules.h"
#include "tests/suite/soak.h"
#include "tests/suite/unexplained.h"

static uint32_t loop;

STUB(uint32_t, soak_loop, (void), loop);
STUB(void, uart_drain, (void));
STUB(bool, uart_timed_out, (void), false);

static void named(const void *item, char *out, size_t size)
{
    out[0] = *(const char *)item;
    out[1] = '\0';
    assert_true(size > 1);
}

static const struct items LETTERS = {.first = "abcdefghij", .size = 1, .count = 10, .name = named};
static const struct vector ROWS[] = {
    {.id = "a.vector"}, {.id = "another"}, {.id = "of.many", .items = &LETTERS}};
#define A_VECTOR (&ROWS[0])
#define ANOTHER  (&ROWS[1])
#define OF_MANY  (&ROWS[2])

BEFORE_EACH(begin)
{
    loop += 100;
    forget_log();
}

/* Is the result called? */
static bool called(enum action action, unsigned place, const struct vector *row, unsigned member)
{
    unexplained_add((struct act){(uint8_t)action, (uint8_t)place}, row, member);
    return unexplained_is_called();
}

static const char *report(enum tap_class class)
{
    forget_log();
    unexplained_report(class);
    return logged;
}

static bool says(const char *text)
{
    char found[UNEXPLAINED_TEXT];

    unexplained_text(1, found);
    if (strcmp(found, text) != 0)
        fail_msg("%s, not %s", found, text);
    return true;
}

/* ---- What was judged. These two tests come first, because the numbers stay ---- */

TEST(nothing_is_said_where_nothing_was_judged)
{
    assert_string_equal(report(COMMENT_INFO), "");
}

/*
 * Of 3,120 acts one at least is wrong with 95 % if one in 3,120 / 3.1 = 1,006 is; of 174, one in 56; of 62,
 * one in 20. A place where nothing was judged is not the least.
 */
TEST(each_action_has_its_number_and_the_place_judged_least)
{
    acts_judged(ACTION_CASCADE, 14, 100);
    acts_judged(ACTION_CASCADE, 14, 74);
    acts_judged(ACTION_CASCADE, 2, 2940);
    acts_judged(ACTION_CASCADE, NO_PLACE, 6);
    acts_judged(ACTION_BIT_11, 12, 31);
    acts_judged(ACTION_HALT, 17, 1000);
    acts_judged(ACTION_HALT, 3, 999);
    acts_judged(ACTION_READING, NO_PLACE, 62);
    acts_judged(ACTION_OTHER, NO_PLACE, 5);
    assert_string_equal(
        report(COMMENT_INFO),
        "# judged: starts by CASCADE 3120, excludes 1 in 1006; least 14 by 12: 174, excludes 1 in 56\n"
        "# judged: starts by bit 11 31, excludes 1 in 10; least 12 by 16: 31, excludes 1 in 10\n"
        "# judged: halts 1999, excludes 1 in 644; least counter 3: 999, excludes 1 in 322\n"
        "# judged: OVFs 0\n"
        "# judged: carries 0\n"
        "# judged: PMIs on LP0 0\n"
        "# judged: PMIs on LP1 0\n"
        "# judged: presets 0\n"
        "# judged: readings 62, excludes 1 in 20\n"
        "# judged: edges 0\n"
        "# judged: thresholds 0\n"
        "# judged: gates 0\n"
        "# judged: qualifications 0\n"
        "# judged: counts 0\n");
}

TEST(a_heartbeat_says_so_with_its_loop_and_a_check_code)
{
    (void)report(COMMENT_HEARTBEAT);
    assert_true(log_has("# soak loop 300: judged: readings 62, excludes 1 in 20 #"));
    assert_true(log_has("\n# soak loop 300: judged: counts 0 #"));
}

/* ---- Actions of rules ---- */

/* By what the rules of docs/pmu-rules.md are about. */
TEST(the_first_rule_says_the_action)
{
    static const struct {
        uint32_t rules;
        enum action action;
    } rows[] = {
        {R4, ACTION_PRESET},
        {R5, ACTION_READING},
        {R57, ACTION_READING},
        {R60, ACTION_READING},
        {R11, ACTION_QUALIFICATION},
        {R14, ACTION_QUALIFICATION},
        {R18, ACTION_GATE},
        {R19, ACTION_GATE},
        {R22, ACTION_THRESHOLD},
        {R26, ACTION_THRESHOLD},
        {R23, ACTION_EDGE},
        {R25, ACTION_EDGE},
        {R29, ACTION_OVF},
        {R31, ACTION_OVF},
        {R33, ACTION_CASCADE},
        {R34, ACTION_CASCADE},
        {R39, ACTION_CASCADE},
        {R35, ACTION_BIT_11},
        {R38, ACTION_HALT},
        {R27, ACTION_COUNT},
        {RULES(R27, R37), ACTION_CASCADE},
        {RULES(R7, R12), ACTION_COUNT},
        {R7, ACTION_COUNT},
        {R44, ACTION_COUNT},
        {E13, ACTION_COUNT},
        {0, ACTION_COUNT},
        {HARNESS, ACTION_OTHER},
        {RULES(R38, R33), ACTION_HALT},
        {RULES(R35, R37, R33), ACTION_BIT_11},
        {RULES(R46, R29), ACTION_PMI_LP0},
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(act_of_rules(rows[i].rules, 0, 0).action, rows[i].action);
    for (unsigned rule = R45; rule <= R56; rule++) {
        assert_int_equal(act_of_rules(rule, 0, 0).action, ACTION_PMI_LP0);
        assert_int_equal(act_of_rules(rule, 0, 1).action, ACTION_PMI_LP1);
    }
    for (unsigned place = 0; place < 20; place++)
        assert_int_equal(act_of_rules(R29, place, 0).place, place < 18 ? place : NO_PLACE);
}

/* ---- Which results are a failure ---- */

TEST(two_at_one_place_are_called_from_any_vectors)
{
    assert_false(called(ACTION_OVF, 3, A_VECTOR, 0));
    assert_false(called(ACTION_CARRY, 3, A_VECTOR, 0));
    assert_false(called(ACTION_HALT, 4, A_VECTOR, 0));
    assert_true(called(ACTION_OVF, 3, ANOTHER, 0));
    assert_true(called(ACTION_CARRY, 3, A_VECTOR, 0));
}

TEST(three_of_one_action_are_called_from_any_places)
{
    assert_false(called(ACTION_OVF, 3, A_VECTOR, 0));
    assert_false(called(ACTION_OVF, 4, A_VECTOR, 0));
    assert_false(called(ACTION_EDGE, 5, A_VECTOR, 0));
    assert_true(called(ACTION_OVF, 5, A_VECTOR, 0));
}

/* What has no place may be anywhere. */
TEST(without_a_place_two_are_called_only_in_one_vector)
{
    assert_false(called(ACTION_GATE, NO_PLACE, OF_MANY, 0));
    assert_false(called(ACTION_GATE, NO_PLACE, OF_MANY, 1));
    assert_true(called(ACTION_GATE, NO_PLACE, OF_MANY, 2)); /* the third */
    assert_false(called(ACTION_COUNT, NO_PLACE, A_VECTOR, 0));
    assert_true(called(ACTION_COUNT, NO_PLACE, A_VECTOR, 0));
    loop += 100;
    assert_false(called(ACTION_COUNT, NO_PLACE, A_VECTOR, 0));
    assert_false(called(ACTION_COUNT, NO_PLACE, ANOTHER, 0));
}

TEST(results_count_together_within_ten_loops_in_a_row)
{
    const uint32_t first = loop;

    assert_int_equal(UNEXPLAINED_LOOPS, 10);
    (void)called(ACTION_OVF, 6, A_VECTOR, 0);
    loop = first + 9;
    assert_true(called(ACTION_OVF, 6, A_VECTOR, 0));
    loop = first + 100;
    (void)called(ACTION_OVF, 6, A_VECTOR, 0);
    loop = first + 110;
    assert_false(called(ACTION_OVF, 6, A_VECTOR, 0));
    loop = first + 200;
    (void)called(ACTION_OVF, 7, A_VECTOR, 0);
    (void)called(ACTION_OVF, 8, A_VECTOR, 0);
    loop = first + 209;
    assert_true(called(ACTION_OVF, 9, A_VECTOR, 0));
    loop = first + 210;
    assert_false(called(ACTION_OVF, 10, A_VECTOR, 0));
}

TEST(what_is_taken_back_was_not_there)
{
    acts_judged(ACTION_OVF, 11, 50);
    assert_false(called(ACTION_OVF, 11, A_VECTOR, 0));
    (void)called(ACTION_OVF, 12, ANOTHER, 0);
    assert_true(called(ACTION_OVF, 11, ANOTHER, 0));
    unexplained_withdraw(2);
    assert_true(says("1 of 50 OVFs, counter 11"));
    assert_false(called(ACTION_OVF, 12, OF_MANY, 0));
    assert_true(called(ACTION_OVF, 11, OF_MANY, 0));
}

/* Also when they have taken the room of results that are no longer kept. */
TEST(what_is_taken_back_does_not_come_again)
{
    for (unsigned i = 0; i < 40; i++)
        (void)called(ACTION_OTHER, NO_PLACE, A_VECTOR, 0);
    for (unsigned place = 0; place < 3; place++)
        (void)called(ACTION_THRESHOLD, place, A_VECTOR, 0);
    unexplained_withdraw(3);
    assert_false(called(ACTION_THRESHOLD, 3, ANOTHER, 0));
}

/* ---- What the log says ---- */

/* The links of figure 18-49 and of Table 18-65. */
TEST(a_result_is_said_with_its_action_and_place)
{
    acts_judged(ACTION_CARRY, 0, 93);
    (void)called(ACTION_CARRY, 0, A_VECTOR, 0);
    assert_true(says("1 of 93 carries, counter 0"));
    (void)called(ACTION_CASCADE, 14, A_VECTOR, 0);
    assert_true(says("1 of 174 starts by CASCADE, 14 by 12"));
    (void)called(ACTION_BIT_11, 17, A_VECTOR, 0);
    assert_true(
        says("1 of 1 starts by bit 11, 17 by 16")); /* of those that are not counted, what is wrong is */
    (void)called(ACTION_HALT, 17, A_VECTOR, 0);
    assert_true(says("1 of 1000 halts, counter 17"));
    (void)called(ACTION_QUALIFICATION, NO_PLACE, A_VECTOR, 0);
    assert_true(says("1 of 1 qualifications"));
}

TEST(several_actions_of_a_vector_are_said_once_each)
{
    char text[UNEXPLAINED_TEXT];

    acts_judged(ACTION_PRESET, 5, 40);
    (void)called(ACTION_PRESET, 5, A_VECTOR, 0);
    (void)called(ACTION_EDGE, 6, A_VECTOR, 0);
    (void)called(ACTION_EDGE, 7, A_VECTOR, 0);
    (void)called(ACTION_PRESET, 5, A_VECTOR, 0);
    unexplained_text(4, text);
    assert_string_equal(text, "2 of 40 presets, counter 5; 1 of 1 edges, counter 6; 1 of 1 edges, counter 7");
    unexplained_text(2, text);
    assert_string_equal(text, "1 of 1 edges, counter 7; 2 of 40 presets, counter 5");
}

static const char *diagnosis(const char *id)
{
    tap_plan(1, NULL);
    tap_not_ok(id);
    diagnosis_begin();
    forget_log();
    unexplained_print(id);
    return logged;
}

/* The place is the last result's, the numbers of the action are the whole run's. */
TEST(the_diagnosis_says_what_is_intermittent)
{
    acts_judged(ACTION_PMI_LP1, 16, 93);
    acts_judged(ACTION_PMI_LP1, 2, 1119);
    (void)called(ACTION_PMI_LP1, 2, ANOTHER, 0);
    loop += 100; /* that one is counted, and not named */
    (void)called(ACTION_PMI_LP1, 16, A_VECTOR, 0);
    (void)called(ACTION_PMI_LP0, 16, ANOTHER, 0); /* of another action */
    (void)called(ACTION_PMI_LP1, 2, OF_MANY, 2);
    (void)called(ACTION_PMI_LP0, 2, OF_MANY, 2);
    (void)called(ACTION_PMI_LP1, 16, A_VECTOR, 0); /* named once */
    assert_true(called(ACTION_PMI_LP1, 16, OF_MANY, 1));
    assert_string_equal(
        diagnosis("of.many.b"),
        "  intermittent: '5 of 1212 PMIs on LP1, none beside a disturbance; counter 16: 3 of 93'\n"
        "  action: 'PMI on LP1'\n"
        "  place: 'counter 16'\n"
        "  wrong: '5'\n"
        "  judged: '1212'\n"
        "  wrong_here: '3'\n"
        "  judged_here: '93'\n"
        "  earlier: 'a.vector of.many.c'\n"
        "  boot: 'only=of.many.b,a.vector,of.many.c loop=100'\n");
}

TEST(the_diagnosis_without_a_place_or_an_earlier_vector)
{
    acts_judged(ACTION_GATE, 2, 7);
    loop += 100;
    (void)called(ACTION_GATE, NO_PLACE, A_VECTOR, 0);
    assert_true(called(ACTION_GATE, NO_PLACE, A_VECTOR, 0));
    /* three gates of a test before, which are wrong, too */
    assert_string_equal(diagnosis("a.vector"), "  intermittent: '5 of 7 gates, none beside a disturbance'\n"
                                               "  action: 'gate'\n"
                                               "  place: ''\n"
                                               "  wrong: '5'\n"
                                               "  judged: '7'\n"
                                               "  wrong_here: '5'\n"
                                               "  judged_here: '5'\n"
                                               "  earlier: ''\n"
                                               "  boot: 'only=a.vector loop=100'\n");
}

TEST(at_most_eight_earlier_vectors_are_named)
{
    for (unsigned member = 0; member < 10; member++)
        (void)called(ACTION_READING, 1, OF_MANY, member);
    (void)diagnosis("of.many.j");
    assert_true(log_has("  boot: 'only=of.many.j,of.many.i,of.many.h,of.many.g,of.many.f,of.many.e,of.many.d,"
                        "of.many.c,of.many.b loop=100'\n"));
}
