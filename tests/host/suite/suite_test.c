/*
 * tests/suite/suite.c: how many runs decide a vector, what ends it early, and what the clean-up after it must
 * do. Vectors follow a script, one letter for each run; the machine, the guard, the soak and the selection
 * are replaced.
 */
#include <stdio.h>
#include "kernel/run/finish.h"
#include "kernel/run/pmi.h"
#include "kernel/run/suite.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/paging.h"
#include "one_run.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/expect.h"
#include "tests/suite/frame.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/selection.h"
#include "tests/suite/selftest.h"
#include "tests/suite/sheet.h"
#include "tests/suite/soak.h"
#include "kernel/board/progress.h"

struct pmc_cpu machine_cpu;

/* ---- The machine ---- */

static uint32_t stuck_after_vector;
static unsigned stopped, disarmed, unpaged, parked, cleared;
static bool sibling_there;

void pmc_stop_all(void)
{
    stopped++;
}

void pmi_disarm(void)
{
    disarmed++;
}

void paging_off(void)
{
    unpaged++;
}

bool smp_has_sibling(void)
{
    return sibling_there;
}

bool smp_park(void)
{
    parked++;
    return true;
}

uint32_t pmc_clear(const struct pmc_cpu *cpu)
{
    assert_ptr_equal(cpu, &machine_cpu);
    cleared++;
    return stuck_after_vector;
}

void pmc_dump(const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context)
{
    (void)cpu;
    (void)fn;
    (void)context;
}

unsigned machine_meets(void)
{
    return NEED_LAPIC;
}

const char *machine_lacks(unsigned need)
{
    return need == NEED_SSE2 ? "no SSE2" : "another need";
}

const char *machine_remedy(unsigned need)
{
    return need == NEED_LAPIC ? "a remedy" : NULL;
}

static const char *left_out;

const char *machine_left_out(uint32_t msr)
{
    return msr == 0x36C ? left_out : NULL;
}

void machine_inventory(const char *boot_line, bool set_up)
{
    (void)set_up;
    (void)boot_line;
}

const char *machine_detect(void)
{
    return NULL;
}

void machine_identify(void)
{
}

void machine_settle_ht(void)
{
}

bool machine_promises_pmu(void)
{
    return true;
}

bool lapic_present(void)
{
    return true;
}

const char *lapic_missing(void)
{
    return NULL;
}

bool console_has_uart(void)
{
    return true;
}

void progress(void)
{
}

void sleds_lay_out(void)
{
}

static unsigned nmis;

struct unexpected_interrupts unexpected_interrupts(void)
{
    return (struct unexpected_interrupts){0, nmis, 0};
}

uint32_t pmi_strays(void)
{
    return 0;
}

/* ---- The guard ---- */

static enum guard_end ends_as;
static uint32_t faulted_msr, deadline;

enum guard_end guard_run(void (*work)(void *), void *arg, uint32_t deadline_ms, struct trap_report *report)
{
    *report = (struct trap_report){0};
    deadline = deadline_ms;
    ends_as = GUARD_ABORTED;
    return returns_from(work, arg) ? GUARD_DONE : ends_as;
}

const char *guard_end_name(enum guard_end end)
{
    return end == GUARD_DEADLINE ? "reached the deadline" : "fault 6";
}

uint32_t guard_faulted_msr(void)
{
    return faulted_msr;
}

static bool deadline_works;

bool guard_deadline_works(void)
{
    return deadline_works;
}

static bool bailed_out;

void bail_out_as(const char *id, const char *fmt, ...)
{
    (void)id;
    (void)fmt;
    bailed_out = true;
    guard_abort();
}

/* ---- Selection and soak: all vectors of a test, once ---- */

static const struct vector *vectors;
static unsigned vector_count, disturbed_vectors, ran;

void selection_prepare(const struct options *options)
{
    (void)options;
}

const char *selection_why_not(const struct options *options, const char *id)
{
    (void)options;
    (void)id;
    return NULL;
}

void selection_check(const struct options *options)
{
    (void)options;
}

void selection_list(const struct options *options)
{
    (void)options;
}

unsigned selection_each(const struct options *options, visit_fn *visit)
{
    (void)options;
    for (unsigned i = 0; i < vector_count && visit != NULL; i++)
        visit(&vectors[i], 0, vectors[i].id);
    return vector_count;
}

