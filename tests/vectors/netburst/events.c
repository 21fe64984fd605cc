/*
 * Events whose number cannot be known exactly (pmu-rules 8.3, 4.1 to 4.5).
 *
 * An event of class "invariant" must occur when its workload runs and must not occur less often when the
 * workload is four times as long. uop_type only tags and never counts (R15). All other events are reported
 * only: what a mixed workload gives.
 */
#include "tests/suite/expect.h"
#include "kernel/lib/format.h"
#include "kernel/x86/paging.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"
#include "tests/suite/stimulus.h"

#define SHORT 60
#define LONG  240

static void prepare_pages(void)
{
    if (!paging_on())
        skip_now("no page-size extension, so no 4 KB pages to walk for");
    work_page_region = PAGING_REGION;
}

#define MASK(bit) (1u << (bit))

/* clang-format off */
static const struct law {
    const char *name;
    enum pmc_event_id event;
    uint16_t mask;
    uint8_t counter; /* on the even ESCR; counter + 2 is on the odd one */
    uint32_t filter;
    const struct workload *work;
    void (*prepare)(void);
    void (*finish)(void);
} LAW[] = {
    {"page_walk_type.dtmiss",        EVENT_PAGE_WALK_TYPE,              MASK(0), 0, 0, &work_touch_pages, prepare_pages, paging_off},
    {"itlb_reference",               EVENT_ITLB_REFERENCE,              MASK(0) | MASK(1) | MASK(2), 0, 0, &work_self_modify, 0, 0},
    {"bpu_fetch_request",            EVENT_BPU_FETCH_REQUEST,           MASK(0), 0, 0, &work_self_modify, 0, 0},
    {"mob_load_replay",              EVENT_MOB_LOAD_REPLAY,             MASK(1) | MASK(3) | MASK(4) | MASK(5), 0, 0, &work_partial_load, 0, work_finish_mmx},
    {"load_port_replay.split_ld",    EVENT_LOAD_PORT_REPLAY,            MASK(1), 8, 0, &work_split_load, 0, 0},
    {"store_port_replay.split_st",   EVENT_STORE_PORT_REPLAY,           MASK(1), 8, 0, &work_split_store, 0, 0},
    {"mispred_branch_retired",       EVENT_MISPRED_BRANCH_RETIRED,      MASK(0), 12, 0, &work_random_branch, 0, 0},
    {"retired_mispred_branch_type",  EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, 4, 0, &work_random_branch, 0, 0},
    {"retired_branch_type.conditional", EVENT_RETIRED_BRANCH_TYPE,      BRANCH_TYPE_CONDITIONAL, 4, 0, &work_loop, 0, 0},
    {"machine_clear.clear",          EVENT_MACHINE_CLEAR,               MASK(0), 12, CCCR_COMPARE | CCCR_EDGE, &work_self_modify, 0, 0},
    {"uops_retired",                 EVENT_UOPS_RETIRED,                UOPS_RETIRED_NBOGUS, 12, 0, &work_nop, 0, 0},
    {"uop_queue_writes",             EVENT_UOP_QUEUE_WRITES,            MASK(0) | MASK(1) | MASK(2), 4, 0, &work_nop, 0, 0},
};
/* clang-format on */

static unsigned laws(void)
{
    return sizeof LAW / sizeof LAW[0];
}

static void law_suffix(unsigned member, char *out, size_t size)
{
    format(out, size, "%s", LAW[member].name);
}

static const struct family every_law = {laws, law_suffix, 0};

static uint64_t occurrences_with(const struct law *law, unsigned counter, uint32_t flags, uint32_t n)
{
    struct pmc_programming p;
    struct frame frame;

    pmc_clear(&machine_cpu);
    pmc_program(&p, law->event, law->mask, flags, counter);
    p.cccr |= law->filter;
    frame_init(&frame, idle_counter(counter, counter));
    frame_phase(&frame, 0, law->work, n);
    frame_count(&frame, &p, 0, &p);
    pmc_arm(&p, 0);
    frame_measure(&frame);
    return pmc_read(counter);
}

static uint64_t occurrences(const struct law *law, unsigned counter, uint32_t n)
{
    return occurrences_with(law, counter, escr_self(true, true), n);
}

