/*
 * Events whose number cannot be known exactly, and the members of an event's mask (pmu-rules 8.3, 4.1 to 4.5;
 * Tables 19-28, 19-29; R7, R9).
 *
 * An event of class "invariant" must occur when its workload runs, and must not occur less often when the
 * workload is four times as long: an event that never occurs does not reach its counter, and one that occurs
 * in every clock is not that event. Of the shorter work the least of a few counts is taken, because what
 * disturbs a run adds to its count. In the longer work all counters of an ESCR must count the same. uop_type
 * only tags and never counts (R15). All other events are reported only: what a mixed workload makes of them.
 */
#include "kernel/x86/cpu.h"
#include "tests/suite/measure.h"
#include "tests/suite/repeat.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/number.h"
#include "tests/suite/stimulus.h"

static void prepare_pages(void)
{
    if (!paging_on())
        skip_now("no page-size extension, so no 4 KB pages to walk for");
    work_page_region = PAGING_REGION;
}

#define MASK(bit) (1u << (bit))

/* clang-format off */
static const struct invariant {
    const char *name;
    enum pmc_event_id event;
    uint16_t mask;
    uint8_t counter; /* on the even ESCR; counter + 2 is on the odd one */
    uint32_t filter;
    const struct workload *work;
    void (*prepare)(void);
    void (*finish)(void);
} INVARIANT[] = {
    {"page_walk_type.dtmiss",        EVENT_PAGE_WALK_TYPE,              MASK(0), 0, 0, &work_touch_pages, prepare_pages, paging_off},
    {"itlb_reference",               EVENT_ITLB_REFERENCE,              MASK(0) | MASK(1) | MASK(2), 0, 0, &work_self_modify, NULL, NULL},
    {"bpu_fetch_request",            EVENT_BPU_FETCH_REQUEST,           MASK(0), 0, 0, &work_self_modify, NULL, NULL},
    {"mob_load_replay",              EVENT_MOB_LOAD_REPLAY,             MASK(1) | MASK(3) | MASK(4) | MASK(5), 0, 0, &work_partial_load, NULL, work_finish_mmx},
    {"load_port_replay.split_ld",    EVENT_LOAD_PORT_REPLAY,            MASK(1), 8, 0, &work_split_load, NULL, NULL},
    {"store_port_replay.split_st",   EVENT_STORE_PORT_REPLAY,           MASK(1), 8, 0, &work_split_store, NULL, NULL},
    {"mispred_branch_retired",       EVENT_MISPRED_BRANCH_RETIRED,      MASK(0), 12, 0, &work_random_branch, NULL, NULL},
    {"retired_mispred_branch_type",  EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, 4, 0, &work_random_branch, NULL, NULL},
    {"retired_branch_type.conditional", EVENT_RETIRED_BRANCH_TYPE,      BRANCH_TYPE_CONDITIONAL, 4, 0, &work_loop, NULL, NULL},
    {"machine_clear.smclear",        EVENT_MACHINE_CLEAR,               MACHINE_CLEAR_SMCLEAR, 12, 0, &work_self_modify, NULL, NULL},
    {"machine_clear.clear",          EVENT_MACHINE_CLEAR,               MASK(0), 12, CCCR_COMPARE | CCCR_EDGE, &work_self_modify, NULL, NULL},
    {"uops_retired",                 EVENT_UOPS_RETIRED,                UOPS_RETIRED_NBOGUS, 12, 0, &work_nop, NULL, NULL},
    {"uop_queue_writes",             EVENT_UOP_QUEUE_WRITES,            MASK(0) | MASK(1) | MASK(2), 4, 0, &work_nop, NULL, NULL},
};
/* clang-format on */

static const struct items every_invariant = ITEMS(INVARIANT, .name = named_item);

static struct pmc_programming program(const struct invariant *v, unsigned counter)
{
    struct pmc_programming p;

    pmc_program(&p, v->event, v->mask, escr_self_all(), counter);
    p.cccr |= v->filter;
    return p;
}

#define MANY_PAGES 960

