/*
 * What it takes for an event to reach a counter (18.15.1, 18.15.5.6; R2, R17, R27).
 *
 * An event in an ESCR and a CCCR that selects it are not enough: without ENABLE nothing is counted. Counter 1
 * is also tried through its cascade, for there the doubt about its ENABLE (erratum E4) does not matter:
 * counter 3 starts it, on an ESCR whose twin has no event, so that what it counts came by its own route.
 */
#include "cascade.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
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

/*
 * Both ESCRs of a pair know these events. How often they occur is not known (pmu-rules 8.3), nor that they
 * must; but what one of the two counters sees many times the other one cannot miss.
 */
#define MANY 16

/* clang-format off */
static const struct twins {
    enum pmc_event_id event;
    uint16_t mask;
    uint8_t counter; /* on the even ESCR; counter + 2 is on the odd one */
    const struct workload *work;
} TWINS[] = {
    {EVENT_TC_DELIVER_MODE, 0xFF,                            4,  &work_loop},
    {EVENT_MEMORY_CANCEL,   1u << 2 | 1u << 3,               8,  &work_split_store}, /* ST_RB_FULL, 64K_CONF */
    {EVENT_RESOURCE_STALL,  1u << 5,                         12, &work_split_store}, /* SBFULL */
};
/* clang-format on */

static uint64_t occurrences(const struct twins *twins, unsigned counter, uint32_t flags)
{
    struct pmc_programming p;
    struct frame frame;

    pmc_stop_all();
    pmc_program(&p, twins->event, twins->mask, flags, counter);
    frame_init(&frame, idle_counter(counter, counter));
    frame_phase(&frame, 0, twins->work, WORK);
    frame_count(&frame, &p, 0, &p);
    pmc_arm(&p, 0);
    frame_measure(&frame);
    return pmc_read(counter);
}

static void both_escrs(unsigned member)
{
    (void)member;
    for (unsigned i = 0; i < sizeof TWINS / sizeof TWINS[0]; i++) {
        const struct twins *twins = &TWINS[i];
        const char *name = PMC_EVENT[twins->event].name;
        const uint32_t both = escr_self(true, true);
        uint64_t even = occurrences(twins, twins->counter, both);
        uint64_t odd = occurrences(twins, twins->counter + 2, both);
        report("%s with %u of a workload: %llu on counter %u, %llu on counter %u", name, WORK, even,
               twins->counter, odd, twins->counter + 2);
        expect_true(even < MANY || odd > 0, "%s occurs on counter %u as on counter %u", name,
                    twins->counter + 2, twins->counter);
        expect_true(odd < MANY || even > 0, "%s occurs on counter %u as on counter %u", name, twins->counter,
                    twins->counter + 2);
        for (unsigned counter = twins->counter; counter <= twins->counter + 2u; counter += 2)
            expect_equal(0, occurrences(twins, counter, 0), "%s on counter %u with ESCR[3:0] = 0", name,
                         counter);
    }
}

static const struct vector reach_rows[] = {
    {"reach.not-enabled", "an event and its ESCR select count nothing without ENABLE", "R2", 0, false, 1000,
     not_enabled, 0},
    {"reach.counter-1", "counter 1 counts an event of its own ESCR when counter 3 starts it", "R17 R27 R34",
     0, false, 1000, counter_1, 0},
    {"reach.both-escrs", "what the even ESCR of a pair counts, the odd one counts too", "R11 R12 R13 R17", 0,
     false, 1000, both_escrs, 0},
};
VECTOR_GROUP(reach);
