/*
 * Runs the vectors. Each is announced first, so that the log names the one in which a machine dies; runs
 * under a guard that turns a hang, a fault or a storm into `not ok`; and is followed by a clean-up that is
 * verified.
 */
#include "kernel/run/pmi.h"
#include "kernel/run/run.h"

#include "bringup.h"
#include "exercised.h"
#include "expect.h"
#include "failure.h"
#include "frame.h"
#include "gone.h"
#include "kernel/run/guard.h"
#include "kernel/console/console.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/cpu.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/trap.h"
#include "kernel/board/board.h"
#include "machine.h"
#include "needs.h"
#include "inventory.h"
#include "repeat.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "pmi_counter.h"
#include "selection.h"
#include "sheet.h"
#include "soak.h"
#include "unexplained.h"
#include "vector.h"
#include "witness.h"

/* What the boot line asks for, and whether the PMU is there, as suite_plan() found it. */
static const struct options *wanted;
static const struct vector *selftest; /* null: none */
static const char *line_booted;
static const char *no_pmu;     /* why, or null */
static uint32_t stuck_at_boot; /* the register that would not clear at boot, or 0 */

struct job {
    const struct vector *row;
    unsigned member;
};

static void run_job(void *arg)
{
    const struct job *job = arg;

    vector_run(job->row, job->member);
}

/* Put the machine back to rest: PMI sources off, handlers as at boot, sibling parked, PMU cleared. Returns
 * the register that would not clear, or 0. */
static uint32_t clean_up(void)
{
    if (machine_has_pmu)
        pmc_stop_all();
    pmi_disarm();
    paging_off();
    interrupts_init(machine_has_pmu ? pmc_stop_all : NULL);
    if (smp_has_sibling())
        smp_park();
    return machine_has_pmu ? pmc_clear(&machine_cpu) : 0;
}

/* A vector that needs a register which was found to fault at boot cannot run on this part. A probe never
 * fails the run, whatever this silicon does to it. */
static void judge_early_end(const struct vector *row, enum guard_end end)
{
    const char *left_out = machine_left_out(guard_faulted_msr());

    if (left_out)
        expect_skip("%s is left out: its access faults", left_out);
    else if (row->probe)
        tap_comment(COMMENT_VECTOR, "the probe ended early: %s", guard_end_name(end));
    else if (end == GUARD_STORM)
        expect_storm();
    else
        expect_failed("%s", guard_end_name(end));
}

/* A host has other work than this machine. */
#define VIRTUAL_TIMES 10u

static uint32_t deadline(uint32_t usual_ms)
{
    const uint32_t longer = VIRTUAL_TIMES * usual_ms;

    return !machine_is_virtual() ? usual_ms : longer < GUARD_MOST_MS ? longer : GUARD_MOST_MS;
}

static void run_once(const struct vector *row, unsigned member, const char *id)
{
    struct job job = {row, member};
    struct trap_report why;

    progress();
    enum guard_end end =
        guard_run(run_job, &job, deadline(row->deadline_ms ? row->deadline_ms : DEADLINE_MS), &why);

    if (end != GUARD_DONE && !expect_ended())
        judge_early_end(row, end);
    uint32_t stuck = clean_up();
    if (stuck)
        expect_failed("register %3H does not clear after the vector", stuck);
    if (expect_outcome() == OUTCOME_NOT_OK)
        expect_print(id, &why);
}

/* What was measured again beside a witness, and runs of the vector that ended beside one. */
static void report_disturbances(unsigned runs)
{
    const struct disturbances d = witness_disturbances();

    if (runs + d.by_interrupt + d.by_time == 0)
        return;
    soak_disturbed();
    if (d.by_interrupt && d.by_time)
        tap_comment(COMMENT_VECTOR, "disturbed: %u by interrupts, %u by time", d.by_interrupt, d.by_time);
    else if (d.by_interrupt + d.by_time)
        tap_comment(COMMENT_VECTOR, "disturbed: %u by %s", d.by_interrupt + d.by_time,
                    d.by_time ? "time" : "interrupts");
    if (runs)
        tap_comment(COMMENT_VECTOR, "disturbed: %u runs, the last at %s", runs, expect_disturbance());
}

/*
 * A vector is ok when a run passes. A run that fails beside a witness does not count, nor does one of which a
 * later one shows that it was disturbed (witness_was_long()). Without a witness it does: the vector runs
 * again, WRONG_RUNS times if each goes wrong at the same expectation. Then the last one decides, and the
 * vector is not ok. If a run is right, or goes wrong elsewhere, the vector fails now and then, and it runs on
 * until that is a failure (unexplained.h), or for LOOK_RUNS and LOOK_US at most.
 */
