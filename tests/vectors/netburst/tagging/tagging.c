/*
 * Tagged uops at retirement (Tables 19-31 to 19-33; pmu-rules 4.5, 4.6; R15, R44).
 *
 * An upstream ESCR tags uops, a downstream event counts those that retire. Each measurement runs a workload
 * of n uops with the upstream counter enabled, which powers its ESCR (R44), and reads the downstream counter;
 * the difference of two lengths is free of the frame's own uops. execution_event must see as many tagged uops
 * as the upstream event counts, under the NBOGUS member of the tag bit and no other, and none when nothing is
 * tagged: too few mean that tags are lost, many under another member that they are mixed up. How many uops an
 * instruction has is open (question 10.11a). front_end_event must see at least
 * n loads or stores. event.replay_event has the floors of replay tagging, by UOP_TAG alone, since PEBS stays
 * off (R61, F35); how its counts compare with those of the upstream event is only reported here.
 */
#include "kernel/lib/lib.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/bits.h"
#include "tests/suite/number.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define BASE       40
#define MORE       160
#define SLACK      8  /* where nothing is tagged (pmu-rules 8.3) */
#define DOWNSTREAM 12 /* CRU_ESCR0 and CRU_ESCR2; counter + 2 is on the odd ESCRs */
#define SIDES      2  /* upstream and downstream both on the even, or both on the odd ESCRs */

struct metric {
    struct pmc_programming upstream, downstream;
    uint32_t enable, matrix; /* MSR_PEBS_ENABLE, MSR_PEBS_MATRIX_VERT */
    const struct workload *work;
    enum { BY_ITS_OWN, BY_ITS_PAIR, BY_NONE } power; /* the enabled counter that powers the upstream ESCR */
    uint32_t former; /* what the upstream ESCR tagged by just before; 0: nothing */
};

struct tag_case {
    const struct metric *metric;
    uint32_t n;
};

enum { TAGGED, UPSTREAM };

static void program(struct pmc_programming *p, enum pmc_event_id event, uint16_t mask, unsigned counter)
{
    pmc_program(p, event, mask, escr_self_all(), counter);
}

static void tag_trial(const void *arg, struct observation *out)
{
    const struct tag_case *t = arg;
    const struct metric *m = t->metric;
    struct frame frame;

    msr_write(MSR_PEBS_ENABLE, m->enable);
    msr_write(MSR_PEBS_MATRIX_VERT, m->matrix);
    pmc_arm(&m->upstream, 0);
    pmc_arm(&m->downstream, 0);
    if (m->former) {
        msr_write(m->upstream.escr_msr, m->former);
        pmc_start(&m->upstream);
        work_exercise(m->work, BASE);
        msr_write(m->upstream.escr_msr, m->upstream.escr);
    }
    frame_init(&frame, idle_counter(m->upstream.counter, m->downstream.counter));
    frame_phase(&frame, 0, m->work, t->n);
    frame_count(&frame, &m->downstream, &m->upstream, &m->downstream);
    if (m->power == BY_ITS_OWN)
        frame.start[0] = (struct msr_write){MSR_CCCR(m->upstream.counter), pmc_cccr_enabled(&m->upstream)};
    if (m->power == BY_ITS_PAIR) {
        struct pmc_programming pair;

        program(&pair, EVENT_PACKED_SP_UOP, FIRM_ALL, m->upstream.counter ^ 2);
        pmc_arm(&pair, 0);
        pmc_start(&pair);
    }
    frame_measure(&frame);
    out->v[TAGGED] = pmc_read(m->downstream.counter);
    out->v[UPSTREAM] = pmc_read(m->upstream.counter);
}

static struct observation tag_run(const struct metric *m, uint32_t n)
{
    struct tag_case t = {m, n};

    return observe(tag_trial, &t);
}

/* Returns what MORE further uops add to both counts. */
static struct observation tag_difference(const struct metric *m)
{
    struct observation base = tag_run(m, BASE), more = tag_run(m, BASE + MORE);

    more.v[TAGGED] -= base.v[TAGGED];
    more.v[UPSTREAM] -= base.v[UPSTREAM];
    return more;
}

/* A difference of two lengths that should be 0. A few uops of the shorter run may make it less. */
static uint64_t not_negative(uint64_t difference)
{
    return (int64_t)difference < 0 ? 0 : difference;
}

/* ---- Execution tags ---- */

