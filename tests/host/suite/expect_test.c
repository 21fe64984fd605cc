/*
 * tests/suite/expect.c and failure.c: every bit of a value is compared, what fails decides the run as the
 * headers say, and the diagnosis of a failure tells all of it. The end of a run and the consoles are replaced
 * (one_run.h), and so are the PMU registers.
 */
#include <stdio.h>
#include <string.h>
#include "kernel/log/log.h"
#include "one_run.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/course_failed.h"
#include "tests/suite/expect.h"
#include "tests/suite/failure.h"
#include "tests/suite/setting.h"
#include "tests/suite/unexplained.h"
#include "tests/suite/witness.h"

static const struct trap_report no_trap;
static uint64_t register_value;

STUB(void, pmc_dump, (const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context),
     (void)(fn(context, "MSR_BPU_COUNTER0", register_value++),
            fn(context, "MSR_IQ_CCCR2", CCCR_CASCADE | CCCR_ESCR_SELECT(4))));

static const struct vector ROWS[] = {
    {.id = "a.first", .title = "a title"},
    {.id = "a.probe", .title = "a title", .also = "10.1", .probe = true},
    {.id = "a.check", .title = "a title", .also = "EX18-1 E3"},
};
static const struct vector *const PROBED = &ROWS[1], *const CHECKED = &ROWS[2];
static const struct vector_group ROWS_OF_TEST = {.rows = ROWS, .count = 3};
const struct vector_group *const VECTOR_GROUPS[] = {&ROWS_OF_TEST, NULL};
const struct judged_rules VECTORS_JUDGE[] = {
    {"a.first.1", (const uint8_t[]){R61, R2, 0}},
    {"a.first.10", (const uint8_t[]){R33, 0}},
    {"a.first.12", (const uint8_t[]){0}},
    {"a.check", (const uint8_t[]){R1, E12, MP, 0}},
    {NULL, NULL},
};

BEFORE_EACH(begin)
{
    forget_log();
    register_value = 7;
    tap_plan(1, NULL);
    expect_begin(CHECKED, true);
    expect_run(true);
}

static enum outcome after(void (*fn)(void *), void *arg, bool decisive)
{
    expect_run(decisive);
    (void)returns_from(fn, arg);
    return expect_outcome();
}

static const char *first_failure(void)
{
    static char text[200];

    failure_first(text, sizeof text);
    return text;
}

/* ---- What is compared ---- */

enum way { EQUAL, REGISTER, REQUIRED, BETWEEN, REQUIRED_BETWEEN, NEAR, TRUE, REQUIRED_TRUE, COUNTER };

/* An expectation: of a value, of bounds (low, high), or about a value with a spread (high). */
struct call {
    enum way way;
    uint64_t low, high, observed;
};

static void make(void *arg)
{
    const struct call *c = arg;

    switch (c->way) {
    case EQUAL:
        assert_int_equal(expect_equal(0, c->low, c->observed, "a value"), c->low == c->observed);
        break;
    case REGISTER:
        assert_int_equal(expect_register(0, c->low, c->observed, "a value"), c->low == c->observed);
        break;
    case REQUIRED:
        require_equal(0, c->low, c->observed, "a value");
        break;
    case BETWEEN:
        (void)expect_between(0, c->low, c->high, c->observed, "a value");
        break;
    case REQUIRED_BETWEEN:
        require_between(0, c->low, c->high, c->observed, "a value");
        break;
    case NEAR:
        (void)expect_near(0, c->low, c->high, c->observed, "a value");
        break;
    case COUNTER:
        (void)expect_counter(0, c->low, c->high, c->observed, "a counter");
        break;
    case TRUE:
        assert_int_equal(expect_true(0, c->observed, "a condition"), c->observed);
        break;
    case REQUIRED_TRUE:
        require_true(0, c->observed, "a condition");
        break;
    }
}