#define WRONG_RUNS  3
#define WRONG_MOST  8  /* so many wrong ones decide, wherever they went wrong */
#define BESIDE_RUNS 12 /* so many runs in succession that fail beside a witness decide */
#define LOOK_RUNS   20
#define LOOK_US     3000000u

struct runs {
    unsigned right, wrong, beside, in_succession;
    unsigned expectation; /* number of the first that failed, in the first wrong run */
    bool elsewhere;       /* another one failed in a later run */
    unsigned number;      /* of this run (witness.h) */
    unsigned wrong_one;   /* the number of the last wrong one */
    bool stands;          /* it counts, and a later one may show that it was disturbed */
    struct timeout look;
};

static bool decides(const struct runs *runs)
{
    return runs->in_succession + 1 >= BESIDE_RUNS ||
           (runs->right == 0 && runs->wrong + 1 >= (runs->elsewhere ? WRONG_MOST : WRONG_RUNS));
}

/* The next run would decide, but nothing can be judged here. The machine was cleared after the last run. */
static bool is_too_disturbed(const struct runs *runs)
{
    return runs->in_succession + 1 >= BESIDE_RUNS && (witness_too_many() || interrupts_come_often());
}

/* The last wrong run had no witness. If this run is one, that one does not count. */
static void take_back_if_long(struct runs *runs)
{
    if (!runs->stands || !witness_was_long(runs->wrong_one))
        return;
    unexplained_withdraw(1);
    if (runs->in_succession == 0) /* nothing was disturbed since */
        expect_was_disturbed();
    runs->stands = false;
    runs->beside++;
    runs->elsewhere &= --runs->wrong > 0;
}

/* Has the last run shown enough? */
static bool is_decided(struct runs *runs, const struct vector *row, unsigned member)
{
    take_back_if_long(runs);
    switch (expect_outcome()) {
    case OUTCOME_NOT_OK:
    case OUTCOME_SKIPPED:
        return true;
    case OUTCOME_DISTURBED:
        runs->beside++;
        runs->in_succession++;
        return expect_is_too_disturbed();
    case OUTCOME_UNEXPLAINED:
        unexplained_add(expect_act(), row, member);
        runs->wrong_one = runs->number;
        runs->stands = true;
        if (runs->wrong++ == 0) {
            runs->look = timeout_in_us(LOOK_US);
            runs->expectation = expect_number();
        }
        runs->elsewhere |= expect_number() != runs->expectation;
        runs->in_succession = 0;
        return (runs->right > 0 || runs->elsewhere) && unexplained_is_called();
    default:
        runs->right++;
        runs->in_succession = 0;
        return runs->wrong == 0 || unexplained_is_called() || runs->right >= LOOK_RUNS ||
               timeout_passed(&runs->look);
    }
}

static void conclude(const struct runs *runs, const struct vector *row, const char *id)
{
    char text[UNEXPLAINED_TEXT], last[200];

    if (expect_outcome() == OUTCOME_NOT_OK) {
        unexplained_withdraw(runs->wrong);
    } else if (expect_outcome() == OUTCOME_DISTURBED && runs->right == 0) {
        unexplained_withdraw(runs->wrong);
        tap_skip(id, "too disturbed to judge: %s", expect_disturbance());
    } else if (runs->wrong && unexplained_is_called()) {
        failures_print(row, id, &(struct trap_report){.lp = 0}, true);
        tap_intermittent();
        expect_fails();
    } else if (runs->wrong) {
        unexplained_text(runs->wrong, text);
        failure_first(last, sizeof last);
        tap_comment(COMMENT_VECTOR, "unexplained, the last: %s", last);
        tap_ok_unexplained(id, runs->wrong, text);
    } else if (expect_outcome() == OUTCOME_SKIPPED) {
        expect_print(id, &(struct trap_report){.lp = 0});
    } else {
        tap_ok(id);
    }
    if (expect_outcome() == OUTCOME_NOT_OK)
        sheet_doubt(id, failures_rules() ? failures_rules() : vector_rule_set(row, id));
}

static void run_until_decided(const struct vector *row, unsigned member, const char *id)
{
    const bool verbose = wanted->lines == LINES_VERBOSE;
    struct runs runs = {.right = 0};

    expect_begin(row, verbose);
    (void)witness_disturbances();
    do {
        runs.number = witness_run();
        expect_run(decides(&runs));
        run_once(row, member, id);
    } while (!is_decided(&runs, row, member) && !is_too_disturbed(&runs));
    report_disturbances(runs.beside);
    if (verbose)
        expect_print_held();
    conclude(&runs, row, id);
}

static const struct vector *announced;

/* Only vectors that run are announced, not those that are skipped: a log must stay short enough for a serial
 * line. */
