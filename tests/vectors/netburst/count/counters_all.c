/*
 * All 18 counters at once, and a counter that leaves the others alone (18.15.2, 18.15.3, 18.15.5.5; R6, R27
 * to R29, R32, R38, R57).
 *
 * Counters are independent of each other: what one counts does not depend on how many others run, nor on what
 * they count. So every counter counts the same alone and among 17 others, over the same code; the counters of
 * a block count different events where its ESCRs allow that.
 *
 * A CCCR belongs to one counter. While all others count clocks, one CCCR is written thousands of times, with
 * and without ENABLE, and its counter read: the others must not miss a clock for each write. And a counter
 * that is stopped, started and acknowledged between two pieces of work counts on as if nothing had been done,
 * as its twin does.
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/cost.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "tests/suite/stimulus.h"

/* ---- All at once ---- */

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

static void count_with(struct window *g, const struct frame *phases, uint32_t running,
                       uint64_t counted[PMC_COUNTERS])
{
    window_arm(g, running);
    window_run(g, phases);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        counted[n] = window_counted(&g->counter[n]);
    expect_register(R28, 0, window_overflows(), "OVFs, one bit a counter; none is near its overflow");
}

/* One of the counters, with all that run. */
struct one_of {
    struct window *window;
    const struct frame *phases;
    uint32_t running;
    unsigned counter;
};

static void count_one(const void *arg, struct observation *out)
{
    const struct one_of *one = arg;
    uint64_t counted[PMC_COUNTERS];

    count_with(one->window, one->phases, one->running, counted);
    out->v[0] = counted[one->counter];
}

/* instr_retired may count otherwise as the machine was when the counter was enabled (note 1 of Table 19-29):
 * what differs once is observed. */
static uint64_t observed(struct window *g, const struct frame *phases, uint32_t running, unsigned counter)
{
    const struct one_of one = {g, phases, running, counter};

    return observe(count_one, &one).v[0];
}

static bool differ(uint64_t a, uint64_t b, uint64_t spread)
{
    return a > b + spread || b > a + spread;
}

