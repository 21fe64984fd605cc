/*
 * Tags of several bits, of two ESCRs at once, and by privilege level (Tables 19-31, 19-32; pmu-rules 4.6;
 * R12, R13, R15).
 *
 * Each of the four tag bits goes with one NBOGUS member of execution_event, whatever the other three are. So
 * a mask of members counts as many uops as the upstream event if the tag value has the bit of one of them,
 * and none if it has no bit of theirs; with the bits of several, no rule says how often a uop counts. Two
 * FIRM ESCRs tag uops of two events, or of one, with two values, or of one event with one value; each value
 * is found on uops of its own event alone. The upstream ESCR tags, and the downstream ESCR counts, by its own
 * OS and USR bits: uops above CPL 0 by USR of both, uops of the sibling by the bits of its T flags. An OS bit
 * upstream with work above CPL 0 is left out for execution tags, because the halted sibling may be at CPL 0
 * (question 11.9).
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/stimulus.h"

#define UOPS      100
#define FEW       8 /* where nothing is tagged (pmu-rules 8.3) */
#define SIDES     2
#define TAG_BITS  4
#define TAG(bits) (ESCR_TAG_ENABLE | ESCR_TAG_VALUE(bits))

/* An upstream and a downstream counter. */
struct tagger {
    struct pmc_programming up, down;
};

static void packed_sp(struct tagger *t, unsigned side, unsigned tag, uint16_t mask)
{
    pmc_program(&t->up, EVENT_PACKED_SP_UOP, FIRM_ALL, escr_self_all(), 8 + 2 * side);
    t->up.escr |= TAG(tag);
    pmc_program(&t->down, EVENT_EXECUTION_EVENT, mask, escr_self_all(), 12 + 2 * side);
}

#define HERE     ((struct place){0, false})
#define AT_CPL_3 ((struct place){3, false})

/* Run the phases at this place with these counters. Each tagger's counts are [0] up, [1] down. */
static void run_tagged(const struct tagger *taggers, unsigned count, struct place place,
                       const struct frame *phases, uint64_t (*counts)[2])
{
    struct measurement m = {.place = place};

    for (unsigned i = 0; i < 2 * count; i++)
        measure_add(&m, i % 2 ? &taggers[i / 2].down : &taggers[i / 2].up, 0);
    if (count == 1) { /* another value comes first; without flags it tags nothing */
        for (unsigned i = m.escrs++; i-- > 0;)
            m.escr[i + 1] = m.escr[i];
        m.escr[0].value = (taggers->up.escr ^ ESCR_TAG_VALUE(EXECUTION_NBOGUS_ALL)) & ~ESCR_CPL_MASK;
    }
    measure_arm(&m, ALL_COUNTERS);
    measure_run(&m, phases);
    for (unsigned i = 0; i < 2 * count; i++)
        counts[i / 2][i % 2] = counts_of(&m.of[i]);
}

static void expect_tagged(uint32_t rules, bool found, const uint64_t count[2], const char *what,
                          unsigned first, unsigned second)
{
    uint64_t spread = stimulus_spread(STIMULUS_PACKED_SP, count[0]);

    if (found)
        expect_near(rules, count[0], spread, count[1], what, first, second);
    else
        expect_between(RULES(R15, R7), 0, FEW, count[1], what, first, second);
}

static void values(void)
{
    struct frame frame;

    work_prepare_sse();
    frame_init(&frame, 0); /* all of its writes are used */
    frame_phase(&frame, 0, &work_packed_sp, UOPS);
    for (unsigned tag = 1; tag < 1u << TAG_BITS; tag++)
        for (uint16_t mask = 1; mask <= EXECUTION_NBOGUS_ALL; mask++) {
            const unsigned side = (tag + mask) % SIDES, common = tag & mask;
            struct tagger t;
            uint64_t count[1][2];

            if (common & (common - 1)) /* no rule says how often such a uop counts */
                continue;
            packed_sp(&t, side, tag, mask);
            if (machine_cpu.ht && mask % 2)
                t.up.escr |= ESCR_T0_ALL | ESCR_T1_ALL;
            run_tagged(&t, 1, (tag + mask / 2) % 2 ? AT_CPL_3 : HERE, &frame, count);
            require_true(RULES(R7, R27), count[0][0] >= UOPS, "packed_SP_uop on counter %C: %llu",
                         t.up.counter, count[0][0]);
            expect_tagged(mask & (mask - 1) ? RULES(R9, R15, R7) : RULES(R15, R7), common, count[0],
                          side ? "uops with tag value %u by mask %u, ESCR1 side"
                               : "uops with tag value %u by mask %u, ESCR0 side",
                          tag, mask);
        }
}

/* FIRM_ESCR0 tags packed_SP uops with one bit. FIRM_ESCR1 tags with another bit scalar_DP uops, or packed_SP
 * uops too, with the same bit, or with another one, so that they have two tags: the four bits count up to
 * four events at once, and distinctly (18.15.6). */