const struct vector *selftest_named(const char *name)
{
    (void)name;
    return &vectors[0];
}

void soak_begin(const struct options *options)
{
    (void)options;
}

bool soak_planned(void)
{
    return false;
}

bool soak_is_later(void)
{
    return false;
}

enum soak_turn soak_turn(const char *id)
{
    (void)id;
    return SOAK_RUN;
}

void soak_disturbed(void)
{
    disturbed_vectors++;
}

void soak_ran(const struct vector *row, unsigned member)
{
    (void)row;
    (void)member;
    ran++;
}

bool soak_next_loop(void)
{
    return false;
}

void soak_report(void)
{
}

static unsigned doubts;

void sheet_doubt(const char *id)
{
    assert_non_null(id);
    doubts++;
}

void sheet_print(const char *(*why_not)(const char *probe))
{
    (void)why_not;
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

static enum verdict check(const char *steps)
{
    return verdict_of(CHECKED, 1, steps);
}

BEFORE_EACH(sound_machine)
{
    stuck_after_vector = faulted_msr = 0;
    left_out = NULL;
    sibling_there = deadline_works = true;
    bailed_out = false;
}

/* ---- How many runs decide ---- */

TEST(a_first_run_that_passes_decides)
{
    assert_int_equal(check("PF"), VERDICT_PASS);
    assert_int_equal(runs, 1);
    assert_true(log_has("\nok 1 - a.check"));
    assert_int_equal(disturbed_vectors, 0);
    assert_int_equal(ran, 1);
}

TEST(a_failure_must_repeat_until_it_is_six_ahead)
{
    assert_int_equal(check("F"), VERDICT_FAIL);
    assert_int_equal(runs, 6);
    assert_true(log_has("\nnot ok 1 - a.check"));
    assert_true(log_has("what: 'run 6'"));
    assert_int_equal(disturbed_vectors, 0);
    /* Two passes make up for two failures. */
    assert_int_equal(check("FFPFPF"), VERDICT_FAIL);
    assert_int_equal(runs, 10);
}

TEST(more_passed_than_failed_runs_are_ok)
{
    assert_int_equal(check("FPP"), VERDICT_PASS);
    assert_int_equal(runs, 3);
    assert_true(log_has("# disturbed: 1 of 3 runs, the last at run 1 = 2, not 1\n"));
    assert_int_equal(disturbed_vectors, 1);
    assert_int_equal(check("FFFFFP"), VERDICT_PASS);
    assert_int_equal(runs, 11);
    assert_true(log_has("# disturbed: 5 of 11 runs, the last at run 5"));
}

TEST(a_failed_vector_puts_the_sheet_in_doubt)
{
    check("F");
    assert_int_equal(doubts, 1);
    check("FPP");
    assert_int_equal(doubts, 0);
    check("S");
    assert_int_equal(doubts, 0);
}

TEST(three_failed_runs_beside_nmis_weigh_as_one)
{
    /* Three for the eight, one for the failed run beside none: the fifth pass decides. */
    assert_int_equal(check("NNNNNNNNPFPP"), VERDICT_PASS);
    assert_int_equal(runs, 14);
    assert_true(log_has("# disturbed: 9 of 14 runs"));
    assert_int_equal(check("NP"), VERDICT_PASS);
    assert_int_equal(runs, 3);
    assert_int_equal(check("N"), VERDICT_FAIL);
    assert_int_equal(runs, 25);
}

/* One that cannot make up its mind fails after 24 runs, with the next failure. */
TEST(endless_disturbance_fails)
{
    assert_int_equal(check("FPFPFPFPFPFPFPFPFPFPFPFPF"), VERDICT_FAIL);
    assert_int_equal(runs, 25);
}

TEST(a_skip_ends_the_vector)
{
    assert_int_equal(check("S"), VERDICT_PASS);
    assert_int_equal(runs, 1);
    assert_true(log_has("\nok 1 - a.check # SKIP it cannot run"));
    assert_int_equal(check("FS"), VERDICT_PASS);
    assert_int_equal(runs, 2);
}

/* ---- What ends a run early ---- */

TEST(an_exception_and_a_deadline_fail_at_once)
{
    assert_int_equal(check("U"), VERDICT_FAIL);
    assert_int_equal(runs, 1);
    assert_true(log_has("what: 'fault 6'"));
    assert_int_equal(check("DP"), VERDICT_FAIL);
    assert_int_equal(runs, 1);
    assert_true(log_has("what: 'reached the deadline'"));
}

TEST(a_probe_never_fails)
{
    assert_int_equal(verdict_of(PROBED, 1, "U"), VERDICT_PASS);
    assert_true(log_has("# the probe ended early: fault 6\n"));
    assert_int_equal(verdict_of(PROBED, 1, "F"), VERDICT_PASS);
    assert_true(log_has("# run 1 = 2, not 1\n"));
    assert_int_equal(runs, 1);
}

TEST(what_needs_a_register_that_is_left_out_is_skipped)
{
    faulted_msr = 0x36C;
    left_out = "MSR_IQ_CCCR0";
    assert_int_equal(check("U"), VERDICT_PASS);
    assert_true(log_has("# SKIP MSR_IQ_CCCR0 is left out: its access faults"));
    left_out = NULL;
    assert_int_equal(check("U"), VERDICT_FAIL);
}

TEST(the_deadline_is_the_row_s_or_a_second)
{
    static const struct vector slow[] = {
        {.id = "a.check", .title = "a title", .also = "R1", .run = scripted, .deadline_ms = 50}};

    check("P");
    assert_int_equal(deadline, 1000);
    verdict_of(slow, 1, "P");
    assert_int_equal(deadline, 50);
}

/* ---- Between vectors ---- */

TEST(every_run_is_followed_by_the_whole_clean_up)
{
    check("FPP");
    assert_int_equal(stopped, runs);
    assert_int_equal(disarmed, runs);
    assert_int_equal(unpaged, runs);
    assert_int_equal(parked, runs);
    assert_int_equal(cleared, runs);
    sibling_there = false;
    check("P");
    assert_int_equal(parked, 0);
}

TEST(a_register_that_does_not_clear_fails_the_vector)
{
    stuck_after_vector = 0x36C;
    assert_int_equal(check("P"), VERDICT_FAIL);
    assert_int_equal(runs, 1);
    assert_true(log_has("what: 'register 36CH does not clear after the vector'"));
    /* Whatever else went wrong, it is said too. */
    assert_int_equal(check("U"), VERDICT_FAIL);
    assert_true(log_has("- 'register 36CH does not clear after the vector'"));
    assert_int_equal(check("F"), VERDICT_FAIL);
    assert_int_equal(runs, 1);
    assert_int_equal(verdict_of(PROBED, 1, "P"), VERDICT_FAIL);
}

TEST(a_need_that_is_not_met_is_a_skip_with_its_reason)
{
    static const struct vector needy[] = {
        {.id = "a.b", .title = "a title", .also = "R1", .run = scripted, .needs = NEED_SSE2 | NEED_LAPIC},
        {.id = "a.c", .title = "a title", .also = "R1", .run = scripted, .needs = NEED_LAPIC}};

    assert_int_equal(verdict_of(needy, 2, "P"), VERDICT_PASS);
    assert_int_equal(runs, 1);
    assert_true(log_has("\n1..2\n"));
    assert_true(log_has("\nok 1 - a.b # SKIP no SSE2") && log_has("\nok 2 - a.c"));
}

TEST(one_failure_of_many_fails_the_run)
{
    static const struct vector three[] = {{.id = "a.b", .title = "a", .also = "R1", .run = scripted},
                                          {.id = "a.c", .title = "a", .also = "R1", .run = scripted},
                                          {.id = "a.d", .title = "a", .also = "R1", .run = scripted}};

    assert_int_equal(verdict_of(three, 3, "PUP"), VERDICT_FAIL);
    assert_true(log_has("\nok 1 - a.b") && log_has("\nnot ok 2 - a.c") && log_has("\nok 3 - a.d"));
}

TEST(nothing_runs_without_a_deadline_that_works)
{
    deadline_works = false;
    assert_int_equal(check("P"), VERDICT_BROKEN);
    assert_true(bailed_out);
    assert_int_equal(runs, 0);
}

TEST(an_empty_selection_is_no_pass)
{
    assert_int_equal(verdict_of(CHECKED, 0, "P"), VERDICT_BROKEN);
    assert_true(bailed_out);
}
