/*
 * tests/suite/suite.c: how many runs decide a vector, what is wrong always and what now and then, what ends a
 * vector early, and what the clean-up after it must do. tests/image/defects.t has boards without a deadline,
 * and registers that are left out. Vectors follow a script, one letter for each run; the machine, the guard,
 * the soak and the selection are replaced.
 */
#include <stdio.h>
#include "kernel/board/board.h"
#include "kernel/run/run.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/cpu.h"
#include "one_run.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/expect.h"
#include "tests/suite/frame.h"
#include "tests/suite/inventory.h"
#include "tests/suite/needs.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/selection.h"
#include "tests/suite/soak.h"
#include "tests/suite/unexplained.h"
#include "tests/suite/witness.h"

/* ---- What is replaced ---- */

static uint32_t stuck_after_vector, deadline;
static bool sibling_there, bailed_out, full;
static const char *not_there; /* why there is no PMU, or null */
static struct pmc_answer dead;
static unsigned spurious_to;     /* interrupt vectors from 27H on, below this one; 0: none */
static unsigned runs, look_runs; /* so many runs take all of the time that a look may take */
static uint32_t look_us;
static enum guard_end ends_as;
static const struct vector *vectors;
static unsigned vector_count;
/* Calls of what they are named after. */
static unsigned stopped, disarmed, unpaged, parked, cleared, disturbed_vectors, ran, doubts;

STUB(void, pmc_stop_all, (void), (void)stopped++);
STUB(void, pmi_disarm, (void), (void)disarmed++);
STUB(void, paging_off, (void), (void)unpaged++);
STUB(bool, smp_has_sibling, (void), sibling_there);
STUB(bool, smp_park, (void), ++parked > 0);
STUB(uint32_t, pmc_clear, (const struct pmc_cpu *cpu), cleared++, stuck_after_vector);
STUB(void, pmc_dump, (const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context));
STUB(unsigned, machine_meets, (void), NEED_LAPIC);
STUB(const char *, machine_lacks, (unsigned need), need == NEED_SSE2 ? "no SSE2" : "another need");
STUB(const char *, machine_remedy, (unsigned need), need == NEED_LAPIC ? "a remedy" : NULL);
STUB(const char *, machine_left_out, (uint32_t msr), NULL);
STUB(void, machine_inventory, (const char *boot_line));
STUB(void, interrupts_init, (void (*stop)(void)));
STUB(const char *, machine_detect, (void), not_there);
STUB(void, machine_identify, (void));
STUB(uint32_t, clock_tsc_khz, (void), 3000000);
STUB(void, machine_settle_ht, (void));
STUB(bool, machine_promises_pmu, (void), true);

static bool is_virtual;

STUB(bool, machine_is_virtual, (void), is_virtual);
STUB(const struct pmc_answer *, machine_dead_register, (void), &dead);
STUB(const char *, machine_register_name, (uint32_t msr), msr == 0x300 ? "MSR_BPU_COUNTER0" : "?");
STUB(bool, trap_was_spurious, (uint8_t interrupt),
     spurious_to > 0 && interrupt >= 0x27 && interrupt < spurious_to);
STUB(bool, lapic_present, (void), true);
STUB(const char *, lapic_missing, (void), NULL);
STUB(bool, uart_present, (void), true);
STUB(void, progress, (void));
STUB(void, sleds_lay_out, (void));
STUB(struct timeout, timeout_in_us, (uint32_t microseconds), look_us = microseconds, (struct timeout){0});
STUB(bool, timeout_passed, (const struct timeout *timeout), runs >= look_runs);
STUB(uint32_t, pmi_strays, (void), 0);

static bool interrupted; /* interrupts of the board come all the time */

STUB(void, pmi_wait_for_delivery, (void), (void)(board_interrupts += interrupted));
STUB(uint32_t, guard_faulted_msr, (void), 0);
STUB(bool, guard_deadline_works, (void), true);
STUB(const char *, guard_end_name, (enum guard_end end),
     end == GUARD_DEADLINE ? "reached the deadline" : "fault 6");
