/*
 * Increments above 1 (18.15.3, 18.15.5.2, 18.15.5.5, 18.15.5.8; R6, R8,
 * R21 to R23, R27, R28, R31, R46).
 *
 * In each block there are events of which several may come in one clock: uops that retire or are written to
 * the queue, split accesses that complete, fetches. How many, and in which clocks, nobody knows. But a twin
 * on the same ESCR sees the same values, so every counter must count what its twin counts, from any preset,
 * and with the same filter, also with FORCE_OVF, which overflows if and only if something is counted. From
 * presets that follow each other, increments above 1 step over 0 instead of onto it: OVF is set all the same,
 * if and only if the counter has wrapped. The PMI of the twin, from the same preset, comes once if it has
 * counted on in a later clock: how often the work is counted may differ from run to run, so the value says
 * whether. The result falls to the threshold or below, by COMPLEMENT, as often as it rises above it on the
 * twin, and the clocks of both together are all clocks.
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"

#define MANY       200 /* times: clocks with events are far more than CCCR_SKEW */
#define REWRITES   16  /* times, of code that modifies itself: each costs an emulator a translation */
#define LONGER     4   /* times the usual work */
#define FEW        16  /* counts between the writes of two ESCRs, more in one run than in another */
#define PRESETS    8   /* the values differ from window to window: one of so many is stepped over from */
#define THRESHOLDS 3   /* seldom more than three come in one clock */
#define ENDS       2   /* edges of a filter that starts (R25), and of a level that has not fallen yet */

struct source {
    uint8_t event;
    uint16_t mask;
    const struct workload *work;
    uint32_t n;
};

#define QUEUE_WRITES  7u /* all members of uop_queue_writes */
#define SPLIT_LOADS   MEMORY_COMPLETE_LSC
#define FETCH_TC_MISS 1u

static const struct source SEVERAL[] = {
    [BLOCK_BPU] = {EVENT_BPU_FETCH_REQUEST, FETCH_TC_MISS, &work_self_modify, 40},
    [BLOCK_MS] = {EVENT_UOP_QUEUE_WRITES, QUEUE_WRITES, &work_call, 50},
    [BLOCK_FLAME] = {EVENT_MEMORY_COMPLETE, SPLIT_LOADS, &work_split_load, 50},
    [BLOCK_IQ] = {EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, &work_call, 50},
};

/* Counter n and its twin, with these bits in their CCCRs. */
static struct measurement twins_on(const struct source *s, unsigned n, uint32_t cccr, uint32_t of_twin)
{
    const unsigned counter[] = {n, twin_of(n)};
    struct measurement g = {.counters = 0};

    for (unsigned i = 0; i < COUNT_OF(counter); i++) {
        struct pmc_programming p;
        pmc_program(&p, s->event, s->mask, escr_self_all(), counter[i]);
        p.cccr |= i == 0 ? cccr : of_twin;
        measure_add(&g, &p, 0);
    }
    return g;
}

/* Expect what the twin counts of counter n, and OVF when it has wrapped, or with FORCE_OVF when it moved. */
static void expect_twins(uint32_t rules, const struct measurement *g, uint64_t spread)
{
    const uint64_t twin = counts_of(&g->of[1]);
    const struct measured *c = &g->of[0];
    const bool forced = c->p.cccr & CCCR_FORCE_OVF;
    const bool due = forced ? c->value != c->preset : c->value < c->preset;

    expect_between(rules, twin > spread ? twin - spread : 0, twin + spread, counts_of(c),
                   "counts of counter %C with %8H in its CCCR, from %10llH, against counter %C with %8H",
                   c->p.counter, c->p.cccr, c->preset, g->of[1].p.counter, g->of[1].p.cccr);
    expect_equal(forced ? R31 : RULES(R28, R29), due, c->overflowed,
                 "OVF of counter %C with %8H in its CCCR, from %10llH, which holds %10llH now", c->p.counter,
                 c->p.cccr, c->preset, c->value);
}

/* Both overflow half way, and the twin shall interrupt. */
static void step_over(const struct source *s, struct measurement *g, uint64_t half)
{
    const bool interrupts = machine_meets() & NEED_LAPIC;

    if (interrupts)
        g->of[1].p.cccr |= ovf_pmi_to(smp_self());
    for (unsigned k = 0; k < PRESETS; k++) {
        g->of[0].preset = g->of[1].preset = COUNTER_OVERFLOW_IN(half + k);
        measure_arm(g, ALL_COUNTERS);
        if (interrupts) /* now that no OVF stands any more, which would raise a PMI at once (R49) */
            pmi_arm();
        measure_work(g, s->work, s->n);
        if (interrupts) {
            pmi_wait_for_delivery();
            const struct measured *c = &g->of[1];
            const unsigned lp = smp_self(), taken = pmi_taken(lp);
            const bool wrapped = c->value < c->preset;
            expect_between(RULES(R46, R45), pmi_due(lp, wrapped && c->value > ONE_CLOCK, taken),
                           wrapped && c->value > 0, taken,
                           "PMIs of counter %C from %10llH, which holds %10llH now", c->p.counter, c->preset,
                           c->value);
            pmi_disarm();
        }
        expect_twins(RULES(R8, R27, R6), g, 0);
    }
}

