/*
 * FORCE_OVF and the filters (18.15.3, 18.15.5.2; R18, R21 to R23, R31).
 *
 * FORCE_OVF makes every increment an overflow. Increments are what the filters leave: a count that threshold,
 * complement, edge, ACTIVE_THREAD or the OS and USR flags suppress forces nothing. So with every filter, on
 * every counter, OVF is set if and only if the counter has moved; a twin on the same ESCR, with the same
 * filter and without FORCE_OVF, counts as much and sets no OVF; no other counter's OVF is set; and when OVF
 * was written 0, it stays 0 without events and the next count sets it again.
 */
#include "pmc/msr.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

#define WORK 40

enum effect { PASSES, STOPS, EITHER };

/* What a counter counts when its events come one a clock, or seldom more. */
struct filtered {
    const char *words;
    uint32_t cccr;
    enum effect effect;
    bool usr; /* count CPL 1 to 3 alone, while all runs at CPL 0 */
    uint8_t active;
    const char *rules; /* the rules by which it counts so */
};

/* clang-format off */
static const struct filtered WINDOWED[] = {
    {"no filter",                              0,                                                PASSES, false, ACTIVE_ANY, "R27"},
    {"COMPARE, threshold 0",                   CCCR_COMPARE,                                     PASSES, false, ACTIVE_ANY, "R22"},
    {"COMPARE, EDGE, threshold 0",             CCCR_COMPARE | CCCR_EDGE,                         EITHER, false, ACTIVE_ANY, "R23"},
    {"COMPARE, threshold 15",                  CCCR_COMPARE | CCCR_THRESHOLD(15),                STOPS,  false, ACTIVE_ANY, "R22"},
    {"EDGE, COMPLEMENT, threshold 15 alone",   CCCR_EDGE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), PASSES, false, ACTIVE_ANY, "R21"},
    {"the USR flags alone",                    0,                                                EITHER, true,  ACTIVE_ANY, "R12 R11"},
};
/* With COMPLEMENT clocks without an event count: these begin and end with ENABLE. */
static const struct filtered CLOCKED[] = {
    {"COMPARE, COMPLEMENT, threshold 15",       CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15),             PASSES, false, ACTIVE_ANY, "R22 R16"},
    {"COMPARE, COMPLEMENT, threshold 0",        CCCR_COMPARE | CCCR_COMPLEMENT,                                  EITHER, false, ACTIVE_ANY, "R22"},
    {"COMPARE, COMPLEMENT, EDGE, threshold 15", CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_EDGE | CCCR_THRESHOLD(15), EITHER, false, ACTIVE_ANY, "R23"},
    {"ACTIVE_THREAD = both",                    CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15),             EITHER, false, ACTIVE_BOTH, "R18"},
    {"ACTIVE_THREAD = single",                  CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15),             PASSES, false, ACTIVE_SINGLE, "R18"},
};
/* clang-format on */

/* FORCE_OVF acts at any value: the counters begin a little above 0, or below it in the middle of their range.
 */
static uint64_t some_preset(unsigned n)
{
    return n % 2 ? 5 : COUNTER_OVERFLOW_IN(1ull << 38);
}

static struct pmc_programming filtered(struct pmc_programming p, const struct filtered *f)
{
    if (f->usr)
        pmc_set_privilege(&p, escr_self(false, true));
    pmc_set_active_thread(&p, f->active);
    p.cccr |= f->cccr;
    return p;
}

static void expect_effect(const struct filtered *f, unsigned n, uint64_t counted, bool overflowed,
                          const char *when)
{
    if (f->effect == PASSES)
        expect_true(f->rules, counted > 0, "counter %u counts with %s, %s", n, f->words, when);
    if (f->effect == STOPS)
        expect_equal(f->rules, 0, counted, "counts of counter %u with %s, %s", n, f->words, when);
    expect_equal("R31", counted != 0, overflowed, "OVF of counter %u with FORCE_OVF and %s, %s; %llu counts",
                 n, f->words, when, counted);
}