static void monotonic(const void *item)
{
    const struct invariant *v = item;
    struct pmc_programming even = program(v, v->counter), odd = program(v, v->counter + 2);

    /* Code that modifies itself costs an emulator a translation each time. */
    uint32_t part = v->work == &work_self_modify ? 6 : 1, shorter = RUN_SHORT / part,
             longer = RUN_LONG / part;
    /* More pages than any DTLB holds, because the frame's warm-up has touched the same ones. */
    if (v->work == &work_touch_pages) {
        shorter = RUN_LONG;
        longer = MANY_PAGES;
    }

    if (v->prepare)
        v->prepare();
    uint64_t few = count_least(&even, v->work, shorter), count[2];
    count_on_all(&even, v->event, v->work, longer, count);
    const uint64_t many = count[0], twin = count[1];
    expect_excluded(even, v->event, v->name, count_least, v->work, shorter);
    expect_excluded(odd, v->event, v->name, count_least, v->work, shorter);
    if (v->finish)
        v->finish();
    expect_true(RULES(R7, R17, R12), many > 0, "%s occurs", v->name);
    expect_true(RULES(R17, R7, R12), twin > 0, "%s occurs on the odd ESCR, counter %C", v->name,
                v->counter + 2);
    expect_true(RULES(R7, R27), many >= few, "%s: %llu with %u, %llu with %u, not fewer", v->name, few,
                shorter, many, longer);
    expect_true(R7, many < 100u * longer, "%s: %llu with %u is not the number of clocks", v->name, many,
                longer);
}

/* uop_type tags; each counter on it stays where it is (R15). */
static void tags_only(void)
{
    struct pmc_programming p;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (pmc_program(&p, EVENT_UOP_TYPE, UOP_TYPE_TAGLOADS | UOP_TYPE_TAGSTORES, escr_self_all(), n))
            expect_equal(R15, 0, count_least(&p, &work_split_load, RUN_LONG),
                         "counts of uop_type on counter %C while loads retire", n);
}

/* All members of an event. Where only one may be given (machine_clear), or they exclude each other, the
 * first. */
static uint16_t members_of(enum pmc_event_id id)
{
    const uint16_t mask = PMC_EVENT[id].members;

    return id == EVENT_MACHINE_CLEAR || id == EVENT_FSB_DATA_ACTIVITY ? mask & -mask : mask;
}

static bool has_own_vector(enum pmc_event_id id)
{
    for (unsigned s = 0; s < STIMULI; s++)
        if (STIMULUS[s].event == id)
            return true;
    for (unsigned i = 0; i < COUNT_OF(INVARIANT); i++)
        if (INVARIANT[i].event == id)
            return true;
    return id == EVENT_UOP_TYPE;
}

static void report_rest(void)
{
    for (unsigned id = 0; id < PMC_EVENTS; id++) {
        const struct pmc_event *event = &PMC_EVENT[id];
        struct pmc_programming p;
        unsigned counter = 0;

        if (has_own_vector(id) || !(event->models & MASK(machine_cpu.model)))
            continue;
        while (counter < PMC_COUNTERS && !pmc_program(&p, id, members_of(id), escr_self_all(), counter))
            counter++;
        if (counter < PMC_COUNTERS)
            report_count(id, count_once(&p, &work_random_branch, RUN_LONG), "on counter %u", counter);
    }
}

/* ---- The members of an event's mask, one by one ---- */

/*
 * A workload causes some members of an event and not others. Each member that it causes must count when its
 * bit is set alone, and each that it cannot cause must not; a bit that is dead, stuck or taken for another
 * shows on the first row that has it. branch_retired splits all branches into four members, so any set of
 * them on one ESCR and the other members on its twin make all branches together, but for a few. Of members of
 * which the manual does not say when they occur, bogus ones and those that Table 19-34 alone names, nothing
 * is asked but that they take nothing from the member beside them.
 */

#define RANDOM 2000 /* branches: more than a predictor of these parts learns by heart */