static void judged(enum way way, uint64_t low, uint64_t high, uint64_t observed, bool holds)
{
    struct call call = {way, low, high, observed};

    if (after(make, &call, true) != (holds ? OUTCOME_OPEN : OUTCOME_NOT_OK))
        fail_msg("way %d: %llX, %llX, %llX", way, (unsigned long long)low, (unsigned long long)high,
                 (unsigned long long)observed);
}

static void take_none(void *unused)
{
    (void)unused;
    expect_exception(0, 13, NO_EXCEPTION, "exception");
    expect_fault(0, 13, 0, "exception of RDPMC");
    expect_fault(0, 0, 13, "exception of RDMSR");
}

/* "None came" is no number, which a reader would take for too much. one_run.h names each exception alike. */
TEST(an_exception_is_no_quantity)
{
    forget_log();
    assert_int_equal(after(take_none, NULL, true), OUTCOME_NOT_OK);
    assert_string_equal(first_failure(), "exception = none, not 13 (an exception)");
    expect_print("a.check", &no_trap);
    assert_non_null(strstr(logged, "'exception of RDPMC = none, not 13 (an exception)'"));
    assert_non_null(strstr(logged, "'exception of RDMSR = 13 (an exception), not none'"));
    expect_run(true);
    assert_true(expect_exception(0, 0, 0, "exception"));
    assert_true(expect_fault(0, 0, 0, "exception"));
    assert_false(expect_exception(0, NO_EXCEPTION, 0, "exception"));
    assert_int_equal(expect_outcome(), OUTCOME_NOT_OK);
}

TEST(every_bit_is_compared)
{
    static const uint64_t values[] = {0, 1, 0x5555555555, UINT64_MAX};

    for (enum way way = EQUAL; way <= REQUIRED; way++)
        for (size_t v = 0; v < COUNT_OF(values); v++) {
            judged(way, values[v], 0, values[v], true);
            for (unsigned bit = 0; bit < 64; bit++)
                judged(way, values[v], 0, values[v] ^ 1ull << bit, false);
        }
}

/* Bounds are part of what is allowed, nothing beyond is, and bounds the wrong way round allow nothing; near
 * is at most the spread away. */
TEST(bounds_and_spreads)
{
    const uint64_t bit_32 = 1ull << 32, bit_40 = 1ull << 40;
    const struct {
        enum way way;
        uint64_t low, high, least, most; /* the least and the most that holds */
    } rows[] = {{BETWEEN, 5, 9, 5, 9},
                {REQUIRED_BETWEEN, 5, 9, 5, 9},
                {BETWEEN, 0, 0, 0, 0},
                {BETWEEN, 0, UINT64_MAX, 0, UINT64_MAX},
                {BETWEEN, bit_40, 2 * bit_40, bit_40, 2 * bit_40},
                {NEAR, 7, 0, 7, 7},
                {NEAR, 7, 2, 5, 9},
                {NEAR, 7, 7, 0, 14},
                {NEAR, bit_40, 5, bit_40 - 5, bit_40 + 5}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        judged(rows[i].way, rows[i].low, rows[i].high, rows[i].least, true);
        judged(rows[i].way, rows[i].low, rows[i].high, rows[i].most, true);
        if (rows[i].least > 0)
            judged(rows[i].way, rows[i].low, rows[i].high, rows[i].least - 1, false);
        if (rows[i].most < UINT64_MAX)
            judged(rows[i].way, rows[i].low, rows[i].high, rows[i].most + 1, false);
    }
    judged(BETWEEN, 0, 9, bit_32 + 5, false);
    judged(BETWEEN, 0, 9, 1ull << 63, false);
    judged(BETWEEN, 9, 5, 7, false);
    judged(REQUIRED_BETWEEN, 9, 5, 7, false);
    judged(NEAR, 7, 2, bit_32 + 7, false);
    judged(NEAR, 1, 2, 1, false);
    for (enum way way = TRUE; way <= REQUIRED_TRUE; way++)
        for (unsigned condition = 0; condition < 2; condition++)
            judged(way, 0, 0, condition, condition);
}

