/*
 * Overflow (18.15.5.5; R27 to R29).
 *
 * A counter that is one event short of its overflow holds -1 and no OVF; with the next event it holds 0 and
 * OVF, and it goes on counting. How many events the workload makes is measured first, and the preset is set
 * by that: an event may count more than once for an occurrence. The BPU block counts clocks, so there only
 * the relation holds: OVF is set exactly when the count has wrapped. A small preset of clocks passes during
 * the WRMSR that enables the counter (F3), so that OVF is not set yet is only ever said of a preset that is
 * never reached.
 *
 * Counters that overflow in the same clock set as many OVFs, and no other one. With ACTIVE_THREAD = both, all
 * 18 counters begin to count clocks when the other logical processor wakes. An OVF that is missing was lost
 * to another overflow; one too many was set on the wrong counter.
 */
#include "kernel/board/board.h"
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/measure.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

#define OVERFLOW_AT       100
#define CLOCK_LAPS        4000 /* of work_loop: at least as many clocks */
#define FAR_FROM_OVERFLOW COUNTER_OVERFLOW_IN(1ull << 39)

struct overflow_case {
    struct pmc_programming p;
    struct frame frame;
    uint64_t preset;
};

static void overflow_trial(const void *arg, struct observation *out)
{
    const struct overflow_case *c = arg;

    pmc_arm(&c->p, c->preset);
    frame_measure(&c->frame);
    out->v[0] = pmc_read(c->p.counter);
    out->v[1] = pmc_overflowed(c->p.counter);
}

static void nth_of_counted(struct overflow_case *c, const struct stimulus *s)
{
    uint64_t events = count_of(&c->p, s->work, OVERFLOW_AT);

    c->frame = frame_of(&c->p, s->work, OVERFLOW_AT);
    for (int beyond = -1; beyond <= 1; beyond++) {
        c->preset = COUNTER_OVERFLOW_IN((int64_t)events - beyond);
        struct observation o = observe(overflow_trial, c);
        const bool wrapped = s->slack ? o.v[0] < FAR_FROM_OVERFLOW : beyond >= 0;
        expect_counter(RULES(R27, R28), (uint64_t)beyond, s->slack, o.v[0],
                       "counter %C, %d events beyond its overflow", c->p.counter, beyond);
        expect_equal(wrapped ? RULES(R29, R28) : R28, wrapped, o.v[1], "OVF of counter %C, %d events beyond",
                     c->p.counter, beyond);
    }
}

static void nth_of_clocks(struct overflow_case *c)
{
    static const uint64_t presets[] = {COUNTER_OVERFLOW_IN(1), COUNTER_OVERFLOW_IN(OVERFLOW_AT),
                                       FAR_FROM_OVERFLOW, 0};

    c->frame = frame_of(&c->p, &work_loop, CLOCK_LAPS);
    for (unsigned i = 0; i < COUNT_OF(presets); i++) {
        c->preset = presets[i];
        pmc_clear(&machine_cpu);
        /* Clocks differ from run to run, so one run is judged by the relation alone. */
        struct observation o = {{0}};
        overflow_trial(c, &o);
        bool wrapped = o.v[0] < c->preset;
        if (!expect_true(RULES(R27, R16), o.v[0] != c->preset, "counter %C counted clocks", c->p.counter))
            continue;
        expect_equal(RULES(R28, R27), c->preset != 0 && c->preset != FAR_FROM_OVERFLOW, wrapped,
                     "counter %C wrapped from %10llH", c->p.counter, c->preset);
        expect_equal(wrapped ? RULES(R29, R28) : R28, wrapped, o.v[1],
                     "OVF of counter %C is set exactly when it wrapped", c->p.counter);
    }
}

static void overflow_nth(const void *item)
{
    unsigned n = counter_number(item);
    enum stimulus_id id = stimulus_a(n);
    struct overflow_case c;

    end_if_dead(n);
    c.p = stimulus_prepared(id, n);
    if (id == STIMULUS_CLOCKS)
        nth_of_clocks(&c);
    else
        nth_of_counted(&c, &STIMULUS[id]);
}

/* ---- All counters in one clock ---- */

#define CLOCKS    1000
#define LAPS      60 /* of the sibling: 67 instructions each, three a clock at most, so more clocks than that */
#define SETTLE_US 50 /* within this time a logical processor that executes HLT has halted */
#define SKEW      64 /* clocks by which the ACTIVE_THREAD gates of two counters may open and close apart */

struct together {
    struct measurement *m;
    uint32_t set; /* the OVFs */
};

/* Count the clocks in which both logical processors are active, on each counter, by COMPLEMENT and threshold
 * 15 (R16). */
static void count_clocks(void *arg)
{
    struct together *t = arg;

    pmc_stop_all();
    delay_us(SETTLE_US);
    measure_start(t->m);
    companion_spin();
    companion_wait_laps(LAPS);
    companion_end();
    delay_us(SETTLE_US);
    t->set = overflows();
    measure_stop(t->m);
}

/* The counters of `members` overflow. What wakes a processor while they are started opens the gate for some
 * of them alone, and takes time (witness.h). */
static void overflow_clocks(struct measurement *m, uint32_t members)
{
    struct together t = {.m = m};

    for (unsigned i = 0; i < m->counters; i++)
        m->of[i].preset = members >> m->of[i].p.counter & 1 ? COUNTER_OVERFLOW_IN(CLOCKS) : 0;
    undisturbed(count_clocks, &t);
    expect_register(RULES(R29, R28), members, t.set,
                    "OVFs, one bit a counter, when these overflow in one clock");
    for (unsigned i = 0; i < m->counters; i++)
        expect_near(RULES(R27, R18, R16), counts_of(&m->of[0]), SKEW, counts_of(&m->of[i]),
                    "clocks on counter %C while both logical processors are active, against counter %C",
                    m->of[i].p.counter, 0);
}

/* All counters, then those whose number has a certain bit, and those whose number does not have it: any two
 * overflow together, and any one does without any other. */
static void in_all_blocks(void)
{
    const uint32_t present = counter_is_dead(1) ? ALL_COUNTERS & ~2u : ALL_COUNTERS;
    struct measurement m = {.counters = 0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming p = stimulus_program(stimulus_a(n), n);

        pmc_set_active_thread(&p, ACTIVE_BOTH);
        p.cccr |= at_or_below(15);
        if (present >> n & 1)
            measure_add(&m, &p, 0);
    }
    overflow_clocks(&m, present);
    for (unsigned b = 0; b < 5; b++) {
        uint32_t with = 0;
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            with |= (n >> b & 1) << n;
        overflow_clocks(&m, with & present);
        overflow_clocks(&m, ~with & present);
    }
}

static const struct vector overflow_rows[] = {
    CHECK("overflow.nth", "OVF with exactly the event that overflows, and counting goes on",
          .deadline_ms = 2000, .stages = STAGE_OVERFLOW, .run_item = overflow_nth, .items = &every_counter),
    CHECK("overflow.together.clock", "all counters overflow in one clock: each sets its OVF, and no other",
          .needs = NEED_SIBLING, .deadline_ms = 5000, .stages = STAGE_OVERFLOW | STAGE_COUNTERS,
          .run = in_all_blocks),
};
VECTOR_GROUP(overflow);
