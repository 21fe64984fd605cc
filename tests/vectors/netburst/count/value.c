/*
 * The value an ESCR presents to its counters (18.15.5.1, 18.15.5.9; R7, R9, R14, R15).
 *
 * With event select 0, and with a mask without members, a counter that runs beside real work stays 0. Before
 * 0F27H the bus event IOQ_allocation ignores the OS and USR flags. The tag fields of an ESCR do not change
 * what it counts. Each vector says in its expectation which of these does not hold.
 */
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/number.h"
#include "tests/suite/stimulus.h"

/* ---- R7 ---- */

/* The long run of a stimulus, counted with these bits of the ESCR cleared. */
static uint64_t count_without(uint32_t bits, struct pmc_programming p, enum stimulus_id id)
{
    p.escr &= ~bits;
    return count_of(&p, STIMULUS[id].work, RUN_LONG);
}

/* The selects of these two differ in their highest bit alone. */
static void select_is_whole(void)
{
    const enum stimulus_id id = STIMULUS_SCALAR_DP;
    struct pmc_programming p = stimulus_prepared(id, 8);
    const uint8_t moves = PMC_EVENT[EVENT_X87_SIMD_MOVES_UOP].select;

    p.escr = (p.escr & ~ESCR_SELECT_MASK) | ESCR_EVENT_SELECT(moves);
    expect_between(R7, 0, STIMULUS[id].slack, count_without(0, p, id), "%u %s counted with event select %2H",
                   RUN_LONG, STIMULUS[id].name, moves);
}

/*
 * What an ESCR does with event select 0 or with an empty mask was never measured on silicon. One block in
 * which it counts is a finding, and reported; several are a counter that does not look at its ESCR.
 */
static void no_event(void)
{
    unsigned blocks = 0;

    select_is_whole();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        enum stimulus_id id = stimulus_a(n);
        struct pmc_programming p = stimulus_prepared(id, n);

        uint64_t no_select = count_without(ESCR_SELECT_MASK, p, id);
        uint64_t no_mask = count_without(ESCR_EVENT_MASK_MASK, p, id);
        if (no_select | no_mask) {
            report_number(no_select, "counts of counter %u with event select 0", n);
            report_number(no_mask, "counts of counter %u with an empty event mask", n);
            blocks |= 1u << PMC_COUNTER[n].block;
        }
        if (id != STIMULUS_CLOCKS)
            expect_true(R7, count_without(0, p, id) >= stimulus_least(id, RUN_LONG),
                        "counter %C counts %s with both", n, STIMULUS[id].name);
    }
    expect_true(R7, (blocks & (blocks - 1)) == 0,
                "of the four blocks (bits %H) at most one counts without an event", blocks);
}

/* ---- R15 ---- */

/* The vector event.uop_type tests that uop_type never counts. */
static void tag_fields(void)
{
    struct pmc_programming p = stimulus_prepared(STIMULUS_PACKED_SP, 8);

    uint64_t untagged = count_without(0, p, STIMULUS_PACKED_SP);
    uint64_t spread = stimulus_spread(STIMULUS_PACKED_SP, untagged);
    p.escr |= ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1);
    expect_near(R15, untagged, spread, count_without(0, p, STIMULUS_PACKED_SP),
                "packed_SP uops with tag enable and a tag value, against without");
}

/* ---- R14 ---- */

/* The USR flag alone, while everything runs at CPL 0. */
static void bus_reads_at_cpl0(void)
{
    const enum stimulus_id id = STIMULUS_UNCACHED_READS;
    const uint32_t slack = STIMULUS[id].slack;

    skip_without_ioq();
    struct pmc_programming p = stimulus_prepared(id, 0);
    uint64_t reads = count_without(escr_self(true, false), p, id);
    expect_true(RULES(R27, R17), count_without(0, p, id) >= stimulus_least(id, RUN_LONG),
                "%u uncached reads are counted with all flags", RUN_LONG);
    if (machine_has_erratum(PMC_E10)) /* the event may, but need not, ignore the flags */
        expect_between(R14, 0, stimulus_most(id, RUN_LONG), reads,
                       "%u uncached reads at CPL 0 with USR alone", RUN_LONG);
    else
        expect_between(RULES(R12, R11, R14), 0, slack, reads,
                       "uncached reads counted at CPL 0 with USR alone");
    stimulus_finish(id);
}

/* ---- R9, E12: the groups of IOQ_allocation's mask ---- */

#define IOQ_READ  (1u << 5)
#define IOQ_WRITE (1u << 6)
#define IOQ_UC    (1u << 7)
#define IOQ_WB    (1u << 11)
#define IOQ_OWN   (1u << 13)
#define IOQ_OTHER (1u << 14)

/*
 * Uncached reads of our own. On models 2 and later request type, direction, memory type and agent must all
 * match. On models 0 and 1 the agent and one of type and direction are enough, and with a direction the
 * memory type is ignored (E12). With OTHER, what the other agents of the bus read is counted: by far not as
 * much.
 */
static void ioq_members(void)
{
    static const struct {
        uint16_t mask;
        bool before_model_2, since; /* whether it is counted there */
    } masks[] = {
        {IOQ_UNCACHED_READ, true, true},
        {IOQ_UNCACHED_READ ^ IOQ_READ ^ IOQ_WRITE, true, false}, /* the request type is enough */
        {IOQ_UNCACHED_READ ^ IOQ_UC ^ IOQ_WB, true, false},      /* the memory type is ignored */
        {IOQ_UNCACHED_READ ^ IOQ_UC, true, false},
        {IOQ_UNCACHED_READ ^ IOQ_OWN ^ IOQ_OTHER, false, false},
    };
    const enum stimulus_id id = STIMULUS_UNCACHED_READS;
    const uint32_t slack = STIMULUS[id].slack;

    skip_without_ioq();
    stimulus_prepare(id);
    for (unsigned i = 0; i < COUNT_OF(masks); i++) {
        struct pmc_programming p = stimulus_program(id, 0);
        bool counted = machine_has_erratum(PMC_E12) ? masks[i].before_model_2 : masks[i].since;
        p.escr = (p.escr & ~ESCR_EVENT_MASK_MASK) | ESCR_EVENT_MASK(masks[i].mask);
        uint64_t reads = count_without(0, p, id);
        expect_between(RULES(R7, E12), counted ? stimulus_least(id, RUN_LONG) : 0,
                       counted                     ? stimulus_most(id, RUN_LONG)
                       : masks[i].mask & IOQ_OTHER ? RUN_LONG / 2
                                                   : slack,
                       reads, "%u uncached reads counted with IOQ_allocation mask %4H", RUN_LONG,
                       masks[i].mask);
    }
    stimulus_finish(id);
}

static const struct vector value_rows[] = {
    CHECK("value.no-event", "event select 0 and an empty event mask count nothing", .needs = NEED_SSE2,
          .deadline_ms = 5000, .stages = STAGE_COUNT, .run = no_event),
    CHECK("value.tags", "the tag fields of an ESCR do not change what it counts", .needs = NEED_SSE2,
          .deadline_ms = 2000, .stages = STAGE_COUNT, .run = tag_fields),
    CHECK("value.ioq-privilege", "IOQ_allocation and the privilege flags: ignored before 0F27H",
          .also = "E10", .deadline_ms = 2000, .stages = STAGE_FLAGS, .run = bus_reads_at_cpl0),
    CHECK("value.ioq-members", "IOQ_allocation: the groups of its mask", .deadline_ms = 2000,
          .stages = STAGE_COUNT, .run = ioq_members),
};
VECTOR_GROUP(value);