/* A counter has 40 bits, so a value just below 0 is near 0. */
TEST(a_counter_is_near_around_its_end)
{
    static const uint64_t values[] = {0, 1, 100, COUNTER_MASK, 1ull << 39};

    for (size_t i = 0; i < COUNT_OF(values); i++)
        for (uint64_t spread = 0; spread < 3; spread++) {
            judged(COUNTER, values[i], spread, (values[i] + spread) & COUNTER_MASK, true);
            judged(COUNTER, values[i], spread, (values[i] - spread) & COUNTER_MASK, true);
            judged(COUNTER, values[i], spread, (values[i] + spread + 1) & COUNTER_MASK, false);
            judged(COUNTER, values[i], spread, (values[i] - spread - 1) & COUNTER_MASK, false);
        }
}

/* One number where both ends agree, no end where there is none, and a sign. */
TEST(numbers_are_said_as_people_write_them)
{
    static const struct {
        struct call call;
        const char *said;
    } cases[] = {{{BETWEEN, 400, 400, 0}, "a value = 0, not 400"},
                 {{BETWEEN, 5, 9, 4}, "a value = 4, not 5 to 9"},
                 {{BETWEEN, 40, UINT64_MAX, 3}, "a value = 3, not at least 40"},
                 {{EQUAL, 3, 0, (uint64_t)-2}, "a value = -2, not 3"}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct call call = cases[i].call;

        assert_int_equal(after(make, &call, false), OUTCOME_UNEXPLAINED);
        assert_string_equal(first_failure(), cases[i].said);
    }
}

/* ---- What a failure does to the run ---- */

static unsigned reached;

static void failing_twice(void *unused)
{
    (void)unused;
    reached = 1;
    expect_equal(0, 1, 2, "the first");
    reached = 2;
    expect_equal(0, 3, 4, "the second");
    reached = 3;
}

static void failing_where_it_matters(void *unused)
{
    (void)unused;
    reached = 1;
    require_equal(0, 1, 2, "the first");
    reached = 2;
}

TEST(a_deciding_run_ends_only_where_later_steps_depend)
{
    assert_int_equal(after(failing_twice, NULL, true), OUTCOME_NOT_OK);
    assert_int_equal(reached, 3);
    assert_false(expect_ended());
    assert_int_equal(after(failing_where_it_matters, NULL, true), OUTCOME_NOT_OK);
    assert_int_equal(reached, 1);
    assert_true(expect_ended());
}

TEST(a_run_that_does_not_decide_ends_with_its_first_failure)
{
    assert_int_equal(after(failing_twice, NULL, false), OUTCOME_UNEXPLAINED);
    assert_int_equal(reached, 1);
    assert_true(expect_ended());
    assert_string_equal(first_failure(), "the first = 2, not 1");
    expect_run(true);
    assert_int_equal(expect_outcome(), OUTCOME_OPEN);
    assert_false(expect_ended());
}

/* ---- Beside a witness ---- */

static uint32_t rules_of_failing;
static unsigned witness; /* of enum witness, that comes before it */
static uint64_t wrong_one = 2;

static void failing_beside(void *unused)
{
    (void)unused;
    board_interrupts += (witness & WITNESS_INTERRUPT) != 0;
    witness_add(witness & WITNESS_TIME);
    expect_equal(rules_of_failing, 1, wrong_one, "OVF of counter %C and counter %C", 12, 14);
}

static enum outcome outcome_beside(uint32_t rules, unsigned seen)
{
    rules_of_failing = rules;
    witness = seen;
    return after(failing_beside, NULL, false);
}

