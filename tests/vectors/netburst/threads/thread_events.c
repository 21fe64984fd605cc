/*
 * Each thread-independent event that the suite causes (Table 19-34; 18.16.4, Table 18-67; R13).
 *
 * Whether an event is thread independent belongs to the event, not to its ESCR. With the sibling halted, the
 * sibling's OS bit must count our work at CPL 0 as our own OS bit does, and its USR bit our work at CPL 3;
 * its USR bit alone counts nothing while both are at CPL 0. The thread-specific events are tested where they
 * are counted: the sibling's bits must exclude them (vectors count and event).
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/measure.h"
#include "tests/suite/stimulus.h"

#define UOPS  150
#define SIDES 2

/* Count the stimulus on both ESCRs of its event at once. */
static void count_with(enum stimulus_id id, uint32_t flags, uint8_t level, uint64_t counts[SIDES])
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

static void expect_counts(enum stimulus_id id, uint32_t flags, uint8_t level, uint64_t measure)
{
    uint64_t counts[SIDES], spread = stimulus_spread(id, measure);

    count_with(id, flags, level, counts);
    for (unsigned side = 0; side < SIDES; side++)
        expect_between(rules_of_flags('I'), measure == 0 ? 0 : measure - spread, measure + spread,
                       counts[side], "%s on counter %u at CPL %u of LP%u with ESCR[3:0] = %1H",
                       STIMULUS[id].name, 8 + 2 * side, level, smp_self(), flags);
}

static void thread_independent(void)
{
    for (unsigned id = STIMULUS_PACKED_SP; id <= STIMULUS_X87; id++) {
        uint64_t counts[SIDES];

        count_with(id, escr_self_all(), 0, counts);
        uint64_t measure = counts[0];
        require_true(R7, measure >= stimulus_least(id, UOPS), "%u %s at CPL 0: %llu", UOPS, STIMULUS[id].name,
                     measure);
        expect_counts(id, escr_sibling(true, false), 0, measure);
        expect_counts(id, escr_sibling(false, true), 0, 0);
        expect_counts(id, escr_sibling(false, true), 3, measure);
        expect_counts(id, escr_self(false, true), 3, measure);
    }
}

static const struct vector thread_events_rows[] = {
    CHECK("qualify.ti-events", "either processor's bits count a thread-independent event",
          .needs = NEED_SMT | NEED_SSE2, .run = thread_independent),
};
VECTOR_GROUP(thread_events);