STUB(void, selection_prepare, (const struct options *options));
STUB(const struct vector *, selection_row, (const char *id), NULL);
STUB(const char *, selection_why_not, (const struct options *options, const struct vector *row), NULL);
STUB(void, selection_check, (const struct options *options));
STUB(bool, selection_is_full, (const struct options *options), full);
STUB(void, selection_list, (const struct options *options));
STUB(const struct vector *, selftest_named, (const char *name), &vectors[0]);
STUB(void, soak_begin, (const struct options *options));
STUB(bool, soak_planned, (void), false);
STUB(bool, soak_is_later, (void), false);
STUB(enum soak_turn, soak_turn, (const char *id), SOAK_RUN);
STUB(void, soak_disturbed, (void), (void)disturbed_vectors++);
STUB(void, soak_ran, (const struct vector *row, unsigned member), (void)ran++);
STUB(bool, soak_next_loop, (void), false);
STUB(void, soak_report, (void));
STUB(void, sheet_doubt, (const char *id, uint64_t rules), (void)doubts++);
STUB(void, sheet_print, (const char *(*why_not)(const char *probe)));

enum guard_end guard_run(void (*work)(void *), void *arg, uint32_t deadline_ms, struct trap_report *report)
{
    *report = (struct trap_report){0};
    deadline = deadline_ms;
    ends_as = GUARD_ABORTED;
    return returns_from(work, arg) ? GUARD_DONE : ends_as;
}

void bail_out_as(const char *id, const char *fmt, ...)
{
    (void)id;
    (void)fmt;
    bailed_out = true;
    guard_abort();
}

/* All vectors of a test, once. */
unsigned selection_each(const struct options *options, visit_fn *visit)
{
    (void)options;
    for (unsigned i = 0; i < vector_count && visit != NULL; i++)
        visit(&vectors[i], 0, vectors[i].id);
    return vector_count;
}

/* ---- Stages ---- */

static unsigned tested;              /* counters on which a stage was tried */
static uint32_t signs[2], rights[2]; /* sets of the counters that do some of stage 0 and 1; that are right */

static void show(unsigned stage, unsigned counter)
{
    tested++;
    if (signs[stage] >> counter & 1)
        stage_sign();
    expect_true(R2, rights[stage] >> counter & 1, "stage %u, counter %C", stage, counter);
}

static void show_first(unsigned counter)
{
    show(0, counter);
}

static void show_second(unsigned counter)
{
    show(1, counter);
}

static void show_none(unsigned counter)
{
    fail_msg("a stage that nothing asks for is tried on counter %u", counter);
}

#define UNASKED                                          \
    {                                                    \
        .name = "unasked", .test = show_none, .least = 1 \
    }
const struct stage STAGE[STAGES] = {
    {.name = "first",
     .title = "is first",
     .gone = "nothing is first",
     .rules = "R2",
     .least = 1,
     .test = show_first},
    {.name = "second",
     .title = "is second",
     .gone = "one at most is second",
     .rules = "R3",
     .rests_on = STAGE_REGISTERS,
     .least = 2,
     .test = show_second},
    {.name = "third", .gone = "", .rests_on = STAGE_COUNT, .least = 1, .test = show_none},
    UNASKED,
    UNASKED,
    UNASKED,
    UNASKED,
    UNASKED,
    UNASKED,
    UNASKED,
    UNASKED,
};
STUB(bool, stage_has, (const struct stage *stage, unsigned counter), counter < 17);
STUB(bool, stage_counts, (unsigned counter), false);

/* ---- Vectors ---- */

/*
 * P passes; F fails, N beside an NMI, T beside work that took too long; A fails at another expectation than
 * F; 1 to 8 fail each by another action, at another counter and expectation; O and Q fail by OVF of counters
 * 4 and 5, at expectations of their own; U faults, D passes its deadline, S skips. L fails as F, and its work
 * takes long; p passes, and the same work takes less; l does both and fails. The last letter repeats.
 */
