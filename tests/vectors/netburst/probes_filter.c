/*
 * Probes of filtering: what the manual leaves open about the edge filter's state and about a comparison that
 * has no event (questions 10.7, 11.1 and 11.6; R16, R17, R25, R26).
 *
 * global_power_events is the level that is known: 1 while the logical processor runs, and with its ESCR
 * written 0 there is none. Nothing is judged; the lines go to the sheet.
 */
#include "tests/suite/expect.h"
#include "kernel/x86/cpu.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"
#include "tests/suite/probe.h"
#include "tests/suite/sheet.h"
#include "tests/suite/counter_group.h"

#define CLOCKS_COUNTER 3
#define TURNS          400

static void run_with(uint32_t cccr)
{
    msr_write(MSR_CCCR(CLOCKS_COUNTER), cccr);
    probe_exercise(&work_loop, TURNS);
    msr_write(MSR_CCCR(CLOCKS_COUNTER), 0);
}

/* Rising edges seen by a counter that is enabled while the level is 1. */
static uint64_t edges_of_a_true_level(const struct pmc_programming *p)
{
    pmc_arm(p, 0);
    run_with(pmc_cccr_enabled(p));
    return pmc_read(CLOCKS_COUNTER);
}

/* Twice from off: last run on a false level, then last run on a true one. */
static void edge_start(unsigned member)
{
    struct pmc_programming p;

    (void)member;
    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_self(true, true), CLOCKS_COUNTER);
    p.cccr |= above(0) | CCCR_EDGE;
    run_with(pmc_cccr_enabled(&p));
    uint64_t after_false = edges_of_a_true_level(&p);
    uint64_t after_true = edges_of_a_true_level(&p);
    if (after_false == 1 && after_true == 1)
        sheet_line("10.7a", "a true level is an edge (starts false)");
    else if (after_false == 0 && after_true == 0)
        sheet_line("10.7a", "a true level is no edge (starts true)");
    else if (after_false == 1 && after_true == 0)
        sheet_line("10.7a", "as its last run left it (kept)");
    else
        sheet_line("10.7a", "%llu edges after a run on 0, %llu after a run on 1", after_false, after_true);
}

/* What a counter with this ESCR select counts while nothing is selected for it: plainly, or with a
 * filter. */
static bool counts_nothing_selected(unsigned counter, unsigned select, uint32_t filter)
{
    pmc_clear(&machine_cpu);
    msr_write(MSR_CCCR(counter),
              CCCR_ENABLE | CCCR_ESCR_SELECT(select) | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | filter);
    return probe_moves(counter, &work_loop, TURNS);
}

#define UNMAPPED_COUNTER 4 /* the MS block maps selects 0 to 2 */
#define UNMAPPED_SELECT  5

static void no_event(unsigned member)
{
    const uint32_t always = at_or_below(15);

    (void)member;
    bool plain = counts_nothing_selected(UNMAPPED_COUNTER, UNMAPPED_SELECT, 0);
    bool complemented = counts_nothing_selected(UNMAPPED_COUNTER, UNMAPPED_SELECT, always);
    sheet_line("10.7b", "%s; with COMPLEMENT counts %s", plain ? "counts" : "delivers 0",
               complemented ? "clocks" : "nothing");
    complemented = counts_nothing_selected(12, INSTR_RETIRED_CCCR_SELECT, always);
    sheet_line("11.1", complemented ? "counts clocks" : "counts nothing");
}

static struct spin spin;

static void spin_work(void *arg)
{
    work_spin(arg);
}

/*
 * "Only one active" is open while the sibling sleeps, and then "the sibling does not run" is true. Behind the
 * gate, while it runs, that turns false. When it sleeps again, an edge filter that ran on sees an edge, one
 * that was held does not.
 */
static void edge_gate(unsigned member)
{
    struct pmc_programming p;

    (void)member;
    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_sibling(true, true),
                CLOCKS_COUNTER);
    p.cccr = (p.cccr & ~CCCR_ACTIVE_MASK) | CCCR_ACTIVE_THREAD(ACTIVE_SINGLE) | at_or_below(0) | CCCR_EDGE;
    pmc_arm(&p, 0);
    pmc_start(&p);
    probe_exercise(&work_loop, TURNS);
    uint64_t before = pmc_read(CLOCKS_COUNTER);
    spin = (struct spin){0, 0};
    if (!smp_start(spin_work, &spin))
        skip_now("the sibling takes no work");
    spin_wait(&spin, 4);
    spin.stop = 1;
    smp_park(); /* whatever it does */
    probe_exercise(&work_loop, TURNS);
    sheet_line("11.6", pmc_read(CLOCKS_COUNTER) == before ? "held" : "runs on");
}

static const struct vector probes_filter_rows[] = {
    {"probe.filter.edge-start", "the edge filter when a counter starts", "R25 10.7", 0, true, 1000,
     edge_start, 0},
    {"probe.filter.no-event", "comparing when no event is selected", "R7 R16 R17 R22 10.7 11.1", 0, true,
     1000, no_event, 0},
    {"probe.filter.edge-gate", "the edge filter behind a closed ACTIVE_THREAD gate", "R18 R26 11.6",
     NEED_SIBLING, true, 1000, edge_gate, 0},
};
VECTOR_GROUP(probes_filter);
