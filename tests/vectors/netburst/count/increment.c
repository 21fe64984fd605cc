/*
 * Increments above 1, and each counter's own filter bits (18.15.5.2, 18.15.5.5; R6, R8, R21 to R23, R27,
 * R28).
 *
 * In each block there are events of which several may come in one clock: uops that retire or are written to
 * the queue, split accesses that complete, fetches. How many, and in which clocks, nobody knows. But a twin
 * on the same ESCR sees the same values, so every counter must count what its twin counts, from any preset,
 * and with the same filter. From presets that follow each other, increments above 1 step over 0 instead of
 * onto it: OVF is set all the same, if and only if the counter has wrapped.
 *
 * The value 1 tells the bits of a threshold apart: it is above 0 and not above 1, 2, 4 or 8, each of which is
 * a single bit. Clocks have this value, and so have events that are kept apart.
 */
#include "pmc/msr.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

/* ---- Several counts in one clock ---- */

#define PRESETS 4 /* each increment of 2 or 3 steps over 0 from some of as many presets */

struct source {
    enum pmc_event_id event;
    uint16_t mask;
    const struct workload *work;
    uint32_t n;
};

#define QUEUE_WRITES  7u /* all members of uop_queue_writes */
#define SPLIT_LOADS   MEMORY_COMPLETE_LSC
#define FETCH_TC_MISS 1u

static const struct source SEVERAL[] = {
    [BLOCK_BPU] = {EVENT_BPU_FETCH_REQUEST, FETCH_TC_MISS, &work_self_modify, 10},
    [BLOCK_MS] = {EVENT_UOP_QUEUE_WRITES, QUEUE_WRITES, &work_call, 50},
    [BLOCK_FLAME] = {EVENT_MEMORY_COMPLETE, SPLIT_LOADS, &work_split_load, 50},
    [BLOCK_IQ] = {EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, &work_call, 50},
};

/* Counter n and its twin, both with this filter. */
static struct window twins_on(const struct source *s, unsigned n, uint32_t filter)
{
    const unsigned counter[] = {n, window_twin(n)};
    struct window g = {.counters = 0};

    for (unsigned i = 0; i < COUNT_OF(counter); i++) {
        struct pmc_programming p;
        pmc_program(&p, s->event, s->mask, escr_self_all(), counter[i]);
        p.cccr |= filter;
        window_add(&g, &p, 0);
    }
    return g;
}

static void expect_twins(const char *rules, const struct window *g, uint64_t edge, const char *words)
{
    const uint64_t twin = window_counted(&g->counter[1]);
    const struct window_counter *c = &g->counter[0];

    expect_between(rules, twin > edge ? twin - edge : 0, twin + edge, window_counted(c),
                   "counts of counter %u%s from %10llH, against counter %u", c->p.counter, words, c->preset,
                   g->counter[1].p.counter);
    expect_equal(c->overflowed ? "R28" : "R28 R29", c->value < c->preset, c->overflowed,
                 "OVF of counter %u from %10llH, which holds %10llH now", c->p.counter, c->preset, c->value);
}

static void several_on(unsigned n)
{
    const struct source *s = &SEVERAL[PMC_COUNTER[n].block];
    struct window g = twins_on(s, n, 0);

    window_measure(&g, s->work, s->n);
    expect_twins("R27 R8 R6", &g, 0, "");
    const uint64_t half = window_counted(&g.counter[0]) / 2;
    for (unsigned k = 0; k < PRESETS; k++) {
        g.counter[0].preset = COUNTER_OVERFLOW_IN(half + k);
        window_measure(&g, s->work, s->n);
        expect_twins("R27 R8 R6", &g, 0, "");
    }
    g = twins_on(s, n, above(0));
    window_measure(&g, s->work, s->n);
    expect_twins("R22 R8", &g, 0, ", COMPARE and threshold 0,");
    g = twins_on(s, n, above(0) | CCCR_EDGE);
    window_measure(&g, s->work, s->n);
    expect_twins("R23 R22", &g, 1, ", COMPARE, EDGE and threshold 0,"); /* R25 */
}