static void all_at_once(void)
{
    struct window g = {.counters = 0};
    struct frame phases;
    uint64_t together[PMC_COUNTERS], alone[PMC_COUNTERS];

    work_prepare_sse();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_programming p = stimulus_program(COUNTED[n], n);
        window_add(&g, &p, 0);
    }
    frame_init(&phases, 0); /* all of its writes are used */
    frame_phase(&phases, 0, &work_call, WORK);
    frame_phase(&phases, 1, &work_packed_sp, WORK);
    frame_phase(&phases, 2, &work_split_load, WORK);
    const bool dead = counter_is_dead(1);
    count_with(&g, &phases, WINDOW_ALL, together);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const enum stimulus_id id = COUNTED[n];
        if (n == 1 && dead)
            continue;
        count_with(&g, &phases, 1u << n, alone);
        const uint64_t spread = stimulus_spread(id, alone[n]);
        const unsigned twin = window_twin(n);
        if (id != STIMULUS_CLOCKS && (differ(alone[n], together[n], spread) ||
                                      (id == COUNTED[twin] && together[n] != together[twin]))) {
            alone[n] = observed(&g, &phases, 1u << n, n);
            together[n] = observed(&g, &phases, WINDOW_ALL, n);
            together[twin] = observed(&g, &phases, WINDOW_ALL, twin);
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

/* ---- Others, while one CCCR is written ---- */

#define LAPS   32 /* each has 64 writes with ENABLE and 64 without */
#define WRITES (LAPS * 128)

static void disturb(const struct pmc_programming *p)
{
    const uint32_t cccr = MSR_CCCR(p->counter);
    const struct cost_operands on = {.eax = pmc_cccr_enabled(p), .ecx = cccr};
    const struct cost_operands off = {.eax = p->cccr, .ecx = cccr}, read = {.ecx = p->counter};

    for (unsigned lap = 0; lap < LAPS; lap++) {
        cost_wrmsr(&on);
        if (lap == 0)
            cost_rdpmc(&read);
        cost_wrmsr(&off);
    }
}

static void others_undisturbed(const struct pmc_programming clocks[PMC_COUNTERS], unsigned n, uint32_t usable)
{
    unsigned before = PMC_COUNTERS; /* the counter that was started and stopped before this one */
    uint64_t counted_before = 0;

    pmc_stop_all();
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        require_true(R4, pmc_arm(&clocks[i], 0), "counter %u holds 0", i);
    bool were_on = irq_off();
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        if (i != n)
            pmc_start(&clocks[i]);
    disturb(&clocks[n]);
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        msr_write(MSR_CCCR(i), 0);
    irq_restore(were_on);
    for (unsigned i = 0; i < PMC_COUNTERS; i++) {
        if (i == n || !(usable >> i & 1))
            continue;
        const uint64_t counted = pmc_read(i);
        if (before < PMC_COUNTERS)
            expect_near(
                RULES(R32, R57, R27), counted_before, COUNTER_GROUP_SKEW, counted,
                "clocks on counter %u, against %u, while CCCR %u was written %u times and its counter read",
                i, before, n, WRITES);
        else
            expect_true(RULES(R27, R16), counted > WRITES, "counter %u counts clocks", i);
        before = i;
        counted_before = counted;
    }
}

/* ---- One counter and its twin ---- */

/* Both have overflowed. Counter n is stopped, started and acknowledged while the ESCR has no event. */
static void itself_undisturbed(unsigned n)
{
    const enum stimulus_id id = stimulus_a(n);
    const unsigned twin = window_twin(n), counter[] = {n, twin};
    struct window g = {.counters = 0};

    for (unsigned i = 0; i < 2; i++) {
        const struct pmc_programming p = stimulus_prepared(id, counter[i]);
        window_add(&g, &p, COUNTER_OVERFLOW_IN(WORK / 2));
    }
    const uint32_t on = pmc_cccr_enabled(&g.counter[0].p);
    window_measure(&g, STIMULUS[id].work, WORK);
    expect_true(RULES(R29, R28), g.counter[0].overflowed && g.counter[1].overflowed,
                "OVF of counters %u and %u", n, twin);
    msr_write(MSR_CCCR(n), g.counter[0].p.cccr | CCCR_OVF); /* stopped */
    msr_write(MSR_CCCR(n), on | CCCR_OVF);                  /* started */
    msr_write(MSR_CCCR(n), on);                             /* acknowledged */
    window_work(&g, STIMULUS[id].work, WORK);
    expect_true(RULES(R32, R28), !g.counter[0].overflowed,
                "OVF of counter %u, acknowledged, no further overflow", n);
    expect_true(RULES(R32, R29), g.counter[1].overflowed,
                "OVF of counter %u stays when that of %u is acknowledged", twin, n);
    expect_equal(RULES(R32, R27), window_counted(&g.counter[1]), window_counted(&g.counter[0]),
                 "%s on counter %u, stopped, started and acknowledged between, against counter %u",
                 STIMULUS[id].name, n, twin);
}

static void undisturbed(void)
{
    const uint32_t usable = counter_is_dead(1) ? WINDOW_ALL & ~2u : WINDOW_ALL;
    struct pmc_programming clocks[PMC_COUNTERS];

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const bool iq = PMC_COUNTER[n].block == BLOCK_IQ; /* the IQ block gets an event that does not occur */
        clocks[n] = stimulus_program(iq ? STIMULUS_X87_ASSISTS : stimulus_a(n), n);
        clocks[n].cccr |= at_or_below(15);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        others_undisturbed(clocks, n, usable);
        if ((usable >> n & 1) && (usable >> window_twin(n) & 1))
            itself_undisturbed(n);
    }
}

static const struct vector counters_all_rows[] = {
    CHECK("count.all", "every counter counts the same alone and while all 18 run", .needs = NEED_SSE2,
          .deadline_ms = 5000, .run = all_at_once),
    CHECK("count.undisturbed", "a counter stopped, started, acknowledged or read: the others and it count on",
          .also = "R38", .needs = NEED_SSE2, .deadline_ms = 5000, .run = undisturbed),
};
VECTOR_GROUP(counters_all);