/* An interrupt of the board can be the PMI that is lacking. */
TEST(a_failure_beside_a_witness_is_a_disturbance)
{
    assert_int_equal(outcome_beside(R29, 0), OUTCOME_UNEXPLAINED);
    assert_int_equal(outcome_beside(R29, WITNESS_INTERRUPT), OUTCOME_DISTURBED);
    assert_int_equal(outcome_beside(R29, WITNESS_TIME), OUTCOME_DISTURBED);
    assert_int_equal(outcome_beside(R45, WITNESS_INTERRUPT), OUTCOME_DISTURBED);
    wrong_one = 0;
    assert_int_equal(outcome_beside(R29, WITNESS_INTERRUPT), OUTCOME_DISTURBED);
    assert_int_equal(outcome_beside(R45, WITNESS_INTERRUPT), OUTCOME_UNEXPLAINED);
    assert_int_equal(outcome_beside(R45, WITNESS_TIME), OUTCOME_DISTURBED);
    wrong_one = 2;
    assert_int_equal(outcome_beside(R29, 0),
                     OUTCOME_UNEXPLAINED); /* a run forgets the witness of the one before */
    (void)after(failing_where_it_matters, NULL, false);
    assert_int_equal(outcome_beside(R29, WITNESS_TIME), OUTCOME_DISTURBED);
    assert_string_equal(expect_disturbance(), "OVF of counter 12 and counter 14 = 2, not 1");
    assert_string_equal(first_failure(), "the first = 2, not 1"); /* a disturbance takes no failure's place */
    witness = WITNESS_INTERRUPT | WITNESS_TIME;
    assert_int_equal(after(failing_beside, NULL, true), OUTCOME_NOT_OK); /* this one decides */
}

static void failing_as_told(void *unused)
{
    (void)unused;
    expect_about((struct act){ACTION_CARRY, 5});
    expect_equal(R29, 1, 2, "OVF of counter %C", 12);
}

static void failing_after_it_was_told(void *unused)
{
    (void)unused;
    expect_about((struct act){ACTION_CARRY, 5});
    expect_equal(R29, 1, 1, "OVF of counter %C", 12);
    expect_equal(R38, 1, 2, "no counter");
}

TEST(a_failure_is_about_what_it_names_or_what_was_told)
{
    (void)outcome_beside(R29, 0);
    assert_true(expect_act().action == ACTION_OVF && expect_act().place == 12);
    (void)after(failing_as_told, NULL, false);
    assert_true(expect_act().action == ACTION_CARRY && expect_act().place == 5);
    (void)after(failing_after_it_was_told, NULL, false);
    assert_true(expect_act().action == ACTION_HALT && expect_act().place == NO_PLACE);
}

static void failing_third(void *unused)
{
    (void)unused;
    expect_equal(0, 1, 1, "the first");
    expect_true(0, true, "the second");
    expect_equal(0, 1, 2, "the third");
}

TEST(expectations_are_counted_in_each_run)
{
    for (unsigned run = 0; run < 3; run++) {
        (void)after(failing_third, NULL, false);
        assert_int_equal(expect_number(), 3);
    }
    expect_run(false);
    assert_int_equal(expect_number(), 0);
}

/* What is expected to be 0 was not done, a probe judges nothing, and what was told is counted where it was.
 */
TEST(an_expectation_that_holds_is_an_act_that_was_judged)
{
    expect_equal(R29, 1, 1, "OVF");
    expect_between(R29, 1, 2, 2, "OVF");
    expect_true(R29, true, "OVF");
    expect_equal(R29, 0, 0, "OVF");
    expect_between(R29, 0, 2, 2, "OVF");
    expect_about((struct act){ACTION_OVF, 3});
    expect_equal(R29, 1, 1, "OVF");
    expect_begin(PROBED, true);
    expect_equal(R29, 1, 1, "OVF");
    forget_log();
    unexplained_report(COMMENT_INFO);
    assert_true(log_has("# judged: OVFs 3, excludes"));
}

/* Those that failed are not among them, and those of the run before are forgotten. */
TEST(the_rules_of_what_held_are_printed_each_with_its_number)
{
    expect_true(R61, true, "of the run before");
    expect_run(true);
    for (unsigned i = 0; i < 4; i++)
        expect_equal(RULES(R28, R29), i, i, "OVF");
    expect_near(R45, 5, 1, 5, "PMIs");
    expect_true(HARNESS, true, "it goes on");
    expect_equal(R7, 0, 1, "wrong");
    rules_held(R45);
    forget_log();
    expect_print_held();
    assert_string_equal(logged, "# held: R28 R29 (4), R45 (2), harness (1)\n");
}

