/*
 * Every counter's own filter, the order of qualification, and clocks from the threshold filter
 * (18.15.3, 18.17.2; R16, R18, R22, R26).
 *
 * Privilege comes before the threshold: an event that the OS and USR flags keep out presents the value 0,
 * which "greater than 0" never passes and "less than or equal to 0" passes in every clock. The ACTIVE_THREAD
 * gate ends counting altogether, clocks by complement included. And complement with threshold 15 counts the
 * clocks of the core whatever is selected and however it is qualified: the non-sleep clocks of 18.17.2.
 *
 * That makes every counter's filter testable, whatever its block can count: no value is above 15; every one
 * is at or below 15, in every clock; and what is true in every clock has no second rising edge.
 */
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/vector.h"

#define ALL_CLOCKS at_or_below(15)

static void expect_all_clocks(uint64_t clocks, uint64_t observed, const char *which)
{
    expect_true(clocks > TOGETHER_WORK / 2, "clocks of %u turns of a loop", TOGETHER_WORK);
    expect_between(clocks - TOGETHER_SKEW, clocks + TOGETHER_SKEW, observed,
                   "%s, against all clocks; WRMSR skew allowed", which);
}

#define FAR_ENOUGH 100 /* events, or clocks: far fewer than the loop takes */

/* Clocks that counter n counts of its own event and of the loop with these CCCR bits in the place of
 * ACTIVE_THREAD = 11B. */
static uint64_t loop_clocks(unsigned n, uint32_t filter, unsigned active, uint64_t preset)
{
    enum stimulus_id id = stimulus_a(n);
    struct pmc_programming p = stimulus_program(id, n);

    stimulus_prepare(id);
    p.cccr = (p.cccr & ~CCCR_ACTIVE_MASK) | CCCR_ACTIVE_THREAD(active) | filter;
    pmc_stop_all();
    pmc_arm(&p, preset);
    pmc_start(&p);
    work_exercise(STIMULUS[id].work, FAR_ENOUGH);
    work_exercise(&work_loop, TOGETHER_WORK);
    pmc_stop(n);
    return pmc_read(n) - preset;
}

static void every_filter(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (counter_is_dead(n))
            continue;
        expect_equal(0, loop_clocks(n, above(15), ACTIVE_ANY, 0), "clocks with a value above 15, counter %u",
                     n);
        expect_between(0, 1, loop_clocks(n, ALL_CLOCKS | CCCR_EDGE, ACTIVE_ANY, 0),
                       "rising edges of what is true in every clock, counter %u (R25: the first is open)", n);
        loop_clocks(n, ALL_CLOCKS, ACTIVE_ANY, COUNTER_OVERFLOW_IN(FAR_ENOUGH));
        expect_between(TOGETHER_WORK / 2 - FAR_ENOUGH, COUNTER_OVERFLOW_IN(FAR_ENOUGH) - 1, pmc_read(n),
                       "counter %u, preset -%u, after the clocks of %u turns of a loop", n, FAR_ENOUGH,
                       TOGETHER_WORK);
        expect_true(pmc_overflowed(n), "OVF of counter %u, counting clocks by COMPARE", n);
    }
}

static void privilege_first(unsigned member)
{
    struct together t = {.work = &work_loop, .n = TOGETHER_WORK};
    uint64_t count[TOGETHER_MOST];

    (void)member;
    together_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 12, above(0));
    together_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 13, at_or_below(0));
    together_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 16, ALL_CLOCKS);
    for (unsigned i = 0; i < t.counters; i++)
        t.p[i].escr = (t.p[i].escr & ~ESCR_CPL_MASK) | escr_self(false, true);
    together_run(&t, count);
    expect_equal(0, count[0], "clocks with more than 0 uops at CPL > 0, running at CPL 0");
    expect_all_clocks(count[2], count[1], "clocks with no uop at CPL > 0");
}

/* Clocks of counter *arg with ACTIVE_THREAD = both. An NMI that wakes the sibling adds some, so this is
 * observed. */
static void clocks_of_both(const void *arg, struct observation *out)
{
    out->v[0] = loop_clocks(*(const unsigned *)arg, ALL_CLOCKS, ACTIVE_BOTH, 0);
}

