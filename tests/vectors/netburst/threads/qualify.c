/*
 * Qualification: privilege level, logical processor (18.15.1, 18.16.3, 18.16.4; R11 to R13).
 *
 * A thread-specific event (instr_retired) of logical processor t counts at CPL 0 when Tt_OS is set and at CPL
 * 1 to 3 when Tt_USR is set; the bits of the other logical processor do not matter. A thread-independent
 * event (packed_SP_uop) counts when an OS bit is set and a logical processor is at CPL 0, or a USR bit is set
 * and one is at CPL > 0; its T0 and T1 bits mean the same. Each item is one value of the four qualification
 * bits. The difference of two lengths must be the difference in instructions, or nothing: any other number
 * means that a bit is dead, stuck, or works for the wrong privilege level or logical processor.
 */
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "tests/suite/expect.h"
#include "tests/suite/bits.h"
#include "tests/suite/repeat.h"
#include "tests/suite/measure.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"

/* All 16 values of ESCR[3:0]. Without Hyper-Threading T1's bits are reserved and not written. */
static const uint8_t QUALIFICATION[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void qualification_name(const void *item, char *out, size_t size)
{
    unsigned bits = *(const uint8_t *)item;

    format(out, size, "%u%u%u%u", bits >> 3 & 1, bits >> 2 & 1, bits >> 1 & 1, bits & 1);
}

static unsigned qualification_needs(const void *item)
{
    return *(const uint8_t *)item & ESCR_T1_ALL ? NEED_SMT : 0;
}

static const struct items every_qualification =
    ITEMS(QUALIFICATION, .name = qualification_name, .needs = qualification_needs);

struct qualified {
    struct pmc_programming p;
    const struct workload *work;
    struct place place;
    uint32_t n;
};

static void qualified_trial(const void *arg, struct observation *out)
{
    const struct qualified *q = arg;
    struct measurement m = {.place = q->place};

    measure_add(&m, &q->p, 0);
    measure(&m, q->work, q->n);
    out->v[0] = counts_of(&m.of[0]);
}

static uint64_t qualified_count(struct qualified *q, uint32_t n)
{
    q->n = n;
    return observe(qualified_trial, q).v[0];
}

#define MORE (RUN_LONG - RUN_SHORT)
static uint64_t difference_of_lengths(struct qualified *q)
{
    return qualified_count(q, RUN_LONG) - qualified_count(q, RUN_SHORT);
}

/* The instructions of a place are counted by this bit and no other. */
static void instructions_at(struct place place, uint32_t bit, unsigned bits)
{
    struct qualified q = {.work = &work_nop, .place = place};
    unsigned lp = place_lp(place);

    pmc_program(&q.p, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, bits, 12);
    uint64_t difference = difference_of_lengths(&q);
    expect_equal(rules_of_flags('S'), bits & bit ? MORE : 0, difference,
                 "instructions at CPL %u of LP%u counted with ESCR[3:0] = %1H", place.level, lp, bits);
    if (!(bits & bit)) { /* that nothing was counted shows something beside what is counted */
        pmc_set_privilege(&q.p, bits | bit);
        expect_true(rules_of_flags('S'), qualified_count(&q, RUN_LONG) >= RUN_LONG,
                    "ESCR[3:0] = %1H counts instructions at CPL %u of LP%u", bits | bit, place.level, lp);
        pmc_set_privilege(&q.p, bits);
    }
    if (bits == 0)
        expect_equal(rules_of_flags('S'), 0, qualified_count(&q, RUN_LONG),
                     "instructions counted with no qualification bit set");
}

/* USR means CPL 1, 2 and 3. */
static void thread_specific(const void *item)
{
    unsigned bits = *(const uint8_t *)item;

    for (uint8_t level = 0; level <= 3; level++)
        instructions_at((struct place){level, false}, escr_self(level == 0, level > 0), bits);
}

static void thread_specific_sibling(const void *item)
{
    unsigned bits = *(const uint8_t *)item;

    instructions_at((struct place){0, true}, escr_sibling(true, false), bits);
    instructions_at((struct place){3, true}, escr_sibling(false, true), bits);
}

/*
 * packed_SP_uops of this logical processor at a privilege level count with these qualification bits, or none
 * does. How many uops an instruction makes is measured with all bits. A FIRM event also counts what executes
 * and does not retire (F11).
 */
static void expect_packed_sp(uint8_t level, unsigned bits, bool counted, const char *where)
{
    struct qualified q = {.work = &work_packed_sp, .place = {level, false}};

    stimulus_prepare(STIMULUS_PACKED_SP);
    pmc_program(&q.p, EVENT_PACKED_SP_UOP, FIRM_ALL, escr_self_all() | bits, 8);
    uint64_t all = qualified_count(&q, RUN_LONG);
    require_true(RULES(R13, R7), all >= RUN_LONG,
                 "uops of %u instructions %s, counted with all bits of this processor", RUN_LONG, where);
    pmc_set_privilege(&q.p, bits);
    expect_between(rules_of_flags('I'), counted ? all - stimulus_spread(STIMULUS_PACKED_SP, all) : 0,
                   counted ? all + stimulus_spread(STIMULUS_PACKED_SP, all) : 0,
                   qualified_count(&q, RUN_LONG), "uops %s, ESCR[3:0] = %1H", where, bits);
}

/* The sibling spins at CPL 0, so some logical processor is at CPL 0 in every clock (the CPL of a halted one
 * is open: question 11.9). */
static void thread_independent(const void *item)
{
    unsigned bits = *(const uint8_t *)item;
    const bool os = bits & (ESCR_T0_OS | ESCR_T1_OS), usr = bits & (ESCR_T0_USR | ESCR_T1_USR);

    companion_spin();
    expect_packed_sp(0, bits, os, "with both at CPL 0");
    expect_packed_sp(3, bits, os || usr, "at CPL 3 with the sibling at CPL 0");
    companion_end();
}

/* ---- Each thread-independent event that the suite causes (Table 19-34; Table 18-67) ---- */

/*
 * Whether an event is thread independent belongs to the event, not to its ESCR. With the sibling halted, the
 * sibling's OS bit must count our work at CPL 0 as our own OS bit does, and its USR bit our work at CPL 3;
 * its USR bit alone counts nothing while both are at CPL 0. The thread-specific events are tested where they
 * are counted: the sibling's bits must exclude them (vectors count and event).
 */

#define UOPS  150
#define SIDES 2

/* Count the stimulus on both ESCRs of its event at once. */
static void count_on_both(enum stimulus_id id, uint32_t flags, uint8_t level, uint64_t counts[SIDES])
{
    struct measurement m = {.place = {level, false}};

    stimulus_prepare(id);
    for (unsigned side = 0; side < SIDES; side++) {
        struct pmc_programming p = stimulus_program(id, 8 + 2 * side);

        pmc_set_privilege(&p, flags);
        measure_add(&m, &p, 0);
    }
    measure(&m, STIMULUS[id].work, UOPS);
    for (unsigned side = 0; side < SIDES; side++)
        counts[side] = counts_of(&m.of[side]);
    stimulus_finish(id);
}

static void expect_on_both(enum stimulus_id id, uint32_t flags, uint8_t level, uint64_t measure)
{
    uint64_t counts[SIDES], spread = stimulus_spread(id, measure);

    count_on_both(id, flags, level, counts);
    for (unsigned side = 0; side < SIDES; side++)
        expect_between(rules_of_flags('I'), measure == 0 ? 0 : measure - spread, measure + spread,
                       counts[side], "%s on counter %C at CPL %u of LP%u with ESCR[3:0] = %1H",
                       STIMULUS[id].name, 8 + 2 * side, level, smp_self(), flags);
}

static void every_thread_independent(void)
{
    for (unsigned id = STIMULUS_PACKED_SP; id <= STIMULUS_X87; id++) {
        uint64_t counts[SIDES];

        count_on_both(id, escr_self_all(), 0, counts);
        uint64_t measure = counts[0];
        require_true(R7, measure >= stimulus_least(id, UOPS), "%u %s at CPL 0: %llu", UOPS, STIMULUS[id].name,
                     measure);
        expect_on_both(id, escr_sibling(true, false), 0, measure);
        expect_on_both(id, escr_sibling(false, true), 0, 0);
        expect_on_both(id, escr_sibling(false, true), 3, measure);
        expect_on_both(id, escr_self(false, true), 3, measure);
    }
}

static const struct vector qualify_rows[] = {
    CHECK("qualify.ts", "own instructions at CPL 0 to 3 counted exactly by this logical processor's bits",
          .deadline_ms = 5000, .stages = STAGE_FLAGS, .run_item = thread_specific,
          .items = &every_qualification),
    CHECK("qualify.ts-sibling", "the sibling's instructions counted exactly by its bits",
          .needs = NEED_SIBLING, .deadline_ms = 5000, .stages = STAGE_FLAGS | STAGE_THREADS,
          .run_item = thread_specific_sibling, .items = &every_qualification),
    CHECK("qualify.ti", "a thread-independent event, both running", .needs = NEED_SIBLING | NEED_SSE2,
          .deadline_ms = 5000, .stages = STAGE_FLAGS | STAGE_THREADS, .run_item = thread_independent,
          .items = &every_qualification),
    CHECK("qualify.ti-events", "either processor's bits count a thread-independent event",
          .needs = NEED_SMT | NEED_SSE2, .stages = STAGE_FLAGS | STAGE_THREADS,
          .run = every_thread_independent),
};
VECTOR_GROUP(qualify);