TEST(the_rules_of_what_held_go_on_in_the_next_line)
{
    for (unsigned rule = R1; rule <= R61; rule++)
        rules_held(RULES(rule, R1, R2, R3));
    forget_log();
    expect_print_held();
    assert_true(log_has("# held: R1 R1 R2 R3 (1), R2 R1 R2 R3 (1),") && log_has("R61 R1 R2 R3 (1)\n"));
    for (const char *line = logged; *line; line = strchr(line, '\n') + 1)
        assert_true(strncmp(line, "# held: R", 9) == 0 && strchr(line, '\n') - line < 140);
}

/* What a verbose run does not ask for is not noted. */
TEST(without_note_held_nothing_is_printed)
{
    expect_begin(CHECKED, false);
    expect_run(true);
    expect_true(R61, true, "it holds");
    forget_log();
    expect_print_held();
    assert_string_equal(logged, "");
}

/* A run that passed has none of its own, so that the last one can still be printed. */
TEST(failures_stay_until_a_run_has_others)
{
    (void)after(failing_where_it_matters, NULL, false);
    expect_run(true);
    assert_int_equal(expect_outcome(), OUTCOME_OPEN);
    forget_log();
    failures_print(CHECKED, "a.check", &no_trap, false);
    assert_true(log_has("  what: 'the first'\n") && !log_has("intermittent"));
    unexplained_add((struct act){ACTION_EDGE, 3}, CHECKED, 0);
    forget_log();
    failures_print(CHECKED, "a.check", &no_trap, true);
    assert_true(
        log_has("  observed: '2'\n  intermittent: '1 of 1 edges, none beside a disturbance; counter 3: "));
    (void)outcome_beside(R29, 0);
    expect_run(true);
    assert_true(failures_rules() == RULE_SET(R29));
    forget_log();
    failures_print(CHECKED, "a.check", &no_trap, false);
    assert_true(log_has("  what: 'OVF of counter 12 and counter 14'\n") && !log_has("the first"));
}

static void skipping(void *failing)
{
    if (failing)
        expect_true(0, false, "a condition");
    skip_now("for want of %s", "something");
}

TEST(a_skip_is_printed_and_a_failure_wins_over_it)
{
    assert_int_equal(after(skipping, NULL, true), OUTCOME_SKIPPED);
    expect_print("a.check", &no_trap);
    assert_true(log_has("\nok 1 - a.check # SKIP for want of something"));
    assert_int_equal(after(skipping, &reached, true), OUTCOME_NOT_OK);
    expect_run(true);
    expect_skip("a register is left out");
    assert_int_equal(expect_outcome(), OUTCOME_SKIPPED);
}

TEST(what_is_no_disturbance_fails_in_every_run)
{
    expect_run(false);
    expect_failed("register %3H does not clear", 0x36C);
    assert_int_equal(expect_outcome(), OUTCOME_NOT_OK);
}

TEST(a_probe_reports_and_goes_on)
{
    expect_begin(PROBED, true);
    assert_int_equal(after(failing_twice, NULL, false), OUTCOME_OPEN);
    assert_int_equal(reached, 3);
    assert_true(log_has("# the first = 2, not 1\n") && log_has("# the second = 4, not 3\n"));
    assert_int_equal(after(failing_where_it_matters, NULL, true), OUTCOME_OPEN);
    assert_int_equal(reached, 2);
}

/* ---- What the log says ---- */

static void failing_often(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < FAILURES_LISTED + 3; i++)
        expect_equal(RULES(R7, R9), i + 100, i, "number %u", i);
}