static void active_thread_gates(unsigned member)
{
    static const unsigned active[TOGETHER_MOST] = {ACTIVE_BOTH, ACTIVE_SINGLE, ACTIVE_ANY};
    static const uint8_t counter[TOGETHER_MOST] = {12, 13, 16};
    struct together t = {.work = &work_loop, .n = TOGETHER_WORK};
    uint64_t count[TOGETHER_MOST];

    (void)member;
    for (unsigned i = 0; i < TOGETHER_MOST; i++) {
        struct pmc_programming *p =
            together_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, counter[i], ALL_CLOCKS);
        p->cccr = (p->cccr & ~CCCR_ACTIVE_MASK) | CCCR_ACTIVE_THREAD(active[i]);
    }
    together_run(&t, count);
    expect_equal(0, count[0], "clocks by complement with ACTIVE_THREAD = both, the sibling asleep");
    expect_all_clocks(count[2], count[1], "clocks by complement with ACTIVE_THREAD = single");
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (counter_is_dead(n))
            continue;
        expect_equal(0, observe(clocks_of_both, &n).v[0],
                     "clocks with ACTIVE_THREAD = both, the sibling asleep, counter %u", n);
        expect_true(loop_clocks(n, ALL_CLOCKS, ACTIVE_SINGLE, 0) > TOGETHER_WORK / 2,
                    "clocks with ACTIVE_THREAD = single, counter %u", n);
    }
}

static void non_sleep(unsigned member)
{
    struct together t = {.work = &work_loop, .n = TOGETHER_WORK};
    uint64_t count[TOGETHER_MOST];

    (void)member;
    together_add(&t, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 2, 0);
    together_add(&t, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, 12, ALL_CLOCKS)->escr &=
        ~ESCR_EVENT_MASK_MASK;
    together_add(&t, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, 14, ALL_CLOCKS)->escr &= ~ESCR_CPL_MASK;
    together_run(&t, count);
    expect_all_clocks(count[0], count[1], "non-sleep clocks on instr_retired, event mask 0");
    expect_all_clocks(count[0], count[2], "non-sleep clocks on branch_retired, OS and USR flags all 0");
}

/* An event that this ESCR knows on this model, or PMC_EVENTS. Not IOQ_allocation, which has E10, nor
 * uop_type: whether RAT reaches a counter at all is an open question. */
static unsigned known_event(const struct pmc_escr *escr)
{
    unsigned id = 0;

    while (id < PMC_EVENTS &&
           (id == EVENT_IOQ_ALLOCATION || id == EVENT_UOP_TYPE ||
            PMC_EVENT[id].escr[escr->side] != escr->msr || !(PMC_EVENT[id].models & 1u << machine_cpu.model)))
        id++;
    return id;
}

/* Whatever the event counts, and be it nothing: complemented, its clocks come by the ESCR that is selected.
 */
static void every_route(void)
{
    for (const struct pmc_escr *escr = PMC_ESCR; escr < PMC_ESCR + PMC_ESCRS; escr++) {
        unsigned event = known_event(escr);
        for (unsigned i = 0; event < PMC_EVENTS && i < escr->counter_count; i++) {
            struct together t = {.work = &work_loop, .n = TOGETHER_WORK};
            uint64_t count[TOGETHER_MOST];
            if (counter_is_dead(escr->counters[i]))
                continue;
            together_add(&t, event, 0, escr->counters[i], ALL_CLOCKS);
            together_run(&t, count);
            expect_true(count[0] > TOGETHER_WORK / 2, "non-sleep clocks on %s of %s, counter %u",
                        PMC_EVENT[event].name, escr->name, escr->counters[i]);
        }
    }
}

static void everywhere(unsigned member)
{
    (void)member;
    every_filter();
    every_route();
}

static const struct vector filter_order_rows[] = {
    {"filter.each", "COMPARE, COMPLEMENT and EDGE of every counter, with every ESCR", "R16 R17 R22 R23 R28",
     0, false, 5000, everywhere, 0},
    {"filter.order.privilege", "the OS and USR flags come before the threshold", "R11 R22 R26", 0, false,
     2000, privilege_first, 0},
    {"filter.order.active-thread", "a closed ACTIVE_THREAD gate counts no clock, complement or not",
     "R18 R22 R26", NEED_SMT, false, 2000, active_thread_gates, 0},
    {"filter.non-sleep", "complement and threshold 15: every clock, whatever event and privilege level",
     "R16 R22", 0, false, 2000, non_sleep, 0},
};
VECTOR_GROUP(filter_order);
