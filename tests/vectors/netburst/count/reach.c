/*
 * What it takes for an event to reach a counter (18.15.1, 18.15.5.6; R17, R27).
 *
 * Counter 1 is tried through its cascade, because there the doubt about its ENABLE (erratum E4) does not
 * matter: counter 3 starts it, and the twin of its ESCR has no event, so what it counts came by its own ESCR.
 * And where both ESCRs of a pair know an event, one of them must not be dead.
 */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/bits.h"
#include "tests/suite/number.h"

#define WORK 200

#define MOB_ANY 0x3A /* NO_STA, NO_STD, PARTIAL_DATA, UNALGN_ADDR */

static void counter_1(void)
{
    struct pmc_programming x = stimulus_program(STIMULUS_CLOCKS, 3), y;

    pmc_program(&y, EVENT_MOB_LOAD_REPLAY, MOB_ANY, escr_self_all(), 1);
    pmc_arm(&y, 0);
    pmc_arm_cascade(&y);
    pmc_arm(&x, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    pmc_start(&x);
    work_exercise(&work_nop, WORK);
    work_exercise(&work_loop, EXAMPLE_18_1_X);
    require_true(RULES(R29, R28), pmc_overflowed(3), "OVF of counter 3, which counts clocks");
    uint64_t before = pmc_read(1);
    work_exercise(&work_partial_load, WORK);
    work_finish_mmx();
    expect_true(RULES(R17, R34, R27), pmc_read(1) > before,
                "counter 1, started by 3, counts MOB_load_replay of MOB_ESCR0");
}

/*
 * Both ESCRs of a pair know these events. It is not known how often they occur, or that they must
 * (pmu-rules 8.3). But if a counter on one ESCR sees one this often, a counter on the other ESCR cannot miss
 * them all.
 */
#define NOT_ALL_MISSED 16

/* clang-format off */
static const struct shared {
    enum pmc_event_id event;
    uint16_t mask;
    uint8_t counter; /* on the even ESCR; counter + 2 is on the odd one */
    const struct workload *work;
    bool paged, of_clocks; /* of_clocks: 0 or 1 in each clock */
} SHARED[] = {
    {EVENT_TC_DELIVER_MODE,     0xFF,              4,  &work_loop, false, true},
    {EVENT_BSQ_CACHE_REFERENCE, 0x7 | 1u << 8,     0,  &work_touch_pages, true, false}, /* reads of the second level: hits, miss */
    {EVENT_MEMORY_CANCEL,       1u << 2 | 1u << 3, 8,  &work_split_store, false, false}, /* ST_RB_FULL, 64K_CONF */
    {EVENT_RESOURCE_STALL,      1u << 5,           12, &work_split_store, false, true}, /* SBFULL */
    {EVENT_FSB_DATA_ACTIVITY,   1u << 1,           0,  &work_uncached_load, true, true}, /* DRDY_OWN, one signal of the bus */
};
/* clang-format on */

/* An event that is 0 or 1 in each clock counts as many clocks above 0 as it counts. */
static void expect_clocks(const struct shared *shared, unsigned counter)
{
    struct measurement m = {.counters = 0};

    if (counter_is_dead(twin_of(counter)))
        return;
    measure_add_event(&m, shared->event, shared->mask, counter, 0);
    measure_add_event(&m, shared->event, shared->mask, twin_of(counter), above(0));
    measure(&m, shared->work, WORK);
    expect_equal(RULES(R22, R10, R7), counts_of(&m.of[1]), counts_of(&m.of[0]),
                 "%s on counter %C, against the clocks above 0 on counter %C", PMC_EVENT[shared->event].name,
                 counter, twin_of(counter));
}

static void both_escrs(void)
{
    for (unsigned i = 0; i < COUNT_OF(SHARED); i++) {
        const struct shared *shared = &SHARED[i];
        const char *name = PMC_EVENT[shared->event].name;
        const unsigned even = shared->counter, odd = shared->counter + 2;
        struct pmc_programming p;
        uint64_t count[2];

        if (shared->paged && !paging_on())
            continue;
        work_page_region = PAGING_REGION;
        work_uncached_page = PAGING_UNCACHED;
        pmc_program(&p, shared->event, shared->mask, escr_self_all(), even);
        count_on_all(&p, shared->event, shared->work, WORK, count);
        for (unsigned side = 0; side < 2; side++)
            report_count(shared->event, count[side], "of %u occurrences on counter %u", WORK,
                         side ? odd : even);
        expect_true(RULES(R7, R17), shared->event != EVENT_TC_DELIVER_MODE || count[0] > 0,
                    "the modes of the trace cache take clocks on counter %C", even);
        expect_true(R17, count[0] < NOT_ALL_MISSED || count[1] > 0,
                    "%s occurs on counter %C as on counter %C", name, odd, even);
        expect_true(R17, count[1] < NOT_ALL_MISSED || count[0] > 0,
                    "%s occurs on counter %C as on counter %C", name, even, odd);
        if (shared->of_clocks) {
            expect_clocks(shared, even);
            expect_clocks(shared, odd);
        }
        pmc_set_privilege(&p, 0);
        count_on_all(&p, shared->event, shared->work, WORK, count);
        paging_off();
        expect_equal(RULES(R12, R11, R13), 0, count[0], "%s on counter %C with ESCR[3:0] = 0", name, even);
        expect_equal(RULES(R12, R11, R13), 0, count[1], "%s on counter %C with ESCR[3:0] = 0", name, odd);
    }
}

static const struct vector reach_rows[] = {
    CHECK("reach.counter-1", "counter 1 counts an event of its own ESCR when counter 3 starts it",
          .stages = STAGE_CASCADE, .run = counter_1),
    CHECK("reach.both-escrs", "what the even ESCR of a pair counts, the odd one counts too",
          .stages = STAGE_COUNTERS, .run = both_escrs),
};
VECTOR_GROUP(reach);