static const char *script;

static const uint8_t RULE_OF_DIGIT[] = {R4, R5, R11, R18, R22, R23, R29, R38};

static void fail_in_order(unsigned expectation, uint32_t rule, unsigned counter)
{
    for (unsigned i = 1; i < expectation; i++)
        expect_equal(0, 0, 0, "what holds");
    expect_equal(rule, 1, 2, "counter %C", counter);
}

static void execute_work(uint64_t clocks)
{
    witness_close(&(struct witness_window){.tsc = 0, .noted = clocks, .pmis = pmi_count()},
                  witness_key(1, (uint32_t)loop_of_soak)); /* another one in each test */
}

static void scripted(void)
{
    char step = script[0];

    runs++;
    if (script[1] != '\0')
        script++;
    switch (step) {
    case 'L':
    case 'l':
    case 'N':
    case 'T':
    case 'F':
        if (step == 'L' || step == 'l')
            execute_work(20000);
        if (step == 'l')
            execute_work(1000);
        board_nmis += step == 'N';
        witness_add(step == 'T' ? WITNESS_TIME : 0);
        expect_equal(0, 1, 2, "run %u", runs);
        break;
    case 'A':
        expect_equal(0, 0, 0, "what holds");
        expect_equal(0, 1, 2, "run %u", runs);
        break;
    case 'O':
    case 'Q':
        fail_in_order(step == 'O' ? 1 : 2, R29, step == 'O' ? 4 : 5);
        break;
    case 'U':
    case 'D':
        ends_as = step == 'U' ? GUARD_FAULT : GUARD_DEADLINE;
        guard_abort();
    case 'G':
        expect_too_disturbed("the board");
    case 'S':
        skip_now("it cannot run");
    case 'p':
        execute_work(1000);
        break;
    case 'P':
        break;
    default:
        fail_in_order((unsigned)(step - '0'), RULE_OF_DIGIT[step - '1'], (unsigned)(step - '0'));
    }
}

static const struct vector CHECKED[] = {{.id = "a.check", .title = "a title", .also = "R1", .run = scripted}};
static const struct vector PROBED[] = {
    {.id = "a.probe", .title = "a title", .also = "R1", .run = scripted, .probe = true}};
static const struct options QUIET = {.lines = LINES_QUIET, .loops = 1}, *options;

static void run_suite(void *verdict)
{
    tap_begin();
    suite_plan(options, "quiet");
    *(enum verdict *)verdict = suite_run();
}

static enum verdict verdict_of(const struct vector *rows, unsigned count, const char *steps)
{
    enum verdict verdict = VERDICT_BROKEN;

    forget_log();
    vectors = rows;
    vector_count = count;
    script = steps;
    doubts = runs = stopped = disarmed = unpaged = parked = cleared = disturbed_vectors = ran = 0;
    loop_of_soak += 2 * UNEXPLAINED_LOOPS; /* nothing that failed before counts with what fails now */
    (void)returns_from(run_suite, &verdict);
    return verdict;
}

BEFORE_EACH(sound_machine)
{
    stuck_after_vector = 0;
    sibling_there = true;
    bailed_out = full = false;
    look_runs = 1000;
    options = &QUIET;
    machine_has_pmu = true;
    not_there = NULL;
    spurious_to = 0;
    board_interrupts = board_nmis = 0;
}

/* ---- How many runs decide, and what ends the vector early ---- */

#define OK             "\nok 1 - a.check #"
#define NOT_OK         "\nnot ok 1 - a.check"
#define SKIPPED        "\nok 1 - a.check # SKIP "
#define UNEXPLAINED    "\nok 1 - a.check # unexplained: "
#define ALWAYS         "# 0 passed, 1 failed, 0 skipped of 1\n"
#define INTERMITTENTLY "# 0 passed, 1 failed, 0 skipped of 1; 1 of the failed intermittent\n"
#define TEN(step)      step step step step step step step step step step