static void packed_sp(struct metric *m, unsigned side, uint32_t tag, enum pmc_event_id event, uint16_t mask)
{
    *m = (struct metric){.work = &work_packed_sp};
    work_prepare_sse();
    program(&m->upstream, EVENT_PACKED_SP_UOP, FIRM_ALL, 8 + 2 * side);
    m->upstream.escr |= tag;
    program(&m->downstream, event, mask, DOWNSTREAM + 2 * side);
}

static void untagged(void)
{
    for (unsigned side = 0; side < SIDES; side++) {
        struct metric m;

        packed_sp(&m, side, ESCR_TAG_VALUE_MASK, EVENT_EXECUTION_EVENT, EXECUTION_NBOGUS_ALL);
        m.former = m.upstream.escr | ESCR_TAG_ENABLE;
        const uint64_t off = tag_run(&m, BASE).v[TAGGED];
        m.upstream.escr |= ESCR_TAG_ENABLE;
        expect_true(RULES(R15, R44), tag_run(&m, BASE).v[TAGGED] >= stimulus_least(STIMULUS_PACKED_SP, BASE),
                    "execution_event counts %u ADDPS with tag enable", BASE);
        expect_between(R15, 0, SLACK, off,
                       "execution_event, %u ADDPS with tag value 15 and tag enable 0, which was 1", BASE);
    }
}

/* Tagged or not, an instruction is counted by one of the two members (R9). */
static void tagged_instructions(void)
{
    struct metric m;
    uint64_t count[INSTR_RETIRED_NBOGUS + 1];

    for (uint16_t mask = INSTR_RETIRED_NTAG; mask <= INSTR_RETIRED_NBOGUS; mask++) {
        packed_sp(&m, 0, ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1), EVENT_INSTR_RETIRED, mask);
        count[mask] = tag_difference(&m).v[TAGGED];
    }
    expect_equal(RULES(R27, R9), MORE, count[INSTR_RETIRED_NBOGUS], "instructions retired, %u more", MORE);
    /* Two runs, in which a few tags may differ (F11). */
    expect_near(R9, MORE, SLACK, count[INSTR_RETIRED_NTAG] + count[INSTR_RETIRED_TAG],
                "NBOGUSNTAG (%llu) and NBOGUSTAG (%llu) together, %u more instructions",
                count[INSTR_RETIRED_NTAG], count[INSTR_RETIRED_TAG], MORE);
}

static void powered_by_pair(void)
{
    for (unsigned side = 0; side < SIDES; side++) {
        struct metric m;

        packed_sp(&m, side, ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1), EVENT_EXECUTION_EVENT, EXECUTION_NBOGUS(0));
        const uint64_t tagged = tag_difference(&m).v[TAGGED];
        m.power = BY_ITS_PAIR;
        expect_near(RULES(R44, R15), tagged, stimulus_spread(STIMULUS_PACKED_SP, tagged),
                    tag_difference(&m).v[TAGGED],
                    "tagged uops of %u ADDPS, with a counter of FIRM_ESCR%u alone enabled", MORE, side ^ 1);
    }
}

static void unpowered(void)
{
    struct metric m;

    packed_sp(&m, 0, ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1), EVENT_EXECUTION_EVENT, EXECUTION_NBOGUS(0));
    m.power = BY_NONE;
    report_count(EVENT_EXECUTION_EVENT, tag_run(&m, BASE).v[TAGGED],
                 "of %u tagged uops without an enabled counter for FIRM_ESCR0", BASE);
}

/* ---- Front-end tags ---- */

static const struct front_end {
    const char *name;
    uint16_t mask, other_mask;
    const struct workload *work;
} FRONT_END[] = {
    {"loads", UOP_TYPE_TAGLOADS, UOP_TYPE_TAGSTORES, &work_split_load},
    {"stores", UOP_TYPE_TAGSTORES, UOP_TYPE_TAGLOADS, &work_split_store},
};

static const struct items every_front_end = ITEMS(FRONT_END, .name = named_item);

/* Whether uop_type needs tag enable too is open (pmu-rules 4.6): `tag` says what is tried. */
static uint64_t front_end_counts(const struct front_end *f, unsigned side, uint16_t mask, uint32_t tag)
{
    struct metric m = {.work = f->work};

    program(&m.upstream, EVENT_UOP_TYPE, mask, 13 + 2 * side);
    m.upstream.escr |= tag;
    if (mask == f->other_mask)
        m.former = m.upstream.escr ^ ESCR_EVENT_MASK(f->mask ^ mask);
    program(&m.downstream, EVENT_FRONT_END_EVENT, FRONT_END_NBOGUS, DOWNSTREAM + 2 * side);
    return tag_difference(&m).v[TAGGED];
}