TEST(the_diagnosis_lists_what_failed_and_counts_the_rest)
{
    assert_int_equal(FAILURES_LISTED, 8);
    assert_int_equal(after(failing_often, NULL, true), OUTCOME_NOT_OK);
    expect_failed("something else");
    expect_print("a.check", &no_trap);
    assert_true(log_has("  title: 'a title'\n") && log_has("  rules: 'EX18-1 E3 R1 E12 MP'\n"));
    assert_true(log_has("  what: 'number 0'\n  expected: '100'\n  observed: '0'\n  breaks: 'R7 R9'\n"));
    assert_true(log_has("- 'number 1 = 1, not 101 [R7 R9]'\n"));
    assert_true(log_has("- 'number 7 = 7, not 107 [R7 R9]'\n") && !log_has("number 8"));
    assert_true(log_has("- 'something else'\n") && log_has("  more: '3'\n"));
    assert_true(log_has("  MSR_BPU_COUNTER0: '00000007H'\n")); /* as it was at the first failure */
}

static void failing_in_a_setting(void *unused)
{
    const struct pmc_programming earlier = {.counter = 3, .escr_msr = MSR_CRU_ESCR1, .cccr = CCCR_FORCE_OVF};
    const struct pmc_programming p = {
        .counter = 12, .escr_msr = MSR_CRU_ESCR0, .escr = ESCR_T0_OS, .cccr = CCCR_COMPARE | CCCR_EDGE};

    (void)unused;
    setting_use(SETTING_PMI);
    setting_counter(&earlier);
    setting_measure();
    setting_counter(&p);
    expect_equal(R7, 1, 2, "%R of counter %C and counter %C", "MSR_IQ_CCCR0", 12, 14);
    expect_equal(R7, 1, 2, "counter %C", 16); /* the setting is of the first failure */
}

/* Figure 18-48, Table 18-63: counter 12 is IQ_COUNTER0, which selects CRU_ESCR0; 14 selects CRU_ESCR1. */
TEST(the_diagnosis_has_the_setting_as_data)
{
    assert_int_equal(after(failing_in_a_setting, NULL, true), OUTCOME_NOT_OK);
    expect_print("a.check", &no_trap);
    assert_true(log_has("  what: 'MSR_IQ_CCCR0 of counter 12 and counter 14'\n"));
    assert_true(log_has(
        "  breaks: 'R7'\n  register: 'MSR_IQ_CCCR0'\n  counters: '12 14'\n  escrs: 'CRU_ESCR0 CRU_ESCR1'\n"
        "  setting: 'COMPARE EDGE CASCADE OS-alone PMI'\n  also:\n"));
}

static void failing_in_a_course(void *of)
{
    course_failed(of, of);
    expect_equal(R7, 1, 2, "a count");
}

/* A typed course has at most 900 characters. Of a longer one the beginning would be another course. */
TEST(the_diagnosis_has_a_course_if_it_can_be_typed)
{
    struct course course = {.actors = 1, .actor = {{.counter = 12}}};

    while (course.steps < 2)
        course.step[course.steps++] = course_events_of(1, 7);
    assert_int_equal(after(failing_in_a_course, &course, true), OUTCOME_NOT_OK);
    expect_print("a.check", &no_trap);
    assert_true(log_has("failure 1 is in the last step of course=12:"));
    assert_true(log_has("failure 1 does not come in course=12:"));
    forget_log();
    while (course.steps < COURSE_STEPS)
        course.step[course.steps++] = (struct course_step){
            .kind = STEP_CCCR, .fields = UINT32_MAX & ~(uint32_t)CCCR_OVF, .bits = CCCR_COMPARE};
    assert_int_equal(after(failing_in_a_course, &course, true), OUTCOME_NOT_OK);
    expect_print("a.check", &no_trap);
    assert_true(log_has("'failure 1 is in the last step of a course of more than 900 characters'"));
    assert_true(log_has("'failure 1 does not come in a course of more than 900 characters'"));
    assert_true(log_has("'failure 1, step 48: ") && !log_has("course=12"));
}

TEST(a_run_forgets_the_failures_of_the_run_before)
{
    assert_int_equal(after(failing_often, NULL, true), OUTCOME_NOT_OK);
    assert_int_equal(after(failing_where_it_matters, NULL, true), OUTCOME_NOT_OK);
    expect_print("a.check", &no_trap);
    assert_true(log_has("  what: 'the first'\n"));
    assert_false(log_has("number"));
    assert_true(log_has("  MSR_BPU_COUNTER0: '00000008H'\n"));
    expect_run(true); /* an open run prints nothing */
    forget_log();
    expect_print("a.check", &no_trap);
    assert_false(log_has("a.check"));
}

