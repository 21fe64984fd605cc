/*
 * All 18 counters at once (18.15.2, 18.15.3, 18.15.5.5; R6, R27, R28).
 *
 * Counters are independent of each other: what one counts does not depend on how many others run, nor on what
 * they count. So every counter counts the same alone and among 17 others, over the same code; the counters of
 * a block count different events where its ESCRs allow that.
 */
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define WORK 60

/* What each counter counts of the workloads. Counters of one ESCR have the same event. */
static const uint8_t COUNTED[PMC_COUNTERS] = {
    [0] = STIMULUS_CLOCKS,      [1] = STIMULUS_CLOCKS,        [2] = STIMULUS_CLOCKS,
    [3] = STIMULUS_CLOCKS,      [4] = STIMULUS_CALLS,         [5] = STIMULUS_MICROCODE,
    [6] = STIMULUS_CALLS,       [7] = STIMULUS_MICROCODE,     [8] = STIMULUS_PACKED_SP,
    [9] = STIMULUS_SPLIT_LOADS, [10] = STIMULUS_SPLIT_LOADS,  [11] = STIMULUS_PACKED_SP,
    [12] = STIMULUS_TAKEN,      [13] = STIMULUS_INSTRUCTIONS, [14] = STIMULUS_INSTRUCTIONS,
    [15] = STIMULUS_NOT_TAKEN,  [16] = STIMULUS_TAKEN,        [17] = STIMULUS_INSTRUCTIONS,
};

/* A measurement of all counters, of which some run. */
struct some {
    struct measurement *m;
    const struct frame *phases;
    uint32_t running;
    unsigned counter; /* the one that count_one() is about */
};

static void count_some(const struct some *some, uint64_t count[PMC_COUNTERS])
{
    measure_arm(some->m, some->running);
    measure_run(some->m, some->phases);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        count[n] = counts_of(&some->m->of[n]);
    expect_register(R28, 0, overflows(), "OVFs, one bit a counter; none is near its overflow");
}

static void count_one(const void *arg, struct observation *out)
{
    const struct some *some = arg;
    uint64_t count[PMC_COUNTERS];

    count_some(some, count);
    out->v[0] = count[some->counter];
}

static bool differ(uint64_t a, uint64_t b, uint64_t spread)
{
    return a > b + spread || b > a + spread;
}

static void all_at_once(void)
{
    struct measurement m = {.counters = 0};
    struct frame phases;
    struct some all = {&m, &phases, ALL_COUNTERS, 0};
    uint64_t together[PMC_COUNTERS], alone[PMC_COUNTERS];

    work_prepare_sse();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_programming p = stimulus_program(COUNTED[n], n);
        measure_add(&m, &p, 0);
    }
    frame_init(&phases, 0); /* all of its writes are used */
    frame_phase(&phases, 0, &work_call, WORK);
    frame_phase(&phases, 1, &work_packed_sp, WORK);
    frame_phase(&phases, 2, &work_split_load, WORK);
    const bool dead = counter_is_dead(1);
    count_some(&all, together);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const enum stimulus_id id = COUNTED[n];
        const struct some one = {&m, &phases, 1u << n, n};
        if (n == 1 && dead)
            continue;
        count_some(&one, alone);
        const uint64_t spread = stimulus_spread(id, alone[n]);
        const unsigned twin = twin_of(n);
        /* instr_retired may count otherwise as the machine was when the counter was enabled (note 1 of Table
         * 19-29): what differs once is observed. */
        if (id != STIMULUS_CLOCKS && (differ(alone[n], together[n], spread) ||
                                      (id == COUNTED[twin] && together[n] != together[twin]))) {
            alone[n] = observe(count_one, &one).v[0];
            all.counter = n;
            together[n] = observe(count_one, &all).v[0];
            all.counter = twin;
            together[twin] = observe(count_one, &all).v[0];
        }
        expect_true(RULES(R17, R7, R27), alone[n] > 0, "counter %u counts %s alone", n, STIMULUS[id].name);
        if (id != STIMULUS_CLOCKS) /* no two runs take equally many clocks */
            expect_between(together[n] > alone[n] ? RULES(R6, R27) : RULES(R27, R6),
                           alone[n] > spread ? alone[n] - spread : 0, alone[n] + spread, together[n],
                           "%s on counter %u, all 18 running, against counter %u alone", STIMULUS[id].name, n,
                           n);
        if (n < twin && !(n == 0 && dead) && id == COUNTED[twin])
            expect_equal(RULES(R6, R27), together[n], together[twin],
                         "%s on counter %u, against %u, all 18 running", STIMULUS[id].name, twin, n);
        for (unsigned other = 0; other < PMC_COUNTERS; other++)
            if (other != n)
                expect_equal(R2, 0, alone[other], "counter %u, its ENABLE 0, counter %u running", other, n);
    }
}

static const struct vector counters_all_rows[] = {
    CHECK("count.all", "every counter counts the same alone and while all 18 run", .needs = NEED_SSE2,
          .deadline_ms = 5000, .run = all_at_once),
};
VECTOR_GROUP(counters_all);