/* Counter `plain` is forced to overflow and measured against `twin`, which is not; twin may be null. */
static void force_gated(const struct pmc_programming *plain, const struct pmc_programming *twin,
                        const struct filtered *f)
{
    const unsigned n = plain->counter;
    struct pmc_programming p = filtered(*plain, f);
    const struct workload *work = STIMULUS[stimulus_a(n)].work;
    struct window g = {.counters = 0};

    p.cccr |= CCCR_FORCE_OVF;
    const struct window_counter *forced = window_add(&g, &p, some_preset(n));
    if (twin) {
        p = filtered(*twin, f);
        window_add(&g, &p, 0);
    }
    window_measure(&g, work, WORK);
    const uint64_t counted = window_counted(forced), edge = f->cccr & CCCR_EDGE ? 1 : 0;
    expect_effect(f, n, counted, forced->overflowed, "at first");
    expect_equal("R31", (uint32_t)forced->overflowed << n, window_overflows(),
                 "OVFs, one bit a counter, counter %u with FORCE_OVF and %s", n, f->words);
    if (twin) { /* the two edge filters may start differently (R25) */
        const uint64_t plainly = window_counted(&g.counter[1]);
        expect_between("R27 R31", plainly > edge ? plainly - edge : 0, plainly + edge, counted,
                       "counts of counter %u with FORCE_OVF and %s, against counter %u without FORCE_OVF", n,
                       f->words, twin->counter);
    }
    if (f->effect != PASSES)
        return;

    msr_write(MSR_CCCR(n), pmc_cccr_enabled(&forced->p)); /* acknowledged; the ESCR has no event now */
    expect_true("R32 R31", !pmc_overflowed(n), "OVF of counter %u, written 0 with FORCE_OVF set, stays 0", n);
    const uint64_t before = forced->value;
    window_work(&g, work, WORK);
    expect_effect(f, n, (forced->value - before) & COUNTER_MASK, forced->overflowed, "acknowledged");
}

static void force_clocked(const struct pmc_programming *plain, const struct filtered *f)
{
    const unsigned n = plain->counter;
    struct pmc_programming p = filtered(*plain, f);
    const uint64_t preset = some_preset(n);

    p.cccr |= CCCR_FORCE_OVF;
    pmc_stop_all();
    require_true("R4", pmc_arm(&p, preset), "counter %u holds its preset", n);
    pmc_start(&p);
    work_exercise(STIMULUS[stimulus_a(n)].work, WORK);
    pmc_stop(n);
    const uint32_t overflows = window_overflows();
    pmc_stop_all(); /* an access to a counter that selects an event may add to it (E1) */
    expect_effect(f, n, (pmc_read(n) - preset) & COUNTER_MASK, overflows >> n & 1, "from its ENABLE on");
    expect_equal("R31", 0, overflows & ~(1u << n),
                 "OVFs of others, one bit a counter, counter %u with FORCE_OVF", n);
}

static void every_filter(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (counter_is_dead(n))
            continue;
        const struct pmc_programming plain = stimulus_prepared(stimulus_a(n), n);
        const struct pmc_programming twin = stimulus_program(stimulus_a(n), window_twin(n));
        const bool has_twin = !counter_is_dead(window_twin(n));
        for (unsigned i = 0; i < COUNT_OF(WINDOWED); i++)
            force_gated(&plain, has_twin ? &twin : NULL, &WINDOWED[i]);
        for (unsigned i = 0; i < COUNT_OF(CLOCKED); i++)
            if (CLOCKED[i].active == ACTIVE_ANY || machine_cpu.ht)
                force_clocked(&plain, &CLOCKED[i]);
    }
}

static const struct vector force_rows[] = {
    CHECK("overflow.force.filters",
          "FORCE_OVF on every counter with every filter: OVF if it moved, only then",
          .rules = "R4 R16 R18 R21 R22 R23 R27 R31 R32", .needs = NEED_SSE2, .deadline_ms = 5000,
          .run = every_filter),
};
VECTOR_GROUP(force);