static unsigned times(const char *text)
{
    unsigned n = 0;

    for (const char *at = logged; (at = strstr(at, text)) != NULL; at++)
        n++;
    return n;
}

TEST(an_erratum_is_named_once_for_each_vector)
{
    report_erratum(PMC_E3);
    report_erratum(PMC_E5);
    report_erratum(PMC_E3);
    assert_int_equal(times("# erratum E3: "), 1);
    assert_int_equal(times("# erratum E5: "), 1);
    expect_begin(PROBED, true);
    report_erratum(PMC_E3);
    assert_int_equal(times("# erratum E3: "), 2);
}

/* Of a row some members are in the table, or the row itself for all. */
TEST(a_vector_covers_what_it_says_and_what_it_judges)
{
    assert_string_equal(vector_rules(&ROWS[0], "a.first.1"), "R61 R2");
    assert_string_equal(vector_rules(&ROWS[0], "a.first.10"), "R33");
    assert_string_equal(vector_rules(&ROWS[0], "a.first.11"), "unlisted");
    assert_string_equal(vector_rules(&ROWS[0], "a.first.12"), "none");
    assert_string_equal(vector_rules(&ROWS[1], "a.probe"), "10.1");
    assert_string_equal(vector_rules(&ROWS[2], "a.check.any"), "EX18-1 E3 R1 E12 MP");
    assert_true(vector_judges(&ROWS[0], "a.first.1", R61) && vector_judges(&ROWS[0], "a.first.1", R2));
    assert_false(vector_judges(&ROWS[0], "a.first.1", R33) || vector_judges(&ROWS[0], "a.first.1", 0));
    assert_false(vector_judges(&ROWS[0], "a.first.2", R61) || vector_judges(&ROWS[1], "a.probe", R1));
    assert_true(vector_judges(&ROWS[2], "a.check.any", MP));
    assert_true(vector_may_judge(&ROWS[0], R33) && vector_may_judge(&ROWS[2], MP));
    assert_false(vector_may_judge(&ROWS[0], R1) || vector_may_judge(&ROWS[1], R1));
    assert_true(vector_rule_set(&ROWS[0], "a.first.1") == (RULE_SET(R61) | RULE_SET(R2)));
    assert_true(vector_rule_set(&ROWS[2], "a.check") == RULE_SET(R1));
}

TEST(a_rule_is_found_by_its_name)
{
    static const char *const names[] = {"R1", "R9", "R10", "R61", "E1", "E23", "MP"};
    static const unsigned rules[] = {R1, R9, R10, R61, E1, E23, MP};
    static const char *const unknown[] = {"",    "R",  "R0",  "R01",  "E0",  "M",
                                          "MPP", "r1", "R1a", "R100", "10.1"};

    for (unsigned i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(rule_named(names[i], strlen(names[i])), rules[i]);
    for (unsigned i = 0; i < COUNT_OF(unknown); i++)
        assert_int_equal(rule_named(unknown[i], strlen(unknown[i])), 0);
    assert_int_equal(rule_named("R12", 2), R1);
    assert_true(!rule_named("R625", 3) && !rule_named("E245", 3));
}

TEST(rules_are_joined_as_far_as_there_is_room)
{
    assert_int_equal(rules_with(0, RULES(R4, R58)), RULES(R4, R58));
    assert_int_equal(rules_with(RULES(R4, R58), R32), RULES(R4, R58, R32));
    assert_int_equal(rules_with(RULES(R4, R58), RULES(R58, R57, R4)), RULES(R4, R58, R57));
    assert_int_equal(rules_with(RULES(R4, R58, R57), RULES(R32, R42)), RULES(R4, R58, R57, R32));
    assert_int_equal(rules_with(RULES(R4, R58, R57, R32), RULES(R42, R4)), RULES(R4, R58, R57, R32));
}