static const struct {
    const char *steps;
    enum verdict verdict;
    unsigned runs, disturbed, doubts;
    const char *point, *says;
} COURSES[] = {
    {"PF", VERDICT_PASS, 1, 0, 0, OK, "# 1 passed, 0 failed, 0 skipped of 1\n"}, /* a first pass decides */
    /* Three failures at one expectation, none of them beside a witness, decide. */
    {"F", VERDICT_FAIL, 3, 0, 1, NOT_OK, ALWAYS},
    {"F", VERDICT_FAIL, 3, 0, 1, NOT_OK, "what: 'run 3'"},
    {"NFTFF", VERDICT_FAIL, 5, 1, 1, NOT_OK, ALWAYS},
    {"NFTFN", VERDICT_FAIL, 5, 1, 1, NOT_OK, "what: 'run 5'"}, /* the third decides, even beside one */
    /* What fails beside a witness does not count. */
    {"NP", VERDICT_PASS, 2, 1, 0, OK, "# disturbed: 1 runs, the last at run 1 = 2, not 1\n"},
    {"NTNNP", VERDICT_PASS, 5, 1, 0, OK, "# disturbed: 4 runs, the last at run 4 = 2, not 1\n"},
    {TEN("N") "NP", VERDICT_PASS, 12, 1, 0, OK, "# disturbed: 11 runs, the last at run 11 "},
    {"N", VERDICT_FAIL, 12, 1, 1, NOT_OK, ALWAYS}, /* but the twelfth in succession */
    {TEN("N") "F" TEN("N") "NP", VERDICT_PASS, 42, 1, 0, UNEXPLAINED, "; 1 unexplained\n"},
    {TEN("N") "F" TEN("N") "NN", VERDICT_FAIL, 23, 1, 1, NOT_OK, ALWAYS},
    /* Now and then: a second one of its kind is called. One alone is looked at for twenty passes. */
    {"FP", VERDICT_PASS, 21, 0, 0, UNEXPLAINED, "; 1 unexplained\n"},
    {"FP", VERDICT_PASS, 21, 0, 0, UNEXPLAINED, "# unexplained, the last: run 1 = 2, not 1\n"},
    {"FPF", VERDICT_FAIL, 3, 0, 1, NOT_OK, INTERMITTENTLY},
    {"FPF", VERDICT_FAIL, 3, 0, 1, NOT_OK, "what: 'run 3'"},
    {"FFP", VERDICT_FAIL, 3, 0, 1, NOT_OK, INTERMITTENTLY}, /* the pass shows that it is not always */
    {"FFP", VERDICT_FAIL, 3, 0, 1, NOT_OK, "what: 'run 2'"},
    {"FPNP", VERDICT_PASS, 22, 1, 0, UNEXPLAINED, "# disturbed: 1 runs, the last at run 3 = 2, not 1\n"},
    {"FPNP", VERDICT_PASS, 22, 1, 0, UNEXPLAINED, "# unexplained, the last: run 1 = 2, not 1\n"},
    {"NFPP", VERDICT_PASS, 22, 1, 0, UNEXPLAINED, "# disturbed: 1 runs, the last at run 1 = 2, not 1\n"},
    {"FPNPPF", VERDICT_FAIL, 6, 1, 1, NOT_OK, INTERMITTENTLY},
    {"F" TEN("P") "PPPPPPPPPF", VERDICT_FAIL, 21, 0, 1, NOT_OK, INTERMITTENTLY},
    {"F" TEN("P") TEN("P") "F", VERDICT_PASS, 21, 0, 0, UNEXPLAINED, "; 1 unexplained\n"},
    {"FPNNNNNNPNNNNNNP", VERDICT_PASS, 33, 1, 0, UNEXPLAINED,
     "; 1 unexplained\n"}, /* no twelve in succession */
    /* A later run shows that a wrong one was long. */
    {"Lp", VERDICT_PASS, 2, 1, 0, OK, "# disturbed: 1 runs, the last at run 1 = 2, not 1\n"},
    {"LNp", VERDICT_PASS, 3, 1, 0, OK, "# disturbed: 2 runs, the last at run 2 = 2, not 1\n"},
    {"FPpLp", VERDICT_PASS, 22, 1, 0, UNEXPLAINED, "; 1 unexplained\n"}, /* a witness at once */
    {"FLpP", VERDICT_PASS, 22, 1, 0, UNEXPLAINED, "; 1 unexplained\n"},
    {"lP", VERDICT_PASS, 2, 1, 0, OK, "# disturbed: 1 runs, the last at run 1 = 2, not 1\n"}, /* or itself */
    {"LP", VERDICT_PASS, 21, 0, 0, UNEXPLAINED, "; 1 unexplained\n"},
    {"L", VERDICT_FAIL, 3, 0, 1, NOT_OK, ALWAYS},
    {"pLP", VERDICT_PASS, 1, 0, 0, OK, "# 1 passed, 0 failed, 0 skipped of 1\n"},
    /* Elsewhere in each run. */
    {"FA", VERDICT_FAIL, 2, 0, 1, NOT_OK, INTERMITTENTLY},
    {"OQP", VERDICT_PASS, 22, 0, 0, UNEXPLAINED, "; 2 unexplained\n"},
    {"OQP", VERDICT_PASS, 22, 0, 0, UNEXPLAINED, " OVFs, counter 4; "},
    {"OQO", VERDICT_FAIL, 3, 0, 1, NOT_OK, INTERMITTENTLY},
    {"12345678", VERDICT_FAIL, 8, 0, 1, NOT_OK, ALWAYS}, /* eight without a pass decide */
    {"1234567P", VERDICT_PASS, 27, 0, 0, UNEXPLAINED, "; 7 unexplained\n"},
    {"1P2345678P", VERDICT_PASS, 28, 0, 0, UNEXPLAINED, "; 8 unexplained\n"}, /* none decides after a pass */
    /* The end of one run that decides alone. */
    {"S", VERDICT_PASS, 1, 0, 0, SKIPPED "it cannot run", "# 0 passed, 0 failed, 1 skipped of 1\n"},
    {"NS", VERDICT_PASS, 2, 1, 0, SKIPPED "it cannot run", "# disturbed: 1 runs"},
    {"FS", VERDICT_PASS, 2, 0, 0, UNEXPLAINED, "; 1 unexplained\n"},
    {"U", VERDICT_FAIL, 1, 0, 1, NOT_OK, "what: 'fault 6'"},
    {"FU", VERDICT_FAIL, 2, 0, 1, NOT_OK, ALWAYS},
    {"DP", VERDICT_FAIL, 1, 0, 1, NOT_OK, "what: 'reached the deadline'"},
};

