/*
 * tests/suite/suite.c: how many runs decide a vector, what ends it early, and what the clean-up after it must
 * do. tests/image/defects.t has boards without a deadline, and registers that are left out. Vectors follow a
 * script, one letter for each run; the machine, the guard, the soak and the selection are replaced.
 */
#include <stdio.h>
#include "kernel/board/board.h"
#include "kernel/run/run.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/cpu.h"
#include "one_run.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/expect.h"
#include "tests/suite/frame.h"
#include "tests/suite/repeat.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/selection.h"
#include "tests/suite/soak.h"

/* ---- What is replaced ---- */

static uint32_t stuck_after_vector, deadline;
static bool sibling_there, bailed_out;
static enum guard_end ends_as;
static unsigned nmis;
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
STUB(const char *, machine_detect, (void), NULL);
STUB(void, machine_identify, (void));
STUB(void, machine_settle_ht, (void));
STUB(bool, machine_promises_pmu, (void), true);
STUB(bool, lapic_present, (void), true);
STUB(const char *, lapic_missing, (void), NULL);
STUB(bool, uart_present, (void), true);
STUB(void, progress, (void));
STUB(void, sleds_lay_out, (void));
STUB(struct unexpected_interrupts, unexpected_interrupts, (void), (struct unexpected_interrupts){0, nmis, 0});
STUB(uint32_t, pmi_strays, (void), 0);
STUB(uint32_t, guard_faulted_msr, (void), 0);
STUB(bool, guard_deadline_works, (void), true);
STUB(const char *, guard_end_name, (enum guard_end end),
     end == GUARD_DEADLINE ? "reached the deadline" : "fault 6");
STUB(void, selection_prepare, (const struct options *options));
STUB(const char *, selection_why_not, (const struct options *options, const char *id), NULL);
STUB(void, selection_check, (const struct options *options));
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

/* ---- Vectors ---- */

static const char *script; /* P passes, F fails, N fails beside an NMI, U faults, D passes its deadline, S
                              skips; the last repeats */
static unsigned runs;

static void scripted(void)
{
    char step = script[0];

    runs++;
    if (script[1] != '\0')
        script++;
    switch (step) {
    case 'N':
    case 'F':
        nmis += step == 'N';
        expect_equal(0, 1, 2, "run %u", runs);
        break;
    case 'U':
    case 'D':
        ends_as = step == 'U' ? GUARD_FAULT : GUARD_DEADLINE;
        guard_abort();
    case 'S':
        skip_now("it cannot run");
    default:
        break;
    }
}

static const struct vector CHECKED[] = {{.id = "a.check", .title = "a title", .also = "R1", .run = scripted}};
static const struct vector PROBED[] = {
    {.id = "a.probe", .title = "a title", .also = "R1", .run = scripted, .probe = true}};
static const struct options QUIET = {.lines = LINES_QUIET, .loops = 1};

static void run_suite(void *verdict)
{
    tap_begin();
    suite_plan(&QUIET, "quiet");
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
    (void)observe_tally();
    (void)returns_from(run_suite, &verdict);
    return verdict;
}

BEFORE_EACH(sound_machine)
{
    stuck_after_vector = 0;
    sibling_there = true;
    bailed_out = false;
}

/* ---- How many runs decide, and what ends the vector early ---- */

#define NOT_OK "\nnot ok 1 - a.check"

static const struct {
    const char *steps;
    enum verdict verdict;
    unsigned runs, disturbed, doubts;
    const char *says;
} COURSES[] = {
    {"PF", VERDICT_PASS, 1, 0, 0, "\nok 1 - a.check"}, /* a first run that passes decides */
    {"F", VERDICT_FAIL, 6, 0, 1, NOT_OK},              /* a failure must repeat until it is six ahead */
    {"F", VERDICT_FAIL, 6, 0, 1, "what: 'run 6'"},
    {"FFPFPF", VERDICT_FAIL, 10, 1, 1, NOT_OK}, /* two passes make up for two failures */
    {"FPP", VERDICT_PASS, 3, 1, 0, "# disturbed: 1 of 3 runs, the last at run 1 = 2, not 1\n"},
    {"FFFFFP", VERDICT_PASS, 11, 1, 0, "# disturbed: 5 of 11 runs, the last at run 5"},
    /* Three runs beside NMIs weigh as one: three for the eight, one for the failed run beside none, so the
     * fifth pass decides. */
    {"NNNNNNNNPFPP", VERDICT_PASS, 14, 1, 0, "# disturbed: 9 of 14 runs"},
    {"NP", VERDICT_PASS, 3, 1, 0, "# disturbed: 1 of 3 runs"},
    {"N", VERDICT_FAIL, 25, 0, 1, NOT_OK},
    /* One that cannot make up its mind fails after 24 runs, with the next failure. */
    {"FPFPFPFPFPFPFPFPFPFPFPFPF", VERDICT_FAIL, 25, 1, 1, NOT_OK},
    {"S", VERDICT_PASS, 1, 0, 0, "\nok 1 - a.check # SKIP it cannot run"},
    {"FS", VERDICT_PASS, 2, 0, 0, "# SKIP it cannot run"},
    {"U", VERDICT_FAIL, 1, 0, 1, "what: 'fault 6'"},
    {"DP", VERDICT_FAIL, 1, 0, 1, "what: 'reached the deadline'"},
};

TEST(courses_of_a_check)
{
    for (size_t i = 0; i < COUNT_OF(COURSES); i++) {
        enum verdict verdict = verdict_of(CHECKED, 1, COURSES[i].steps);

        if (verdict != COURSES[i].verdict || runs != COURSES[i].runs ||
            disturbed_vectors != COURSES[i].disturbed || doubts != COURSES[i].doubts || ran != 1 ||
            !log_has(COURSES[i].says))
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

/* ---- Between vectors ---- */

TEST(every_run_is_followed_by_the_whole_clean_up)
{
    verdict_of(CHECKED, 1, "FPP");
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
 * others a second. One failure of many fails the run. */
TEST(several_vectors)
{
#define ROW(name) .id = name, .title = "a title", .also = "R1", .run = scripted
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
}

TEST(a_run_of_nothing_is_broken)
{
    assert_int_equal(verdict_of(CHECKED, 0, "P"), VERDICT_BROKEN);
    assert_true(bailed_out);
}
