/*
 * Every counter's own filter, the order of qualification, and clocks from the threshold filter
 * (18.15.3, 18.17.2; R16, R18, R22, R26).
 *
 * Privilege comes before the threshold: an event that the OS and USR flags exclude presents the value 0,
 * which "greater than 0" never passes and "less than or equal to 0" passes in every clock. The ACTIVE_THREAD
 * gate ends counting altogether, clocks by complement included. And complement with threshold 15 counts the
 * clocks of the core whatever is selected and however it is qualified: the non-sleep clocks of 18.17.2.
 *
 * So each counter can overflow by clocks, whatever its block can count.
 */
#include "pmc/msr.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

#define ALL_CLOCKS at_or_below(15)

static void expect_all_clocks(uint64_t clocks, uint64_t observed, const char *which)
{
    require_true(RULES(R16, R22), clocks > COUNTER_GROUP_WORK / 2, "clocks of %u laps of a loop",
                 COUNTER_GROUP_WORK);
    expect_near(RULES(R16, R22), clocks, COUNTER_GROUP_SKEW, observed,
                "%s, against all clocks; WRMSR skew allowed", which);
}

#define FAR_ENOUGH 100 /* clocks: far fewer than the loop takes */

/* A loop passes many clocks in which the event of the counter's block does not occur. */
static void every_counter_overflows(void)
{
    const uint64_t preset = COUNTER_OVERFLOW_IN(FAR_ENOUGH);

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (counter_is_dead(n))
            continue;
        struct pmc_programming p = stimulus_prepared(stimulus_a(n), n);

        p.cccr |= ALL_CLOCKS;
        pmc_stop_all();
        pmc_arm(&p, preset);
        pmc_start(&p);
        work_exercise(&work_loop, COUNTER_GROUP_WORK);
        pmc_stop(n);
        const bool overflowed = pmc_overflowed(n);
        msr_write(MSR_CCCR(n), 0); /* an access to a counter that selects an event may add to it (E1) */
        const uint64_t clocks = (pmc_read(n) - preset) & COUNTER_MASK;
        expect_true(RULES(R22, R16, R27), clocks > COUNTER_GROUP_WORK / 2,
                    "%llu clocks of %u laps of a loop, counter %u", clocks, COUNTER_GROUP_WORK, n);
        expect_true(RULES(R29, R28), overflowed, "OVF of counter %u, counting clocks by COMPARE", n);
    }
}

static void privilege_first(void)
{
    struct counter_group t = {.work = &work_loop, .n = COUNTER_GROUP_WORK};

    counter_group_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 12, above(0));
    counter_group_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 13, at_or_below(0));
    counter_group_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 16, ALL_CLOCKS);
    for (unsigned i = 0; i < t.counters; i++)
        pmc_set_privilege(&t.p[i], escr_self(false, true));
    counter_group_run(&t);
    expect_equal(RULES(R26, R11, R12), 0, t.count[0],
                 "clocks with more than 0 uops at CPL > 0, running at CPL 0");
    expect_all_clocks(t.count[2], t.count[1], "clocks with no uop at CPL > 0");
}

static void active_thread_gates(void)
{
    static const unsigned active[] = {ACTIVE_BOTH, ACTIVE_SINGLE, ACTIVE_ANY};
    static const uint8_t counter[] = {12, 13, 16};
    struct counter_group t = {.work = &work_loop, .n = COUNTER_GROUP_WORK};

    for (unsigned i = 0; i < COUNT_OF(counter); i++)
        pmc_set_active_thread(
            counter_group_add(&t, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, counter[i], ALL_CLOCKS),
            active[i]);
    counter_group_run(&t);
    expect_equal(RULES(R26, R18), 0, t.count[0],
                 "clocks by complement with ACTIVE_THREAD = both, the sibling halted");
    expect_all_clocks(t.count[2], t.count[1], "clocks by complement with ACTIVE_THREAD = single");
}

static void non_sleep(void)
{
    struct counter_group t = {.work = &work_loop, .n = COUNTER_GROUP_WORK};

    counter_group_add(&t, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 2, 0);
    counter_group_add(&t, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, 12, ALL_CLOCKS)->escr &=
        ~ESCR_EVENT_MASK_MASK;
    counter_group_add(&t, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, 14, ALL_CLOCKS)->escr &= ~ESCR_CPL_MASK;
    counter_group_run(&t);
    expect_all_clocks(t.count[0], t.count[1], "non-sleep clocks on instr_retired, event mask 0");
    expect_all_clocks(t.count[0], t.count[2], "non-sleep clocks on branch_retired, OS and USR flags all 0");
}

/* An event that this ESCR knows on this model, or PMC_EVENTS. Never IOQ_allocation, because of E10, nor
 * uop_type, because whether RAT_ESCR0 and 1 reach a counter at all is an open question (11.11). */
static unsigned known_event(const struct pmc_escr *escr)
{
    unsigned id = 0;

    while (id < PMC_EVENTS &&
           (id == EVENT_IOQ_ALLOCATION || id == EVENT_UOP_TYPE ||
            PMC_EVENT[id].escr[escr->side] != escr->msr || !(PMC_EVENT[id].models & 1u << machine_cpu.model)))
        id++;
    return id;
}

/* Whatever the event counts, even nothing: complemented, its clocks come by the ESCR that is selected. */
static void every_escr_select(void)
{
    for (const struct pmc_escr *escr = PMC_ESCR; escr < PMC_ESCR + PMC_ESCRS; escr++) {
        unsigned event = known_event(escr);
        for (unsigned i = 0; event < PMC_EVENTS && i < escr->counter_count; i++) {
            struct counter_group t = {.work = &work_loop, .n = COUNTER_GROUP_WORK};
            if (counter_is_dead(escr->counters[i]))
                continue;
            counter_group_add(&t, event, 0, escr->counters[i], ALL_CLOCKS);
            counter_group_run(&t);
            expect_true(RULES(R16, R17), t.count[0] > COUNTER_GROUP_WORK / 2,
                        "non-sleep clocks on %s of %s, counter %u", PMC_EVENT[event].name, escr->name,
                        escr->counters[i]);
        }
    }
}

static void everywhere(void)
{
    every_counter_overflows();
    every_escr_select();
}

static const struct vector filter_order_rows[] = {
    CHECK("filter.each", "clocks by COMPARE and COMPLEMENT on every counter, with every ESCR",
          .deadline_ms = 5000, .run = everywhere),
    CHECK("filter.order.privilege", "the OS and USR flags come before the threshold", .deadline_ms = 2000,
          .run = privilege_first),
    CHECK("filter.order.active-thread", "a closed ACTIVE_THREAD gate counts no clock, complement or not",
          .needs = NEED_SMT, .deadline_ms = 2000, .run = active_thread_gates),
    CHECK("filter.non-sleep", "complement and threshold 15: every clock, whatever event and privilege level",
          .deadline_ms = 2000, .run = non_sleep),
};
VECTOR_GROUP(filter_order);