TEST(courses_of_a_check)
{
    for (size_t i = 0; i < COUNT_OF(COURSES); i++) {
        enum verdict verdict = verdict_of(CHECKED, 1, COURSES[i].steps);

        if (verdict != COURSES[i].verdict || runs != COURSES[i].runs ||
            disturbed_vectors != COURSES[i].disturbed || doubts != COURSES[i].doubts || ran != 1 ||
            !log_has(COURSES[i].point) || !log_has(COURSES[i].says))
            fail_msg("%s: verdict %d after %u runs, %u disturbed, %u in doubt, ran %u\n%s", COURSES[i].steps,
                     verdict, runs, disturbed_vectors, doubts, ran, logged);
    }
}

TEST(a_probe_never_fails)
{
    assert_int_equal(verdict_of(PROBED, 1, "U"), VERDICT_PASS);
    assert_true(log_has("# the probe ended early: fault 6\n"));
    assert_int_equal(verdict_of(PROBED, 1, "F"), VERDICT_PASS);
    assert_true(log_has("# run 1 = 2, not 1\n"));
    assert_int_equal(runs, 1);
}

/* ---- What fails now and then ---- */

TEST(a_look_ends_when_its_time_is_over)
{
    look_runs = 5;
    assert_int_equal(verdict_of(CHECKED, 1, "FP"), VERDICT_PASS);
    assert_int_equal(runs, 5);
    assert_int_equal(look_us, 3000000);
    assert_true(log_has(UNEXPLAINED));
}

