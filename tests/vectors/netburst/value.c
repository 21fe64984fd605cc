/*
 * The value an ESCR presents to its counters (18.15.5.1, 18.15.5.9; R6 to R9, R14, R15, R42).
 *
 * One ESCR feeds every counter of its set at once, and each counts the same. Event select 0 is no event and a
 * mask without members selects nothing: the counter, enabled and running beside real work, stays 0. Several
 * members of one event add up. Before 0F27H the bus event IOQ_allocation ignores the OS and USR flags. The
 * tag fields of an ESCR do not change what it counts. While the processor sleeps its clocks are not counted.
 */
#include "tests/suite/expect.h"
#include "kernel/board/clock.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/counter_group.h"

#define SHORT 60
#define LONG  240

/* ---- R6 ---- */

/* The starts and stops of the counters are instructions too, the same ones in both runs: the difference is
 * exact. */
static void one_escr(unsigned member)
{
    (void)member;
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *escr = &PMC_ESCR[i];
        enum stimulus_id id = stimulus_a(escr->counters[0]);
        const struct stimulus *s = &STIMULUS[id];
        uint64_t low[TOGETHER_MOST], high[TOGETHER_MOST];
        struct together t = {.work = s->work, .n = SHORT};

        if (id == STIMULUS_CLOCKS || PMC_EVENT[s->event].escr[escr->side] != escr->msr)
            continue;
        for (unsigned c = 0; c < escr->counter_count; c++)
            together_add(&t, s->event, s->mask, escr->counters[c], 0);
        stimulus_prepare(id);
        together_run(&t, low);
        t.n = LONG;
        together_run(&t, high);
        for (unsigned c = 0; c < escr->counter_count; c++)
            expect_between(LONG - SHORT - s->slack, LONG - SHORT + s->slack, high[c] - low[c],
                           "counter %u, %u more %s, all counters of %s running", escr->counters[c],
                           LONG - SHORT, s->name, escr->name);
    }
}

/* ---- R7 ---- */

static uint64_t count_with(const struct pmc_programming *p, uint32_t without, enum stimulus_id id)
{
    struct pmc_programming changed = *p;
    struct frame frame;

    changed.escr &= ~without;
    frame_init(&frame, idle_counter(p->counter, p->counter));
    frame_phase(&frame, 0, STIMULUS[id].work, LONG);
    return count_alone(&changed, COUNT_AS_X, &frame);
}

/* The selects of these two differ in their highest bit alone. */
static void select_is_whole(void)
{
    const enum stimulus_id id = STIMULUS_SCALAR_DP;
    struct pmc_programming p = stimulus_program(id, 8);
    const uint8_t moves = PMC_EVENT[EVENT_X87_SIMD_MOVES_UOP].select;

    stimulus_prepare(id);
    p.escr = (p.escr & ~ESCR_SELECT_MASK) | ESCR_EVENT_SELECT(moves);
    expect_between(0, STIMULUS[id].slack, count_with(&p, 0, id), "%u %s counted with event select %2H", LONG,
                   STIMULUS[id].name, moves);
}

static void no_event(unsigned member)
{
    (void)member;
    select_is_whole();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        enum stimulus_id id = stimulus_a(n);
        struct pmc_programming p = stimulus_program(id, n);

        stimulus_prepare(id);
        expect_equal(0, count_with(&p, ESCR_SELECT_MASK, id), "counter %u with event select 0", n);
        expect_equal(0, count_with(&p, ESCR_EVENT_MASK_MASK, id), "counter %u with an empty event mask", n);
        if (id != STIMULUS_CLOCKS)
            expect_true(count_with(&p, 0, id) >= LONG, "counter %u counts %s with both", n,
                        STIMULUS[id].name);
    }
}

/* ---- R9 ---- */

static uint64_t count_members(enum pmc_event_id event, uint16_t mask, unsigned counter,
                              const struct frame *phases)
{
    struct pmc_programming p;

    pmc_program(&p, event, mask, escr_self(true, true), counter);
    return count_alone(&p, COUNT_AS_X, phases);
}

static void members(unsigned member)
{
    struct frame frame;

    (void)member;
    frame_init(&frame, 0);
    frame_phase(&frame, 0, &work_loop, LONG);
    uint64_t taken = count_members(EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, 12, &frame);
    uint64_t not_taken =
        count_members(EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL & ~BRANCH_RETIRED_TAKEN, 12, &frame);
    expect_true(taken >= LONG - 1 && not_taken >= 1, "branches of a loop of %u turns: taken and not", LONG);
    expect_equal(taken + not_taken, count_members(EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, 12, &frame),
                 "branches, all four members of branch_retired");

    frame_phase(&frame, 0, &work_call, LONG);
    frame_phase(&frame, 1, &work_return, SHORT);
    uint64_t calls = count_members(EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, 4, &frame);
    uint64_t returns = count_members(EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_RETURN, 4, &frame);
    expect_true(calls >= LONG && returns >= SHORT, "%u CALLs and %u RETURNs alone", LONG, SHORT);
    expect_equal(calls + returns,
                 count_members(EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL | BRANCH_TYPE_RETURN, 4, &frame),
                 "CALLs and RETURNs, both members of retired_branch_type");
}

/* ---- R15 ---- */

/* That uop_type never counts is event.uop_type's matter. */
static void tag_fields(unsigned member)
{
    struct pmc_programming p = stimulus_program(STIMULUS_PACKED_SP, 8);
    const uint32_t slack = STIMULUS[STIMULUS_PACKED_SP].slack;

    (void)member;
    stimulus_prepare(STIMULUS_PACKED_SP);
    uint64_t untagged = count_with(&p, 0, STIMULUS_PACKED_SP);
    p.escr |= ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1);
    expect_between(untagged - slack, untagged + slack, count_with(&p, 0, STIMULUS_PACKED_SP),
                   "packed_SP uops with tag enable and a tag value, against without");
}

