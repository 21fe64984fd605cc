/*
 * The members of an event's mask, one by one (Tables 19-28, 19-29; R7, R9).
 *
 * A workload causes some members of an event and not others. Each member that it causes must count when its
 * bit is set alone, and each that it cannot cause must not; a bit that is dead, stuck or taken for another
 * shows on the first row that has it. branch_retired splits all branches into four members, so any set of
 * them on one ESCR and the other members on its twin make all branches together, in each run. Members of
 * which the manual does not say when they occur, bogus ones and those that Table 19-34 alone names, are left
 * out.
 */
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define B(bit) (1u << (bit))

#define RANDOM 2000 /* branches: more than a predictor of these parts learns by heart */

/* clang-format off */
static const struct members {
    enum pmc_event_id event;
    uint8_t counter; /* on the even ESCR; counter + 2 is on the odd one */
    uint16_t caused, not_caused;
    const struct workload *work;
    uint16_t n, least; /* occurrences; counts that each caused member makes at least */
    void (*prepare)(void);
    void (*finish)(void);
} MEMBERS[] = {
    {EVENT_RETIRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_CALL, BRANCH_TYPE_RETURN, &work_call, 200, 190, NULL, NULL},
    {EVENT_RETIRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_RETURN | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_CALL, &work_return, 200, 190, NULL, NULL},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 4, BRANCH_TYPE_CONDITIONAL, BRANCH_TYPE_CALL | BRANCH_TYPE_RETURN, &work_random_branch, RANDOM, 1, NULL, NULL},
    {EVENT_UOP_QUEUE_WRITES,    4, B(1), 0, &work_loop, 400, 100, NULL, NULL},       /* FROM_TC_DELIVER */
    {EVENT_UOP_QUEUE_WRITES,    4, B(0), 0, &work_self_modify, 40, 20, NULL, NULL},  /* FROM_TC_BUILD */
    {EVENT_MEMORY_COMPLETE,     8, MEMORY_COMPLETE_LSC, MEMORY_COMPLETE_SSC, &work_split_load, 200, 100, NULL, NULL},
    {EVENT_MEMORY_COMPLETE,     8, MEMORY_COMPLETE_SSC, MEMORY_COMPLETE_LSC, &work_split_store, 200, 100, NULL, NULL},
    {EVENT_MOB_LOAD_REPLAY,     0, B(4), 0, &work_partial_load, 200, 1, NULL, work_finish_mmx}, /* PARTIAL_DATA */
    {EVENT_UOPS_RETIRED,       12, UOPS_RETIRED_NBOGUS, 0, &work_nop, 200, 200, NULL, NULL},
    {EVENT_INSTR_RETIRED,      12, INSTR_RETIRED_NTAG, INSTR_RETIRED_TAG, &work_nop, 200, 200, NULL, NULL},
    {EVENT_MACHINE_CLEAR,      12, MACHINE_CLEAR_SMCLEAR, 0, &work_self_modify, 40, 1, NULL, NULL},
    {EVENT_X87_ASSIST,         12, X87_ASSIST_FPSU, B(1) | B(2) | B(3) | B(4), &work_stack_fault, 200, 100, work_prepare_fp, NULL},
};
/* clang-format on */

#define FEW 16 /* counts of a member that the work does not cause (pmu-rules 8.3) */

static void expect_member(const struct members *m, unsigned counter, uint16_t bit)
{
    struct pmc_programming p;
    bool caused = m->caused & bit;

    if (m->prepare)
        m->prepare();
    pmc_program(&p, m->event, bit, escr_self_all(), counter);
    uint64_t count = count_once(&p, m->work, m->n);
    expect_true(R7, caused ? count >= m->least : count <= FEW,
                "%s with mask %4H on counter %u, %u of a workload that %s it: %llu", PMC_EVENT[m->event].name,
                bit, counter, m->n, caused ? "causes" : "does not cause", count);
    if (m->finish)
        m->finish();
}

/* ---- branch_retired ---- */

struct split {
    uint64_t even, odd;
};

static struct split count_split(uint16_t even, uint16_t odd)
{
    struct measurement m = {.counters = 0};

    measure_add_event(&m, EVENT_BRANCH_RETIRED, even, 12, 0);
    measure_add_event(&m, EVENT_BRANCH_RETIRED, odd, 14, 0);
    measure(&m, &work_random_branch, RANDOM);
    return (struct split){counts_of(&m.of[0]), counts_of(&m.of[1])};
}

static void expect_split(void)
{
    struct split split = count_split(BRANCH_RETIRED_ALL, BRANCH_RETIRED_ALL);
    const uint64_t all = (split.even + split.odd) / 2;

    expect_equal(RULES(R7, R27), split.even, split.odd,
                 "branches on CRU_ESCR3 with all members, as on CRU_ESCR2");
    for (uint16_t mask = 1; mask < BRANCH_RETIRED_ALL; mask++) {
        uint64_t sum = 0;

        for (unsigned tries = 0; tries < LONG_TRIES && sum != all; tries++) { /* an interrupt adds branches */
            split = count_split(mask, BRANCH_RETIRED_ALL ^ mask);
            sum = split.even + split.odd;
        }
        expect_equal(RULES(R9, R7), all, sum,
                     "branches with mask %1H on CRU_ESCR2 and the other members on CRU_ESCR3", mask);
        expect_true(R7, split.even > 0 && split.odd > 0, "members %1H (%llu) and the others (%llu) occur",
                    mask, split.even, split.odd);
    }
}

static void one_by_one(void)
{
    for (const struct members *m = MEMBERS; m < MEMBERS + COUNT_OF(MEMBERS); m++)
        for (unsigned bit = 0; bit < 16; bit++)
            for (unsigned side = 0; side < 2; side++)
                if ((m->caused | m->not_caused) & B(bit))
                    expect_member(m, m->counter + 2 * side, (uint16_t)B(bit));
    expect_split();
}

static const struct vector event_members_rows[] = {
    CHECK("event.members", "each mask bit counts its member of the event and no other", .deadline_ms = 2000,
          .run = one_by_one),
};
VECTOR_GROUP(event_members);