/* However often it occurs: never by the flags of neither processor and, thread specific, neither by USR at
 * CPL 0 nor by those of the other processor, which sleeps. */
static void kept_out(const struct law *law, unsigned counter, uint32_t n)
{
    const uint32_t flags[] = {0, escr_self(false, true), machine_cpu.ht ? escr_sibling(true, true) : 0};
    unsigned tried = PMC_EVENT[law->event].thread == 'S' ? 3 : 1;

    for (unsigned i = 0; i < tried; i++)
        expect_equal(0, occurrences_with(law, counter, flags[i], n),
                     "%s at CPL 0 of LP%u with ESCR[3:0] = %1H, "
                     "counter %u",
                     law->name, smp_self(), flags[i], counter);
}

static void monotone(unsigned member)
{
    const struct law *law = &LAW[member];

    /* Code that modifies itself costs an emulator a translation each time. */
    uint32_t part = law->work == &work_self_modify ? 6 : 1, shorter = SHORT / part, longer = LONG / part;

    if (law->prepare)
        law->prepare();
    uint64_t few = occurrences(law, law->counter, shorter), many = occurrences(law, law->counter, longer);
    uint64_t twin = occurrences(law, law->counter + 2, longer);
    kept_out(law, law->counter, shorter);
    kept_out(law, law->counter + 2, shorter);
    if (law->finish)
        law->finish();
    expect_true(many > 0, "%s occurs", law->name);
    expect_true(twin > 0, "%s occurs on the odd ESCR, counter %u", law->name, law->counter + 2);
    expect_true(many >= few, "%s: %llu with %u, %llu with %u, not fewer", law->name, few, shorter, many,
                longer);
    expect_true(many < 100u * longer, "%s: %llu with %u is not the number of clocks", law->name, many,
                longer);
}

/* uop_type tags; a counter on it stays where it is (R15). */
static void tags_only(unsigned member)
{
    static const struct law tag = {"uop_type", EVENT_UOP_TYPE, MASK(1) | MASK(2), 12, 0, &work_split_load, 0,
                                   0};

    (void)member;
    expect_equal(0, occurrences(&tag, tag.counter, LONG), "counts of uop_type while loads retire");
}

/* Members that exclude each other, and machine_clear of which one may be given: only the first is taken. */
static uint16_t members_of(const struct pmc_event *event, enum pmc_event_id id)
{
    uint16_t mask = 0;

    for (const struct pmc_event_bit *b = event->bits; b->name; b++)
        mask |= MASK(b->bit);
    return id == EVENT_MACHINE_CLEAR || id == EVENT_FSB_DATA_ACTIVITY ? mask & -mask : mask;
}

static bool has_own_vector(enum pmc_event_id id)
{
    for (unsigned s = 0; s < STIMULI; s++)
        if (STIMULUS[s].event == id)
            return true;
    for (unsigned l = 0; l < laws(); l++)
        if (LAW[l].event == id)
            return true;
    return id == EVENT_UOP_TYPE;
}

static void report_rest(unsigned member)
{
    (void)member;
    for (unsigned id = 0; id < PMC_EVENTS; id++) {
        const struct pmc_event *event = &PMC_EVENT[id];
        struct law any = {event->name, id, members_of(event, id), 0, 0, &work_random_branch, 0, 0};
        struct pmc_programming p;

        if (has_own_vector(id) || !(event->models & MASK(machine_cpu.model)))
            continue;
        while (any.counter < PMC_COUNTERS &&
               !pmc_program(&p, id, any.mask, escr_self(true, true), any.counter))
            any.counter++;
        if (any.counter < PMC_COUNTERS)
            report("%s on counter %u: %llu", event->name, any.counter, occurrences(&any, any.counter, LONG));
    }
}

static const struct vector events_rows[] = {
    {"event", "occurs with its workload, and not less with more of it", "R7 R9 R11 R12 R13 R17", 0, false,
     2000, monotone, &every_law},
    {"event.uop_type", "tags only, never counts", "R15", 0, false, 1000, tags_only, 0},
    {"probe.events", "the other events: all members in a mixed workload", "R9", 0, true, 5000, report_rest,
     0},
};
VECTOR_GROUP(events);