static void announce(const struct vector *row, const char *id)
{
    bool later = soak_is_later();

    tap_show(id);
    if (wanted->lines == LINES_VERBOSE || (wanted->lines == LINES_USUAL && !later))
        tap_start(id, wanted->lines == LINES_VERBOSE ? vector_rules(row, id) : NULL,
                  row == announced ? NULL : row->title); /* the title of a row is said with its first item */
    uart_drain(); /* should the machine die in this vector, the serial line has its name */
    announced = row;
}

/* ---- Stages (gone.h) ---- */

struct stage_job {
    const struct stage *stage;
    unsigned counter;
};

static void run_stage_test(void *arg)
{
    const struct stage_job *job = arg;

    job->stage->test(job->counter);
}

/* What is expected meanwhile is not reported: the vector's point is out. */
static bool try_stage(const struct stage *stage, unsigned counter)
{
    static const struct vector SILENT = CHECK("stage", "");
    struct stage_job job = {stage, counter};
    struct trap_report why;

    expect_begin(&SILENT, false);
    expect_run(true);
    const enum guard_end end = guard_run(run_stage_test, &job, deadline(DEADLINE_MS), &why);
    (void)clean_up();
    return end == GUARD_DONE && expect_outcome() == OUTCOME_OPEN;
}

static void run_vector(const struct vector *row, unsigned member, const char *id)
{
    unsigned lacking = vector_needs(row, member) & ~machine_meets();
    const struct stage *gone;

    if (soak_turn(id) == SOAK_SKIP)
        return;
    if (lacking) {
        tap_skip_lacking(id, machine_lacks(lacking), machine_remedy(lacking));
        return;
    }
    if ((gone = gone_below(row))) {
        gone_skip(id, gone);
        return;
    }
    announce(row, id);
    run_until_decided(row, member, id);
    if (expect_outcome() == OUTCOME_NOT_OK)
        gone_judge(row, id, try_stage);
    soak_ran(row, member);
}

/* The boot word bringup. */
static void run_bringup(void)
{
    for (unsigned m = 0; m < vector_members(&BRINGUP); m++) {
        const struct stage *stopped = bringup_stopped();
        char id[VECTOR_ID_SIZE];

        vector_id(&BRINGUP, m, id, sizeof id);
        if (stopped) {
            tap_skip(id, "not run: bringup stops at %s", stopped->name);
            continue;
        }
        tap_comment(COMMENT_INFO, "stage %s (%s): %s", STAGE[m].name, STAGE[m].rules, STAGE[m].title);
        run_vector(&BRINGUP, m, id);
        if (expect_outcome() == OUTCOME_NOT_OK)
            bringup_stop(m, try_stage);
    }
    bringup_report();
}

/* For sheet_print(). */
static const char *why_not_probed(const char *id)
{
    const struct vector *const row = selection_row(id);
    const struct stage *const gone = gone_below(row);

    return gone ? gone->gone : selection_why_not(wanted, row);
}

/* The processor promises a PMU that is not there: that is a point of its own. The vectors of the PMU are
 * neither skipped nor run, because they could only say, one by one, that it is dead. */
static bool pmu_is_dead(void)
{
    return no_pmu && machine_promises_pmu();
}

/* Run the vectors once, print the sheet, run the loops of a soak, and report them. */
static void run_all(void)
{
    if (wanted->instead == INSTEAD_BRINGUP) {
        run_bringup();
        return;
    }
    do {
        if (selftest)
            run_vector(selftest, 0, selftest->id);
        selection_each(wanted, run_vector);
        if (!soak_is_later())
            sheet_print(why_not_probed);
    } while (soak_next_loop());
    soak_report();
    exercised_report();
    gone_report();
    if (selection_is_full(wanted) && !soak_planned())
        unexplained_report(COMMENT_INFO);
    if (!machine_has_pmu && !pmu_is_dead())
        tap_skip_pmu(no_pmu);
}

static void print_inventory(void)
{
    machine_inventory(line_booted);
    log_store_begin();
}

static void fail_pmu(void)
{
    const struct pmc_answer *const dead = machine_dead_register();

    tap_not_ok("boot.pmu");
    diagnosis_begin();
    tap_value("what", "%s", no_pmu);
    tap_value("although", "IA32_MISC_ENABLE[7] announces the PMU, and CPUID.1 ECX[31] no hypervisor");
    tap_value("register", "%s", machine_register_name(dead->msr));
    tap_value("msr", "%3H", dead->msr);
    tap_value("written", "%10llH", dead->written);
    if (dead->fault == NO_FAULT) {
        tap_value("expected", "%10llH", dead->written);
        tap_value("observed", "%10llH", dead->read);
    } else {
        tap_value("expected", "no exception");
        tap_value("observed", "%s of %s", trap_name(dead->fault), dead->by_write ? "WRMSR" : "RDMSR");
    }
    diagnosis_end();
}