/* Both ESCRs of a unit present the same values: what more of the work adds to one, it adds to the other. */
static void expect_other_escr(const struct source *s, unsigned n)
{
    uint64_t more[2] = {0, 0};

    for (uint32_t times = 1; times <= LONGER; times += LONGER - 1) {
        struct measurement g = {.counters = 0};

        measure_add_event(&g, s->event, s->mask, n, 0);
        measure_add_event(&g, s->event, s->mask, n + 2, 0);
        measure(&g, s->work, times * s->n);
        for (unsigned i = 0; i < 2; i++)
            more[i] = counts_of(&g.of[i]) - more[i];
    }
    expect_near(RULES(R8, R7), more[0], FEW, more[1], "counts of counter %C, against counter %C", n + 2, n);
}

/* With COMPLEMENT a clock counts 1, whatever the value. The twin counts the other clocks: what more work adds
 * to both is what it adds to a counter of all clocks. */
static void expect_clocks(const struct source *s, unsigned n, unsigned threshold)
{
    struct measurement g = twins_on(s, n, at_or_below(threshold), above(threshold));
    const unsigned clock = idle_counter(n, n);
    struct pmc_programming p = stimulus_program(stimulus_a(clock), clock);
    const uint32_t times = s->work == &work_self_modify ? REWRITES : MANY, most = s->work->max_n,
                   more = times * s->n < most ? times * s->n : most;
    int64_t left[2];

    p.cccr |= at_or_below(15);
    measure_add(&g, &p, 0);
    for (unsigned i = 0; i < 2; i++) {
        measure(&g, s->work, i ? more : s->n);
        left[i] = (int64_t)(counts_of(&g.of[2]) - counts_of(&g.of[0]) - counts_of(&g.of[1]));
    }
    expect_true(
        RULES(R22, R26), left[1] - left[0] <= CCCR_SKEW && left[0] - left[1] <= CCCR_SKEW,
        "counter %C with COMPLEMENT and THRESHOLD %u, and counter %C without, leave %lld clocks, and %lld "
        "with more work",
        n, threshold, twin_of(n), left[0], left[1]);
}

/* What makes no difference to a filter differs from one threshold to the next: whom the ESCR counts, and what
 * the counter holds. */
static void filter_twins(const struct source *s, unsigned n, unsigned threshold, uint32_t cccr,
                         uint32_t of_twin, uint32_t rules, uint64_t spread)
{
    struct measurement g = twins_on(s, n, cccr, of_twin);

    if ((n + threshold) % 2)
        g.of[0].preset = COUNTER_OVERFLOW_IN(1u << 30);
    if ((n / 2 + threshold) % 2) {
        g.place.level = 3;
        g.escr[0].value = (g.escr[0].value & ~(uint64_t)ESCR_CPL_MASK) | escr_self(false, true);
    }
    measure(&g, s->work, s->n);
    expect_twins(rules, &g, spread);
}

static void several_on(unsigned n)
{
    const struct source *s = &SEVERAL[PMC_COUNTER[n].block];
    const struct stimulus *a =
        &STIMULUS[stimulus_a(n)]; /* one in a clock, on the first 8 as often as wanted */
    struct measurement g = twins_on(s, n, 0, 0);

    if (n == 4 || n == 8 || n == 12) /* how many fetches come of more work, counter 0 cannot say (F17) */
        expect_other_escr(s, n);
    measure(&g, s->work, s->n);
    expect_twins(RULES(R8, R27, R6), &g, 0);
    step_over(s, &g, counts_of(&g.of[0]) / 2);
    expect_clocks(s, n, THRESHOLDS);
    expect_clocks(n < 8 ? &(struct source){a->event, a->mask, a->work, s->n} : s, n, 0);
    g = twins_on(s, n, CCCR_FORCE_OVF, 0);
    measure(&g, s->work, s->n);
    expect_twins(RULES(R27, R31), &g, 0);
    for (unsigned t = 0; t < THRESHOLDS; t++) {
        filter_twins(s, n, t, above(t) | CCCR_FORCE_OVF, above(t), RULES(R22, R8), 0);
        filter_twins(s, n, t, at_or_below(t) | CCCR_EDGE, above(t) | CCCR_EDGE, RULES(R23, R22), ENDS);
    }
}

static void several_in_a_clock(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(n) && !counter_is_dead(twin_of(n)))
            several_on(n);
}

static const struct vector increment_rows[] = {
    CHECK("count.several",
          "several counts a clock, from any preset: every counter as its twin, OVF at the wrap",
          .deadline_ms = 5000, .stages = STAGE_COUNT, .run = several_in_a_clock),
};
VECTOR_GROUP(increment);
