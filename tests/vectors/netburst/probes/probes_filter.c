/*
 * Probes of filtering: what the manual leaves open about the edge filter's state and about a comparison that
 * has no event (questions 10.7, 11.1, 11.6 and 11.12; R16, R17, R25, R26).
 *
 * The level is known of global_power_events: 1 while the logical processor runs; with its ESCR written 0
 * there is no event. A probe judges nothing; its lines go to the sheet.
 */
#include "tests/suite/expect.h"
#include "kernel/x86/cpu.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "pmc/msr.h"
#include "tests/suite/sheet.h"
#include "tests/suite/measure.h"
#include "tests/suite/companion.h"

#define CLOCKS_COUNTER 3
#define LAPS           400
#define WRITES         8

static void run_with(uint32_t cccr)
{
    msr_write(MSR_CCCR(CLOCKS_COUNTER), cccr);
    work_exercise(&work_loop, LAPS);
    msr_write(MSR_CCCR(CLOCKS_COUNTER), 0);
}

/* Rising edges seen by a counter that is enabled while the level is 1. */
static uint64_t edges_of_a_true_level(const struct pmc_programming *p)
{
    pmc_arm(p, 0);
    run_with(pmc_cccr_enabled(p));
    return pmc_read(CLOCKS_COUNTER);
}

/* Edges of a level that stays 1 while the CCCR is written again and again. */
static void edge_written(const struct pmc_programming *p)
{
    pmc_arm(p, 0);
    for (unsigned i = 0; i <= WRITES; i++)
        msr_write(MSR_CCCR(CLOCKS_COUNTER), pmc_cccr_enabled(p));
    msr_write(MSR_CCCR(CLOCKS_COUNTER), 0);
    sheet_line("10.7c", "edges: %llu; writes: %u", pmc_read(CLOCKS_COUNTER), WRITES);
}

/* The counter is started twice: it ran on a false level before the first start, on a true one before the
 * second. */
static void edge_start(void)
{
    struct pmc_programming p;

    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_self_all(), CLOCKS_COUNTER);
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
    edge_written(&p);
}

/* Does a counter with this ESCR select and filter count although no event is selected for it? */
static bool counts_nothing_selected(unsigned counter, unsigned select, uint32_t filter)
{
    pmc_clear(&machine_cpu);
    msr_write(MSR_CCCR(counter),
              CCCR_ENABLE | CCCR_ESCR_SELECT(select) | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | filter);
    return counter_moves(counter, &work_loop, LAPS);
}

#define UNMAPPED_COUNTER 4 /* the MS block maps selects 0 to 2 */
#define UNMAPPED_SELECT  5

static void no_event(void)
{
    const uint32_t always = at_or_below(15);

    bool plain = counts_nothing_selected(UNMAPPED_COUNTER, UNMAPPED_SELECT, 0);
    bool complemented = counts_nothing_selected(UNMAPPED_COUNTER, UNMAPPED_SELECT, always);
    sheet_line("10.7b", "%s; with COMPLEMENT counts %s", plain ? "counts" : "delivers 0",
               complemented ? "clocks" : "nothing");
    complemented = counts_nothing_selected(12, INSTR_RETIRED_CCCR_SELECT, always);
    sheet_line("11.1", complemented ? "counts clocks" : "counts nothing");
}

/*
 * The gate "exactly one active" is open while the sibling is halted, and the level "the sibling does not run"
 * is true then. While the sibling runs, the gate is closed and the level false. When the sibling halts again,
 * an edge filter that went on working while the gate was closed sees an edge; one that was held does not.
 */
static void edge_gate(void)
{
    struct pmc_programming p;

    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_sibling(true, true),
                CLOCKS_COUNTER);
    pmc_set_active_thread(&p, ACTIVE_SINGLE);
    p.cccr |= at_or_below(0) | CCCR_EDGE;
    pmc_arm(&p, 0);
    pmc_start(&p);
    work_exercise(&work_loop, LAPS);
    uint64_t before = pmc_read(CLOCKS_COUNTER);
    companion_spin();
    companion_end();
    work_exercise(&work_loop, LAPS);
    sheet_line("11.6", pmc_read(CLOCKS_COUNTER) == before ? "held" : "runs on");
}

/*
 * Without COMPARE the counter counts the value, which is 0 all the time because the ESCR's flags exclude
 * everybody; the comparison "at or below 0" is true all the time. When COMPARE is written in the running
 * counter, a filter that followed the comparison sees no edge.
 */
static void edge_switched_on(void)
{
    struct pmc_programming p;

    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 0, CLOCKS_COUNTER);
    p.cccr |= CCCR_COMPLEMENT | CCCR_EDGE;
    pmc_arm(&p, 0);
    pmc_start(&p);
    work_exercise(&work_loop, LAPS);
    run_with(pmc_cccr_enabled(&p) | CCCR_COMPARE);
    uint64_t edges = pmc_read(CLOCKS_COUNTER);
    if (edges > 1)
        sheet_line("11.12", "%llu edges", edges);
    else
        sheet_line("11.12", edges ? "a true level is an edge" : "a true level is no edge");
}

static const struct vector probes_filter_rows[] = {
    PROBE("probe.filter.edge-start", "the edge filter when a counter starts, and is written",
          .also = "R25 10.7", .stages = STAGE_FILTERS, .run = edge_start),
    PROBE("probe.filter.no-event", "comparing when no event is selected", .also = "R7 R16 R17 R22 10.7 11.1",
          .stages = STAGE_FILTERS, .run = no_event),
    PROBE("probe.filter.edge-gate", "the edge filter behind a closed ACTIVE_THREAD gate",
          .also = "R18 R26 11.6", .needs = NEED_SIBLING, .stages = STAGE_FILTERS, .run = edge_gate),
    PROBE("probe.filter.edge-switched-on", "the edge filter when it is switched on in a counter that runs",
          .also = "R23 R25 11.12", .stages = STAGE_FILTERS, .run = edge_switched_on),
};
VECTOR_GROUP(probes_filter);
