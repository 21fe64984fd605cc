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
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
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

/* Every counter of `usable` but n counts clocks while CCCR n is written. */
static void others_undisturbed(unsigned n, uint32_t usable)
{
    struct measurement m = {.counters = 0};
    struct pmc_programming disturbed = {.counter = 0};

    for (unsigned i = 0; i < PMC_COUNTERS; i++) {
        /* The IQ block gets an event that does not occur. */
        const bool iq = PMC_COUNTER[i].block == BLOCK_IQ;
        struct pmc_programming p = stimulus_program(iq ? STIMULUS_X87_ASSISTS : stimulus_a(i), i);

        p.cccr |= at_or_below(15);
        if (i == n)
            disturbed = p;
        else if (usable >> i & 1)
            measure_add(&m, &p, 0);
    }
    pmc_stop_all();
    pmc_arm(&disturbed, 0);
    bool were_on = irq_off();
    measure_start(&m);
    disturb(&disturbed);
    measure_stop(&m);
    irq_restore(were_on);
    expect_true(RULES(R27, R16), counts_of(&m.of[0]) > WRITES, "counter %u counts clocks", m.of[0].p.counter);
    for (unsigned i = 1; i < m.counters; i++)
        expect_near(
            RULES(R32, R57, R27), counts_of(&m.of[i - 1]), CCCR_SKEW, counts_of(&m.of[i]),
            "clocks on counter %u, against %u, while CCCR %u was written %u times and its counter read",
            m.of[i].p.counter, m.of[i - 1].p.counter, n, WRITES);
}

/* ---- One counter and its twin ---- */

/* Both have overflowed. Counter n is stopped, started and acknowledged while the ESCR has no event. */
static void itself_undisturbed(unsigned n)
{
    const enum stimulus_id id = stimulus_a(n);
    const unsigned twin = twin_of(n), counter[] = {n, twin};
    struct measurement m = {.counters = 0};

    for (unsigned i = 0; i < 2; i++) {
        const struct pmc_programming p = stimulus_prepared(id, counter[i]);
        measure_add(&m, &p, COUNTER_OVERFLOW_IN(WORK / 2));
    }
    const uint32_t on = pmc_cccr_enabled(&m.of[0].p);
    measure(&m, STIMULUS[id].work, WORK);
    expect_true(RULES(R29, R28), m.of[0].overflowed && m.of[1].overflowed, "OVF of counters %u and %u", n,
                twin);
    msr_write(MSR_CCCR(n), m.of[0].p.cccr | CCCR_OVF); /* stopped */
    msr_write(MSR_CCCR(n), on | CCCR_OVF);             /* started */
    msr_write(MSR_CCCR(n), on);                        /* acknowledged */
    measure_work(&m, STIMULUS[id].work, WORK);
    expect_true(RULES(R32, R28), !m.of[0].overflowed, "OVF of counter %u, acknowledged, no further overflow",
                n);
    expect_true(RULES(R32, R29), m.of[1].overflowed,
                "OVF of counter %u stays when that of %u is acknowledged", twin, n);
    expect_equal(RULES(R32, R27), counts_of(&m.of[1]), counts_of(&m.of[0]),
                 "%s on counter %u, stopped, started and acknowledged between, against counter %u",
                 STIMULUS[id].name, n, twin);
}

static void undisturbed(void)
{
    const uint32_t usable = counter_is_dead(1) ? ALL_COUNTERS & ~2u : ALL_COUNTERS;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        others_undisturbed(n, usable);
        if ((usable >> n & 1) && (usable >> twin_of(n) & 1))
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