#define ROW(name) .id = name, .title = "a title", .also = "R1", .run = scripted
static const struct vector TWO[] = {{ROW("a.c")}, {ROW("a.d")}};

/* One look finds nothing more, and the second vector shows that it was no accident. */
TEST(results_of_several_vectors_count_together)
{
    assert_int_equal(verdict_of(TWO, 2, "O" TEN("P") TEN("P") "OP"), VERDICT_FAIL);
    assert_int_equal(runs, 23);
    assert_true(log_has("\nok 1 - a.c # unexplained: ") && log_has("\nnot ok 2 - a.d"));
    assert_true(log_has("  earlier: 'a.c'\n  boot: 'only=a.d,a.c loop=100'\n"));
    assert_true(
        log_has("# 1 passed, 1 failed, 0 skipped of 2; 1 of the failed intermittent; 1 unexplained\n"));
    assert_int_equal(doubts, 1);
}

/* It is a failure that is always there, and says nothing of others. */
TEST(results_of_a_vector_that_always_fails_do_not_count)
{
    assert_int_equal(verdict_of(TWO, 2, "OOOOP"), VERDICT_FAIL);
    assert_int_equal(runs, 3 + 21);
    assert_true(log_has("\nnot ok 1 - a.c") && log_has("\nok 2 - a.d # unexplained: "));
    assert_true(log_has("# 1 passed, 1 failed, 0 skipped of 2; 1 unexplained\n"));
}

TEST(a_full_run_says_what_was_judged)
{
    acts_judged(ACTION_HALT, 3, 310);
    for (unsigned i = 0; i < 2; i++) {
        full = i;
        verdict_of(CHECKED, 1, "P");
        assert_true(log_has("# judged: halts 310, excludes 1 in 100; least counter 3: 310, excludes") ==
                    full);
    }
}

/* ---- Between vectors ---- */

TEST(every_run_is_followed_by_the_whole_clean_up)
{
    verdict_of(CHECKED, 1, "FFP");
    assert_true(stopped == runs && disarmed == runs && unpaged == runs && parked == runs && cleared == runs);
    sibling_there = false;
    verdict_of(CHECKED, 1, "P");
    assert_int_equal(parked, 0);
}

/* Whatever else went wrong, it is said too. */
TEST(a_register_that_does_not_clear_fails_the_vector)
{
    static const char *const steps[] = {"P", "U", "F"};

    stuck_after_vector = 0x36C;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        assert_int_equal(verdict_of(CHECKED, 1, steps[i]), VERDICT_FAIL);
        assert_int_equal(runs, 1);
        assert_true(log_has("'register 36CH does not clear after the vector'"));
    }
    assert_int_equal(verdict_of(PROBED, 1, "P"), VERDICT_FAIL);
}

/* Of two vectors, the first needs what is not there; the second has a deadline of its own, the first of
 * others a second, and ten times that behind a hypervisor. One failure of many fails the run. */
TEST(several_vectors)
{
    static const struct vector rows[] = {{ROW("a.b"), .needs = NEED_SSE2 | NEED_LAPIC},
                                         {ROW("a.c"), .needs = NEED_LAPIC, .deadline_ms = 50},
                                         {ROW("a.d")},
                                         {ROW("a.e")}};

    assert_int_equal(verdict_of(rows, 2, "P"), VERDICT_PASS);
    assert_int_equal(runs, 1);
    assert_int_equal(deadline, 50);
    assert_true(log_has("\n1..2\n"));
    assert_true(log_has("\nok 1 - a.b # SKIP no SSE2") && log_has("\nok 2 - a.c"));
    assert_int_equal(verdict_of(rows + 1, 3, "PUP"), VERDICT_FAIL);
    assert_int_equal(deadline, 1000);
    assert_true(log_has("\nok 1 - a.c") && log_has("\nnot ok 2 - a.d") && log_has("\nok 3 - a.e"));
    is_virtual = true;
    assert_int_equal(verdict_of(rows + 2, 1, "P"), VERDICT_PASS);
    assert_int_equal(deadline, 10000);
    is_virtual = false;
}