/* clang-format off */
static const struct members {
    uint8_t event;
    uint8_t counter; /* on the even ESCR; counter + 2 is on the odd one */
    uint16_t caused, not_caused;
    const struct workload *work;
    uint16_t n, least; /* occurrences; counts that each caused member makes at least */
    void (*prepare)(void);
    void (*finish)(void);
} MEMBERS[] = {
    {EVENT_RETIRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_CALL, BRANCH_TYPE_RETURN, &work_call, 200, 190, NULL, NULL},
    {EVENT_RETIRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_CALL | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_RETURN, &work_indirect_call, 200, 190, NULL, NULL},
    {EVENT_RETIRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_RETURN | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_CALL, &work_return, 200, 190, NULL, NULL},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL, BRANCH_TYPE_CALL | BRANCH_TYPE_RETURN, &work_random_branch, RANDOM, 1, NULL, NULL},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 4, 0, BRANCH_TYPE_CALL, &work_call, 200, 0, NULL, NULL},
    {EVENT_UOP_QUEUE_WRITES,    4, MASK(1), 0, &work_loop, 400, 100, NULL, NULL},       /* FROM_TC_DELIVER */
    {EVENT_UOP_QUEUE_WRITES,    4, MASK(0), 0, &work_self_modify, 40, 20, NULL, NULL},  /* FROM_TC_BUILD */
    {EVENT_MEMORY_COMPLETE,     8, MEMORY_COMPLETE_LSC, MEMORY_COMPLETE_SSC, &work_split_load, 200, 100, NULL, NULL},
    {EVENT_MEMORY_COMPLETE,     8, MEMORY_COMPLETE_SSC, MEMORY_COMPLETE_LSC, &work_split_store, 200, 100, NULL, NULL},
    {EVENT_PAGE_WALK_TYPE,      0, MASK(0), 0, &work_touch_pages, MANY_PAGES, MANY_PAGES / 2, prepare_pages, paging_off}, /* DTMISS */
    {EVENT_MOB_LOAD_REPLAY,     0, MASK(4), 0, &work_partial_load, 200, 1, NULL, work_finish_mmx}, /* PARTIAL_DATA */
    {EVENT_UOPS_RETIRED,       12, UOPS_RETIRED_NBOGUS, 0, &work_nop, 500, 500, NULL, NULL},
    {EVENT_INSTR_RETIRED,      12, INSTR_RETIRED_NTAG, INSTR_RETIRED_TAG, &work_nop, 200, 200, NULL, NULL},
    {EVENT_ITLB_REFERENCE,      0, 0, MASK(1) | MASK(2), &work_self_modify, 40, 0, NULL, NULL}, /* MISS, HIT_UC */
    {EVENT_MACHINE_CLEAR,      12, MACHINE_CLEAR_SMCLEAR, 0, &work_self_modify, 40, 1, NULL, NULL},
    {EVENT_X87_ASSIST,         12, X87_ASSIST_FPSU, MASK(1) | MASK(2) | MASK(3) | MASK(4), &work_stack_fault, 200, 100, work_prepare_fp, NULL},
};
/* clang-format on */

#define FEW 16 /* counts of a member that the work does not cause (pmu-rules 8.3), or between two writes */

/* On one ESCR the member is alone, on the other one beside another member, whose occurrences are added: but a
 * return, or a call, may be an occurrence of INDIRECT as well. A quarter is left for what occurs between the
 * starts and stops of the two ESCRs. */
static void expect_member(const struct members *m, uint16_t bit, uint16_t other, uint8_t level)
{
    struct measurement on = {.place = {level, false}};
    const unsigned with = bit > other; /* the side of the other one */
    const bool caused = m->caused & bit, adds = m->caused & other,
               apart = bit != other && !((bit | other) & BRANCH_TYPE_INDIRECT);

    if (m->prepare)
        m->prepare();
    for (unsigned side = 0; side < 2; side++)
        measure_add_event(&on, m->event, side == with ? bit | other : bit, m->counter + 2 * side, 0);
    measure(&on, m->work, m->n);
    const uint64_t alone = counts_of(&on.of[!with]), both = counts_of(&on.of[with]);
    const bool right = caused ? alone >= m->least : alone <= FEW;
    const bool added = both >= (caused ? m->least : 0) &&
                       both + FEW + alone / 4 >= alone + (adds && apart ? m->least : 0) &&
                       ((m->not_caused & other) == 0 || both <= alone + FEW);
    expect_true(RULES(R7, R12), right,
                "%s with mask %4H on counter %C at CPL %u, %u of a workload that %s it: %llu",
                PMC_EVENT[m->event].name, bit, on.of[!with].p.counter, level, m->n,
                caused ? "causes" : "does not cause", alone);
    expect_true(RULES(R9, R7), added,
                "%s with mask %4H on counter %C at CPL %u, beside %llu with mask %4H: %llu",
                PMC_EVENT[m->event].name, bit | other, on.of[with].p.counter, level, alone, bit, both);
    if (m->finish)
        m->finish();
}