static void two_taggers(void)
{
    struct frame frame;

    work_prepare_sse();
    frame_init(&frame, 0);
    frame_phase(&frame, 0, &work_packed_sp, UOPS);
    frame_phase(&frame, 1, &work_scalar_dp, UOPS / 2);
    for (unsigned i = 0; i < 3 * TAG_BITS; i++) {
        const unsigned bit = i / 3, other = (bit + (i % 3 != 0)) % TAG_BITS;
        struct tagger t[SIDES];
        uint64_t counts[SIDES][2];

        packed_sp(&t[0], 0, 1u << bit, EXECUTION_NBOGUS(bit));
        packed_sp(&t[1], 1, 1u << other, EXECUTION_NBOGUS(other));
        if (i % 3 == 2) {
            pmc_program(&t[1].up, EVENT_SCALAR_DP_UOP, FIRM_ALL, escr_self_all(), 10);
            t[1].up.escr |= TAG(1u << other);
        }
        run_tagged(t, SIDES, HERE, &frame, counts);
        expect_tagged(RULES(R15, R7), true, counts[0],
                      "uops of FIRM_ESCR0 with tag bit %u, while FIRM_ESCR1 gives bit %u", bit, other);
        expect_tagged(RULES(R15, R7), true, counts[1],
                      "uops of FIRM_ESCR1 with tag bit %u, while FIRM_ESCR0 gives bit %u", other, bit);
    }
}

/* ---- Privilege ---- */

enum flags { OWN_OS, OWN_USR, OWN_ALL, ITS_OS, ITS_USR, ITS_ALL };

static uint32_t escr_flags(enum flags flags)
{
    switch (flags) {
    case OWN_OS:
        return escr_self(true, false);
    case OWN_USR:
        return escr_self(false, true);
    case OWN_ALL:
        return escr_self_all();
    case ITS_OS:
        return escr_sibling(true, false);
    case ITS_USR:
        return escr_sibling(false, true);
    default:
        return escr_sibling(true, true);
    }
}

static const struct flag_case {
    struct place place;
    uint8_t up, down;
    bool execution, front_end; /* tagged uops are counted */
    unsigned needs;            /* for the sibling's bits, or its work */
} FLAG_CASE[] = {
    {{3, false}, OWN_USR, OWN_USR, true, true, 0},
    {{3, false}, OWN_USR, OWN_ALL, true, true, 0},
    {{3, false}, OWN_USR, OWN_OS, false, false, 0},
    {{3, false}, OWN_OS, OWN_USR, false, false, 0},
    {{0, false}, OWN_OS, OWN_OS, true, true, 0},
    {{0, false}, OWN_USR, OWN_ALL, false, false, 0},
    {{0, false}, OWN_OS, OWN_USR, false, false, 0},
    {{0, false}, ITS_OS, OWN_OS, true, false, NEED_SMT}, /* FIRM events are thread independent */
    {{0, false}, OWN_OS, ITS_ALL, false, false, NEED_SMT},
    {{0, true}, ITS_OS, ITS_OS, true, true, NEED_SIBLING},
    {{3, true}, ITS_USR, ITS_ALL, true, true, NEED_SIBLING},
    {{0, true}, OWN_OS, ITS_OS, true, false, NEED_SIBLING},
    {{0, true}, ITS_ALL, OWN_ALL, false, false, NEED_SIBLING},
};

static void expect_by_flags(const struct flag_case *c, unsigned side, bool front_end,
                            const struct frame *frame)
{
    struct tagger t;
    uint64_t count[1][2];

    packed_sp(&t, side, 1, EXECUTION_NBOGUS(0));
    if (front_end) {
        pmc_program(&t.up, EVENT_UOP_TYPE, UOP_TYPE_TAGLOADS, 0, 13 + 2 * side);
        t.up.escr |= TAG(1);
        pmc_program(&t.down, EVENT_FRONT_END_EVENT, FRONT_END_NBOGUS, 0, 12 + 2 * side);
    }
    pmc_set_privilege(&t.up, escr_flags(c->up));
    pmc_set_privilege(&t.down, escr_flags(c->down));
    run_tagged(&t, 1, c->place, frame, count);
    bool counted = front_end ? c->front_end : c->execution;
    expect_true(RULES(R15, R12, R13, R11), counted ? count[0][1] >= UOPS - FEW : count[0][1] <= FEW,
                "%u %s at CPL %u of LP%u, ESCR[3:0] = %1H tags, %1H on %s: %llu %s", UOPS,
                front_end ? "loads" : "packed_SP uops", c->place.level, place_lp(c->place),
                t.up.escr & ESCR_CPL_MASK, t.down.escr & ESCR_CPL_MASK, pmc_escr_at(t.down.escr_msr)->name,
                count[0][1], counted ? "not fewer" : "none");
}

static void privilege(void)
{
    struct frame sse, loads;

    work_prepare_sse();
    frame_init(&sse, 0);
    frame_init(&loads, 0);
    frame_phase(&sse, 0, &work_packed_sp, UOPS);
    frame_phase(&loads, 0, &work_split_load, UOPS);
    for (unsigned i = 0; i < COUNT_OF(FLAG_CASE); i++)
        for (unsigned side = 0; side < SIDES; side++) {
            if (FLAG_CASE[i].needs & ~machine_meets())
                continue;
            if (FLAG_CASE[i].place.level == 0 || FLAG_CASE[i].up != OWN_OS) /* the sibling may be at CPL 0 */
                expect_by_flags(&FLAG_CASE[i], side, false, &sse);
            expect_by_flags(&FLAG_CASE[i], side, true, &loads);
        }
}

static const struct vector tag_values_rows[] = {
    CHECK("tag.values", "each bit of a tag value has its NBOGUS member, all 15 values and masks",
          .needs = NEED_SSE2, .deadline_ms = 2000, .stages = STAGE_TAGS, .run = values),
    CHECK("tag.two-escrs", "two FIRM ESCRs tag two events, or one, with two values", .needs = NEED_SSE2,
          .stages = STAGE_TAGS, .run = two_taggers),
    CHECK("tag.privilege", "tags are put and counted by the OS and USR bits of both ESCRs",
          .needs = NEED_SSE2, .stages = STAGE_FLAGS | STAGE_TAGS, .run = privilege),
};
VECTOR_GROUP(tag_values);