/* Of the others: which interrupt vectors, at most eight. */
TEST(unexpected_interrupts_are_named)
{
    board_interrupts = 3;
    spurious_to = 0x28;
    verdict_of(CHECKED, 1, "P");
    assert_true(log_has("\n# unexpected interrupts: 0 PMIs, 0 NMIs, 3 others: vector 27H\n"));
    spurious_to = 0x2F;
    verdict_of(CHECKED, 1, "P");
    assert_true(log_has(" 3 others: vectors 27H, 28H, 29H, 2AH, 2BH, 2CH, 2DH, 2EH\n"));
    spurious_to = 0x30;
    verdict_of(CHECKED, 1, "P");
    assert_true(log_has(", 2EH, ...\n"));
    board_interrupts = 0;
    board_nmis = 1;
    spurious_to = 0;
    verdict_of(CHECKED, 1, "P");
    assert_true(log_has("\n# unexpected interrupts: 0 PMIs, 1 NMIs, 0 others\n"));
}

/* A PMU that is promised and does not answer is the first point, the vectors of the harness follow, and there
 * is no point that skips the PMU. */
TEST(a_dead_pmu_is_a_point_before_the_others)
{
    machine_has_pmu = false;
    not_there = "it drops";
    dead = (struct pmc_answer){.msr = 0x300, .fault = NO_FAULT, .written = 0x5555555555, .read = 0x11};
    assert_int_equal(verdict_of(CHECKED, 1, "P"), VERDICT_FAIL);
    assert_int_equal(runs, 1);
    assert_true(log_has("\n1..2\n") && log_has("\nnot ok 1 - boot.pmu #") && log_has("\nok 2 - "));
    assert_true(log_has("  register: 'MSR_BPU_COUNTER0'\n  msr: '300H'\n  written: '5555555555H'\n"
                        "  expected: '5555555555H'\n  observed: '0000000011H'\n"));
    dead.fault = 13;
    dead.by_write = true;
    verdict_of(CHECKED, 1, "P");
    assert_true(log_has("  expected: 'no exception'\n  observed: 'an exception of WRMSR'\n"));
    dead.by_write = false;
    verdict_of(CHECKED, 1, "P");
    assert_true(log_has("'an exception of RDMSR'\n"));
}

TEST(a_run_of_nothing_is_broken)
{
    assert_int_equal(verdict_of(CHECKED, 0, "P"), VERDICT_BROKEN);
    assert_true(bailed_out);
}

/* The first failure shows that one counter alone is second, so that the stage is gone. */
TEST(what_rests_on_a_stage_that_is_gone_is_not_run)
{
    static const struct vector rows[] = {
        {ROW("a.a"), .stages = STAGE_REGISTERS}, {ROW("a.b"), .stages = STAGE_COUNT},
        {ROW("a.c"), .stages = STAGE_COUNT},     {ROW("a.d"), .stages = STAGE_COUNTERS, .probe = true},
        {ROW("a.e"), .stages = STAGE_REGISTERS}, {ROW("a.f")}};

    tested = 0;
    signs[0] = rights[0] = 1u << 1;
    signs[1] = 1u << 16;
    assert_int_equal(verdict_of(rows, 6, "PFFFP"), VERDICT_FAIL);
    assert_int_equal(tested, 2 + 17);
    assert_int_equal(runs, 1 + 3 + 1 + 1);
    assert_true(log_has("\nnot ok 2 - a.b") && log_has("\nok 3 - a.c # SKIP not run: needs second #") &&
                log_has("\nok 4 - a.d # SKIP not run: needs second #") && log_has("\nok 5 - a.e #") &&
                log_has("\nok 6 - a.f #"));
    assert_true(log_has("\n# stage second is gone: one at most is second: a.b failed, and so did 16 of 17 "
                        "counters, each tried alone; 2 vectors not run\n") &&
                log_has("\n# 3 passed, 1 failed, 2 skipped of 6"));
}