/* ---- branch_retired ---- */

/*
 * Branches of a window. On a slow processor whose clocks run an eighth of the time 2000 take half a
 * millisecond, and an SMI each millisecond would hit every second window. So a window is shorter than what a
 * predictor learns by heart; each has other branches, so that none is learned.
 */
#define WINDOW 400

struct split {
    uint64_t even, odd; /* on CRU_ESCR2 and on CRU_ESCR3 */
    uint64_t of_work;   /* branches of the workload */
};

/* variant: which branches. */
static struct split count_split(uint16_t even, uint16_t odd, uint8_t level, unsigned variant)
{
    struct measurement m = {.place = {level, false}};
    const uint32_t n = WINDOW + variant;

    measure_add_event(&m, EVENT_BRANCH_RETIRED, even, 12, 0);
    measure_add_event(&m, EVENT_BRANCH_RETIRED, odd, 14, 0);
    measure(&m, &work_random_branch, n);
    return (struct split){counts_of(&m.of[0]), counts_of(&m.of[1]), n * work_random_branch.branches};
}

/* The frame's own branches. */
static uint64_t of_frame(const void *level)
{
    const struct split split =
        count_split(BRANCH_RETIRED_ALL, BRANCH_RETIRED_ALL, *(const uint8_t *)level, 0);

    return split.even - split.of_work;
}

static void expect_same(uint8_t level)
{
    const struct split split = count_split(BRANCH_RETIRED_ALL, BRANCH_RETIRED_ALL, level, 0);

    expect_near(RULES(R7, R27), split.even, FEW, split.odd,
                "branches on CRU_ESCR3 with all members, as on CRU_ESCR2");
}

/* Every fourth mask at this CPL, so that each member is on each ESCR alone and beside others. Between the
 * writes of the two ESCRs the image itself branches. */
static void expect_split(uint8_t level)
{
    const uint64_t frame = least_of(of_frame, &level);

    expect_same(level);
    for (uint16_t mask = level ? level : 4; mask < BRANCH_RETIRED_ALL; mask += 4) {
        const struct split split = count_split(mask, BRANCH_RETIRED_ALL ^ mask, level, mask);

        expect_near(RULES(R9, R7, R12), split.of_work + frame, FEW, split.even + split.odd,
                    "branches at CPL %u with mask %1H on CRU_ESCR2 and the other members on CRU_ESCR3", level,
                    mask);
        expect_true(R7, split.even > 0 && split.odd > 0, "members %1H (%llu) and the others (%llu) occur",
                    mask, split.even, split.odd);
    }
}

static void one_by_one(void)
{
    for (const struct members *m = MEMBERS; m < MEMBERS + COUNT_OF(MEMBERS); m++)
        for (uint32_t bit = 1, known = m->caused | m->not_caused; bit <= known; bit <<= 1)
            for (uint32_t other = 1, all = PMC_EVENT[m->event].members; other <= all; other <<= 1)
                for (uint8_t level = 0; level <= 3; level += 3)
                    if (known & bit && all & other && (bit == other || m->event != EVENT_MACHINE_CLEAR))
                        expect_member(m, (uint16_t)bit, (uint16_t)other, level);
    for (uint8_t level = 0; level <= 3; level++)
        expect_split(level);
}

static const struct vector events_rows[] = {
    CHECK("event", "occurs with its workload, and not less with more of it", .deadline_ms = 2000,
          .run_item = monotonic, .items = &every_invariant),
    CHECK("event.uop_type", "tags only, never counts", .run = tags_only),
    CHECK("event.members", "each mask bit counts its member of the event and no other", .deadline_ms = 2000,
          .run = one_by_one),
    PROBE("probe.events", "the other events: all members in a mixed workload", .also = "R9",
          .deadline_ms = 5000, .run = report_rest),
};
VECTOR_GROUP(events);