static void several_in_a_clock(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(n) && !counter_is_dead(window_twin(n)))
            several_on(n);
}

/* ---- Threshold bits ---- */

#define EVENTS         100
#define THRESHOLD_BITS 4
#define LAPS           1000 /* of a loop, as many clocks */
#define FEW            16   /* so many of the frame's own jumps may retire in one clock */

/* Events that do not come together: CALLs three instructions apart, chained additions, and a branch between
 * two CPUIDs. */
static const struct source APART[] = {
    [BLOCK_BPU] = {EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, &work_cpuid_leaf_0, EVENTS},
    [BLOCK_MS] = {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, &work_call, EVENTS},
    [BLOCK_FLAME] = {EVENT_PACKED_SP_UOP, FIRM_ALL, &work_packed_sp, EVENTS},
    [BLOCK_IQ] = {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, &work_cpuid_leaf_0, EVENTS},
};

/* Returns what counter n counts of its block's events in APART with this filter. */
static uint64_t apart(unsigned n, uint32_t filter)
{
    const struct source *s = &APART[PMC_COUNTER[n].block];
    struct window g = {.counters = 0};
    struct pmc_programming p;

    pmc_program(&p, s->event, s->mask, escr_self_all(), n);
    p.cccr |= filter;
    window_add(&g, &p, 0);
    window_measure(&g, s->work, s->n);
    return g.counter[0].value;
}

/* Clocks have the value 1 all the time, so that they also pass "at or below" each of the bits. */
static uint64_t clocks_at_or_below(unsigned n, unsigned threshold)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, n);

    p.cccr |= at_or_below(threshold);
    pmc_stop_all();
    pmc_arm(&p, 0);
    pmc_start(&p);
    work_exercise(&work_loop, LAPS);
    msr_write(MSR_CCCR(n), 0);
    return pmc_read(n);
}

static void threshold_bits_of(unsigned n)
{
    /* A call or a uop may be more than one count (10.11). */
    const bool perhaps_more = PMC_COUNTER[n].block == BLOCK_MS || PMC_COUNTER[n].block == BLOCK_FLAME;

    if (perhaps_more && apart(n, 0) > EVENTS + EVENTS / 2)
        return;
    expect_true("R22", apart(n, above(0)) >= EVENTS - FEW, "counter %u counts events of the value 1 above 0",
                n);
    expect_between("R22 R23", 0, FEW, apart(n, above(1u << n % THRESHOLD_BITS) | CCCR_EDGE),
                   "rising edges of the value 1 above %u on counter %u", 1u << n % THRESHOLD_BITS, n);
    for (unsigned b = 0; b < THRESHOLD_BITS; b++) {
        const unsigned threshold = 1u << b;

        expect_between("R22", 0, FEW, apart(n, above(threshold)),
                       "events of the value 1 above %u on counter %u", threshold, n);
        if (PMC_COUNTER[n].block == BLOCK_BPU)
            expect_true("R22", clocks_at_or_below(n, threshold) > LAPS / 2,
                        "counter %u counts clocks of the value 1 at or below %u", n, threshold);
    }
}

static void threshold_bits(void)
{
    work_prepare_sse();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(n))
            threshold_bits_of(n);
}

static const struct vector increment_rows[] = {
    CHECK("count.several",
          "several counts a clock, from any preset: every counter as its twin, OVF at the wrap",
          .rules = "R4 R6 R8 R22 R23 R27 R28 R29", .deadline_ms = 5000, .run = several_in_a_clock),
    CHECK("filter.threshold.bits", "the value 1 against each single bit of each counter's threshold",
          .rules = "R4 R22 R23", .needs = NEED_SSE2, .deadline_ms = 5000, .run = threshold_bits),
};
VECTOR_GROUP(increment);
