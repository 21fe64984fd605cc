/*
 * What it takes for an event to reach a counter (18.15.1, 18.15.5.6; R2, R17, R27).
 *
 * An event in an ESCR and a CCCR that selects it are not enough: without ENABLE nothing is counted. Counter 1
 * is also tried through its cascade, for there the doubt about its ENABLE (erratum E4) does not matter:
 * counter 3 starts it, on an ESCR whose twin has no event, so that what it counts came by its own route.
 */
#include "cascade.h"
#include "expect.h"
#include "machine.h"
#include "pmc/msr.h"

#define WORK 200

static void not_enabled_counter(unsigned n)
{
    enum stimulus_id id = stimulus_a(n);
    struct pmc_programming p = stimulus_program(id, n);

    stimulus_prepare(id);
    pmc_arm(&p, 0);
    msr_write(MSR_CCCR(n), p.cccr);
    work_exercise(STIMULUS[id].work, WORK);
    expect_register(0, pmc_read(n), "counter %u, event and ESCR select programmed, ENABLE = 0", n);
    expect_true(!pmc_overflowed(n), "OVF of counter %u stays 0", n);
}

static void not_enabled(unsigned member)
{
    (void)member;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        not_enabled_counter(n);
}

#define MOB_ANY 0x3A /* NO_STA, NO_STD, PARTIAL_DATA, UNALGN_ADDR */

static void counter_1(unsigned member)
{
    struct pmc_programming x = stimulus_program(STIMULUS_CLOCKS, 3), y;

    (void)member;
    pmc_program(&y, EVENT_MOB_LOAD_REPLAY, MOB_ANY, escr_self(true, true), 1);
    pmc_arm(&y, 0);
    pmc_arm_cascade(&y);
    pmc_arm(&x, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    pmc_start(&x);
    work_exercise(&work_nop, WORK);
    work_exercise(&work_loop, EXAMPLE_18_1_X);
    expect_true(pmc_overflowed(3), "OVF of counter 3, which counts clocks");
    uint64_t before = pmc_read(1);
    work_exercise(&work_partial_load, WORK);
    work_finish_mmx();
    expect_true(pmc_read(1) > before, "counter 1, started by 3, counts MOB_load_replay of MOB_ESCR0");
}

static const struct vector reach_rows[] = {
    {"reach.not-enabled", "an event and its ESCR select count nothing without ENABLE", "R2", 0, false, 1000,
     not_enabled, 0},
    {"reach.counter-1", "counter 1 counts an event of its own ESCR when counter 3 starts it", "R17 R27 R34",
     0, false, 1000, counter_1, 0},
};
VECTOR_GROUP(reach);