static void front_end_on(unsigned side, const struct front_end *f)
{
    uint32_t tag = 0;
    uint64_t tagged = front_end_counts(f, side, f->mask, tag);

    if (tagged == 0) {
        tag = ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1);
        tagged = front_end_counts(f, side, f->mask, tag);
        tap_comment(COMMENT_VECTOR, "uop_type does not tag %s without tag enable", f->name);
    }
    expect_true(RULES(R15, R44), tagged >= MORE, "tagged %s: %llu with %u more of them, not fewer", f->name,
                tagged, MORE);
    expect_true(R15, front_end_counts(f, side, f->mask | f->other_mask, tag) >= MORE,
                "tagged %s, %u more of them, with both members", f->name, MORE);
    uint64_t other = front_end_counts(f, side, f->other_mask, tag);
    expect_between(RULES(R15, R7), 0, SLACK, not_negative(other), "tagged uops of the other kind, %u more %s",
                   MORE, f->name);
    expect_between(R15, 0, SLACK, not_negative(front_end_counts(f, side, 0, tag)),
                   "front_end_event with nothing tagged, %u more %s", MORE, f->name);
}

static void front_end(const void *item)
{
    for (unsigned side = 0; side < SIDES; side++)
        front_end_on(side, item);
}

/* ---- Replay tags ---- */

/* clang-format off */
static const struct replay {
    const char *name;
    enum pmc_event_id event;
    uint16_t mask;
    uint8_t counter;
    uint32_t enable, matrix;
    const struct workload *work;
    void (*finish)(void);
} REPLAY[] = {
    {"split loads",  EVENT_LOAD_PORT_REPLAY,  LOAD_REPLAY_SPLIT_LD,  10, PEBS_REPLAY_SPLIT, PEBS_MATRIX_LOADS,  &work_split_load,   NULL},
    {"split stores", EVENT_STORE_PORT_REPLAY, STORE_REPLAY_SPLIT_ST, 8,  PEBS_REPLAY_SPLIT, PEBS_MATRIX_STORES, &work_split_store,  NULL},
    {"MOB replays",  EVENT_MOB_LOAD_REPLAY,   MOB_REPLAY_TAGGED,     0,  PEBS_REPLAY_MOB,   PEBS_MATRIX_LOADS,  &work_partial_load, work_finish_mmx},
};
/* clang-format on */

static void replays(void)
{
    for (unsigned i = 0; i < COUNT_OF(REPLAY); i++) {
        const struct replay *r = &REPLAY[i];
        struct metric m = {.enable = PEBS_ENABLE_UOP_TAG | r->enable, .matrix = r->matrix, .work = r->work};
        program(&m.upstream, r->event, r->mask, r->counter);
        program(&m.downstream, EVENT_REPLAY_EVENT, REPLAY_NBOGUS, DOWNSTREAM);
        struct observation o = tag_difference(&m);
        m.enable = r->enable;
        report_count(r->event, o.v[UPSTREAM], "of %u %s", MORE, r->name);
        report_count(EVENT_REPLAY_EVENT, o.v[TAGGED], "of %u %s, UOP_TAG without PEBS", MORE, r->name);
        report_count(EVENT_REPLAY_EVENT, tag_difference(&m).v[TAGGED], "of %u %s, without UOP_TAG", MORE,
                     r->name);
        if (r->finish)
            r->finish();
    }
}

static const struct vector tagging_rows[] = {
    CHECK("tag.off", "nothing is tagged without tag enable", .needs = NEED_SSE2, .stages = STAGE_TAGS,
          .run = untagged),
    CHECK("tag.instructions", "tagged and untagged instructions are all instructions", .needs = NEED_SSE2,
          .deadline_ms = 2000, .stages = STAGE_TAGS, .run = tagged_instructions),
    CHECK("tag.power", "an ESCR tags while a counter of the other ESCR of its pair is enabled",
          .needs = NEED_SSE2, .deadline_ms = 2000, .stages = STAGE_TAGS, .run = powered_by_pair),
    CHECK("tag.front-end", "tagged loads and stores retire", .deadline_ms = 2000, .stages = STAGE_COUNTERS,
          .run_item = front_end, .items = &every_front_end),
    PROBE("probe.tag.unpowered", "tagging by an ESCR that no enabled counter can use", .also = "R44",
          .needs = NEED_SSE2, .stages = STAGE_TAGS, .run = unpowered),
    PROBE("probe.tag.replay", "replays tagged without PEBS", .also = "R61", .needs = NEED_SSE2,
          .deadline_ms = 2000, .stages = STAGE_COUNTERS, .run = replays),
};
VECTOR_GROUP(tagging);
