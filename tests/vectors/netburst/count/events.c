/*
 * Events whose number cannot be known exactly (pmu-rules 8.3, 4.1 to 4.5).
 *
 * An event of class "invariant" must occur when its workload runs, and must not occur less often when the
 * workload is four times as long: an event that never occurs does not reach its counter, and one that occurs
 * in every clock is not that event. Of the shorter work the least of a few counts is taken, because what
 * disturbs a run adds to its count. In the longer work all counters of an ESCR must count the same. uop_type
 * only tags and never counts (R15). All other events are reported only: what a mixed workload makes of them.
 */
#include "kernel/x86/cpu.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
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
    expect_true(RULES(R17, R7, R12), twin > 0, "%s occurs on the odd ESCR, counter %u", v->name,
                v->counter + 2);
    expect_true(RULES(R7, R27), many >= few, "%s: %llu with %u, %llu with %u, not fewer", v->name, few,
                shorter, many, longer);
    expect_true(R7, many < 100u * longer, "%s: %llu with %u is not the number of clocks", v->name, many,
                longer);
}

/* uop_type tags; a counter on it stays where it is (R15). */
static void tags_only(void)
{
    struct pmc_programming p;

    pmc_program(&p, EVENT_UOP_TYPE, UOP_TYPE_TAGLOADS | UOP_TYPE_TAGSTORES, escr_self_all(), 12);
    expect_equal(R15, 0, count_least(&p, &work_split_load, RUN_LONG),
                 "counts of uop_type while loads retire");
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
            tap_comment(COMMENT_VECTOR, "%s on counter %u: %llu", event->name, counter,
                        count_once(&p, &work_random_branch, RUN_LONG));
    }
}

static const struct vector events_rows[] = {
    CHECK("event", "occurs with its workload, and not less with more of it", .also = "R9",
          .deadline_ms = 2000, .run_item = monotonic, .items = &every_invariant),
    CHECK("event.uop_type", "tags only, never counts", .run = tags_only),
    PROBE("probe.events", "the other events: all members in a mixed workload", .also = "R9",
          .deadline_ms = 5000, .run = report_rest),
};
VECTOR_GROUP(events);