/* ---- R14 ---- */

/* The USR flag alone, while everything runs at CPL 0. */
static void bus_reads_at_cpl0(unsigned member)
{
    const enum stimulus_id id = STIMULUS_UNCACHED_READS;
    const uint32_t slack = STIMULUS[id].slack;
    struct pmc_programming p = stimulus_program(id, 0);

    (void)member;
    stimulus_prepare(id);
    uint64_t reads = count_with(&p, escr_self(true, false), id);
    if (machine_has_erratum(PMC_E10))
        expect_between(LONG - slack, LONG + slack, reads,
                       "%u uncached reads at CPL 0 with USR alone: before 0F27H no flag matters", LONG);
    else
        expect_between(0, slack, reads, "uncached reads counted at CPL 0 with USR alone");
    stimulus_finish(id);
}

/* ---- R9, E12: the groups of IOQ_allocation's mask ---- */

#define IOQ_READ_UC 0x20A1u /* request type 1, ALL_READ, UC, OWN (pmu-rules 9.1) */
#define IOQ_READ    (1u << 5)
#define IOQ_WRITE   (1u << 6)
#define IOQ_UC      (1u << 7)
#define IOQ_WB      (1u << 11)
#define IOQ_OWN     (1u << 13)
#define IOQ_OTHER   (1u << 14)

/*
 * Uncached reads of our own. On models 2 and later request type, direction, memory type and agent must all be
 * met; before, agent and one of type and direction are enough, and with a direction the memory type is
 * ignored.
 */
static void ioq_members(unsigned member)
{
    static const struct {
        uint16_t mask;
        bool before_model_2, since; /* counted */
    } masks[] = {
        {IOQ_READ_UC, true, true},
        {IOQ_READ_UC ^ IOQ_READ ^ IOQ_WRITE, true, false}, /* the request type is enough */
        {IOQ_READ_UC ^ IOQ_UC ^ IOQ_WB, true, false},      /* the memory type is ignored */
        {IOQ_READ_UC ^ IOQ_UC, true, false},
        {IOQ_READ_UC ^ IOQ_OWN ^ IOQ_OTHER, false, false},
    };
    const enum stimulus_id id = STIMULUS_UNCACHED_READS;
    const uint32_t slack = STIMULUS[id].slack;

    (void)member;
    stimulus_prepare(id);
    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        struct pmc_programming p = stimulus_program(id, 0);
        bool counted = machine_has_erratum(PMC_E12) ? masks[i].before_model_2 : masks[i].since;
        p.escr = (p.escr & ~ESCR_EVENT_MASK_MASK) | ESCR_EVENT_MASK(masks[i].mask);
        uint64_t reads = count_with(&p, 0, id);
        expect_between(counted ? LONG - slack : 0, counted ? LONG + slack : slack, reads,
                       "%u uncached reads counted with IOQ_allocation mask %4H", LONG, masks[i].mask);
    }
    stimulus_finish(id);
}

/* ---- R42 ---- */

#define SLEEP_US       200
#define RESUME_AFTER   1000 /* milliseconds: the deadline, set anew after its timer was used to wake us */
#define AWAKE_FRACTION 4    /* going to sleep and waking take far less than a quarter of the time */

static uint64_t clocks_of(void (*pass_time)(void))
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, 3);

    pmc_arm(&p, 0);
    pmc_start(&p);
    pass_time();
    return pmc_read(3);
}

static void stay_awake(void)
{
    delay_us(SLEEP_US);
}

static void sleep_once(void)
{
    irq_off();
    timer_interrupt_in_us(SLEEP_US, VECTOR_WAKE);
    cpu_sleep();
    timer_interrupt_in_us(RESUME_AFTER * 1000, VECTOR_TIMER);
}

static void asleep(unsigned member)
{
    (void)member;
    uint64_t awake = clocks_of(stay_awake), sleeping = clocks_of(sleep_once);

    expect_true(sleeping < awake / AWAKE_FRACTION,
                "clocks counted in %u us of HLT with every logical processor asleep: %llu, awake: %llu",
                SLEEP_US, sleeping, awake);
    uint64_t before = pmc_read(3);
    stay_awake();
    expect_true(pmc_read(3) - before >= awake / 2, "counter 3 goes on after the sleep");
}

static const struct vector value_rows[] = {
    {"value.one-escr", "one ESCR feeds all its counters at once, and each counts everything", "R6", NEED_SSE2,
     false, 2000, one_escr, 0},
    {"value.no-event", "event select 0 and an empty event mask count nothing", "R7", NEED_SSE2, false, 5000,
     no_event, 0},
    {"value.members", "several members of an event count the sum of each alone", "R9", 0, false, 2000,
     members, 0},
    {"value.tags", "the tag fields of an ESCR do not change what it counts", "R15", NEED_SSE2, false, 2000,
     tag_fields, 0},
    {"value.ioq-privilege", "IOQ_allocation and the privilege flags: ignored before 0F27H", "R12 R14 E10", 0,
     false, 2000, bus_reads_at_cpl0, 0},
    {"value.ioq-members", "IOQ_allocation: the groups of its mask", "R7 E12", 0, false, 2000, ioq_members, 0},
    {"value.asleep", "no clocks are counted while every logical processor sleeps", "R42", NEED_LAPIC, false,
     RESUME_AFTER, asleep, 0},
};
VECTOR_GROUP(value);