static const char *where_without_serial(bool screen, bool medium)
{
    if (screen)
        return medium ? "on the screen and on the boot medium" : "on the screen alone, in pages at the end";
    return medium ? "on the boot medium alone" : "nowhere";
}

#define VECTORS_NAMED 8u

/* The interrupt vectors of the others: they tell which device it was. */
static void report_unexpected(const struct unexpected_interrupts *unexpected)
{
    char vectors[VECTORS_NAMED * 5 + 1] = "";
    size_t length = 0;
    unsigned named = 0;

    for (unsigned i = 0; i < 256; i++) {
        if (!trap_was_spurious((uint8_t)i) || named++ >= VECTORS_NAMED)
            continue;
        length += format(vectors + length, sizeof vectors - length, named > 1 ? ", %2H" : " %2H", i);
    }
    tap_comment(COMMENT_INFO, "unexpected interrupts: %u PMIs, %u NMIs, %u others%s%s%s", unexpected->pmi,
                unexpected->nmi, unexpected->other,
                named == 0  ? ""
                : named > 1 ? ": vectors"
                            : ": vector",
                vectors, named > VECTORS_NAMED ? ", ..." : "");
}

/* Report what is wrong with the machine although it did not keep the vectors from running. */
static void report_surroundings(void)
{
    const struct unexpected_interrupts unexpected = unexpected_interrupts();

    if (unexpected.pmi + unexpected.nmi + unexpected.other > 0)
        report_unexpected(&unexpected);
    if (pmi_strays() > 0)
        tap_comment(COMMENT_INFO, "stray PMIs: %u, each after the end of its test", pmi_strays());
    if (!uart_present())
        tap_comment(COMMENT_INFO, "no serial line %s: this log is %s",
                    wanted->console.kind == SERIAL_NONE ? "is used" : "answers",
                    where_without_serial(screen_shown(), log_store_is_open()));
}

static void plan_vectors(void)
{
    sleds_lay_out();
    selection_prepare(wanted);
    selection_check(wanted);
    selftest = wanted->selftest ? selftest_named(wanted->selftest) : NULL;
    unsigned planned = selection_each(wanted, NULL) + (selftest ? 1 : 0) + (machine_has_pmu ? 0 : 1);
    if (wanted->instead == INSTEAD_LIST)
        tap_plan(0, "vectors are listed, none is run (boot word list)");
    else if (wanted->instead == INSTEAD_BRINGUP)
        tap_plan(STAGES, NULL);
    else if (planned == 0)
        bail_out_as("boot.line", "the only= and skip= words leave no vector; boot line: %s", line_booted);
    else
        tap_plan(planned + soak_planned(), NULL);
}

void suite_plan(const struct options *options, const char *boot_line)
{
    wanted = options;
    line_booted = boot_line;
    tap_strict(options->strict);
    tap_brief(options->lines == LINES_BRIEF && options->instead == INSTEAD_NOTHING);
    soak_begin(options);
    screen_bottom("pmuproof is about to read and write the registers of the PMU", SCREEN_GREEN);
    no_pmu = machine_detect();
    screen_bottom("", SCREEN_NORMAL); /* a machine that hangs later does not hang in this */
    if (options->selftest == SELFTEST_DEAD || (pmu_is_dead() && options->instead != INSTEAD_NOTHING))
        tap_plan(1, NULL);
    else if (options->instead == INSTEAD_INVENTORY || (options->instead == INSTEAD_BRINGUP && no_pmu))
        tap_plan(0, no_pmu ? no_pmu : "no vector is run (boot word inventory)");
    else
        plan_vectors();
}

void suite_prepare(void)
{
    machine_identify();
    if (no_pmu)
        return;
    stuck_at_boot = clean_up(); /* and what ends a storm, which may begin in the first vector */
}

static void run_vectors(void)
{
    witness_clock(clock_tsc_khz());
    if (lapic_present() && !guard_deadline_works())
        bail_out_as("harness.deadline", "the local APIC timer does not interrupt: nothing would end a hang");
    print_inventory();
    if (!lapic_present())
        tap_comment(COMMENT_INFO, "%s: nothing would end a vector that hangs", lapic_missing());
    if (stuck_at_boot)
        tap_comment(COMMENT_INFO, "register %3H would not clear at boot", stuck_at_boot);
    if (pmu_is_dead())
        fail_pmu();
    run_all();
    report_surroundings();
}

enum verdict suite_run(void)
{
    machine_settle_ht();
    if (wanted->instead == INSTEAD_NOTHING || (wanted->instead == INSTEAD_BRINGUP && !no_pmu)) {
        run_vectors();
    } else if (wanted->instead == INSTEAD_LIST && !pmu_is_dead()) {
        selection_list(wanted);
    } else {
        print_inventory();
        if (pmu_is_dead())
            fail_pmu();
    }
    return tap_end();
}