TEST(bringup_stops_behind_the_first_stage_that_is_not_right)
{
    static const struct options BRINGUP_WORD = {.lines = LINES_QUIET, .loops = 1, .instead = INSTEAD_BRINGUP};

    signs[0] = rights[0] = 0x1FFFF;
    signs[1] = rights[1] = 0x1FFFF & ~(1u << 3 | 7u << 5);
    options = &BRINGUP_WORD;
    assert_int_equal(verdict_of(CHECKED, 1, "P"), VERDICT_FAIL);
    assert_true(log_has("\n1..11\n# stage first (R2): is first\nok 1 - bringup.first #"));
    assert_true(log_has("\nnot ok 2 - bringup.second") && log_has("\n  what: 'stage 1, counter 3'\n"));
    assert_true(log_has(
        "\n# bringup stops at stage second (R3): right on counters 0-2 4 8-16; wrong on 3 5-7: stage 1, "
        "counter 3 = no, not yes\n"
        "ok 3 - bringup.third # SKIP not run: bringup stops at second #"));
    assert_true(log_has("# 1 passed, 1 failed, 9 skipped of 11\n"));
}

/* Wrong runs before it are no failure that comes now and then: no run was right. */
TEST(a_run_that_is_too_disturbed_ends_the_vector)
{
    static const char *const scripts[] = {"G", "FG", "FFG"};

    for (unsigned i = 0; i < COUNT_OF(scripts); i++) {
        assert_int_equal(verdict_of(CHECKED, 1, scripts[i]), VERDICT_PASS);
        assert_int_equal(runs, strlen(scripts[i]));
        assert_true(log_has(SKIPPED "too disturbed to judge: the board") && !log_has("unexplained"));
    }
}

TEST(what_the_board_interrupts_all_the_time_is_not_judged)
{
    interrupted = true;
    assert_int_equal(verdict_of(CHECKED, 1, "N"), VERDICT_PASS);
    assert_int_equal(runs, 11);
    assert_true(log_has(SKIPPED "too disturbed to judge: run 11 = 2, not 1"));
    assert_int_equal(verdict_of(CHECKED, 1, "F"), VERDICT_FAIL);
    interrupted = false;
    assert_int_equal(verdict_of(CHECKED, 1, "N"), VERDICT_FAIL);
}

/* The last test, because the windows of the whole run count. */
TEST(what_is_too_disturbed_is_not_judged)
{
    for (unsigned i = 0; i < 1000 && !witness_too_many(); i++) {
        const struct witness_window window = witness_open();

        board_interrupts++;
        witness_close(&window, 1);
    }
    assert_true(witness_too_many());
    assert_int_equal(verdict_of(CHECKED, 1, "N"), VERDICT_PASS);
    assert_int_equal(runs, 11);
    assert_int_equal(disturbed_vectors, 1);
    assert_true(log_has("# disturbed: 11 runs, "));
    assert_true(log_has(SKIPPED "too disturbed to judge: run 11 = 2, not 1"));
    assert_int_equal(verdict_of(CHECKED, 1, TEN("N") "P"), VERDICT_PASS); /* what can be judged is */
    assert_true(log_has(OK));
    assert_int_equal(verdict_of(CHECKED, 1, "F"), VERDICT_FAIL);
    /* No run was right. */
    assert_int_equal(verdict_of(CHECKED, 1, "FN"), VERDICT_PASS);
    assert_int_equal(runs, 12);
    assert_true(log_has(SKIPPED "too disturbed to judge: ") && !log_has("unexplained"));
}
