/*
 * Overflow (18.15.5.5; R27 to R29, R38).
 *
 * A counter that is one event short of its overflow holds -1 and no OVF; with the next event it holds 0 and
 * OVF, and it goes on counting. OVF stays until software writes it 0; an OVF that goes away by itself, or
 * comes without a carry out of bit 39, fails. A counter stops when ENABLE is cleared. How many events the
 * workload makes is measured first, and the preset is set by that: an event may count more than once for an
 * occurrence. The BPU block counts clocks, so there only the relation holds: OVF is set exactly when the
 * count has wrapped. A small preset of clocks passes during the WRMSR that enables the counter (F3), so that
 * OVF is not set yet is only ever said of a preset that is never reached.
 */
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

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

static void nth_of_counted(struct overflow_case *c, const struct workload *work)
{
    uint64_t events = count_of(&c->p, work, OVERFLOW_AT);

    c->frame = frame_of(&c->p, work, OVERFLOW_AT);
    for (int beyond = -1; beyond <= 1; beyond++) {
        c->preset = COUNTER_OVERFLOW_IN((int64_t)events - beyond);
        struct observation o = observe(overflow_trial, c);
        expect_register(RULES(R27, R28), (uint64_t)beyond & COUNTER_MASK, o.v[0],
                        "counter %u, %d events beyond its overflow", c->p.counter, beyond);
        expect_equal(beyond >= 0 ? RULES(R29, R28) : R28, beyond >= 0, o.v[1],
                     "OVF of counter %u, %d events beyond", c->p.counter, beyond);
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
        if (!expect_true(RULES(R27, R16), o.v[0] != c->preset, "counter %u counted clocks", c->p.counter))
            continue;
        expect_equal(RULES(R28, R27), c->preset != 0 && c->preset != FAR_FROM_OVERFLOW, wrapped,
                     "counter %u wrapped from %10llH", c->p.counter, c->preset);
        expect_equal(wrapped ? RULES(R29, R28) : R28, wrapped, o.v[1],
                     "OVF of counter %u is set exactly when it wrapped", c->p.counter);
    }
}

static void overflow_nth(const void *item)
{
    unsigned n = counter_number(item);
    enum stimulus_id id = stimulus_a(n);
    struct overflow_case c;

    skip_if_dead(n);
    c.p = stimulus_prepared(id, n);
    if (id == STIMULUS_CLOCKS)
        nth_of_clocks(&c);
    else
        nth_of_counted(&c, STIMULUS[id].work);
}

/* More than OVERFLOW_AT of the events that stimulus_a() has for this counter. */
static void exercise(unsigned counter)
{
    enum stimulus_id id = stimulus_a(counter);

    if (id == STIMULUS_CLOCKS)
        work_exercise(&work_loop, CLOCK_LAPS);
    else
        work_exercise(STIMULUS[id].work, 2 * OVERFLOW_AT);
}

static void expect_sticky(const struct pmc_programming *p)
{
    unsigned n = p->counter;

    uint64_t before = pmc_read(n);
    exercise(n);
    expect_true(RULES(R29, R28), pmc_read(n) >= before + OVERFLOW_AT, "counter %u goes on after the wrap", n);
    expect_true(R29, pmc_overflowed(n), "OVF of counter %u stays", n);

    pmc_stop(n);
    expect_true(RULES(R29, R38), pmc_overflowed(n), "OVF of counter %u stays when ENABLE is cleared", n);
    uint64_t stopped = pmc_read(n);
    exercise(n);
    expect_between(R38, stopped, stopped + ACCESSES_ADD, pmc_read(n),
                   "counter %u with ENABLE = 0 (R38); reading may add some (E1)", n);
    msr_write(MSR_CCCR(n), pmc_cccr_enabled(p) | CCCR_OVF);
    expect_true(RULES(R32, R29), pmc_overflowed(n), "OVF of counter %u carried by the write that sets ENABLE",
                n);

    /* The counter must not select an event while it is written (E1). */
    msr_write(p->escr_msr, 0);
    pmc_stop(n);
    require_true(R4, pmc_preset(n, FAR_FROM_OVERFLOW), "%s holds a preset", PMC_COUNTER[n].counter_name);
    msr_write(p->escr_msr, p->escr);
    expect_true(RULES(R4, R29), pmc_overflowed(n), "OVF of counter %u stays when the counter is written", n);
}

static void overflow_sticky(const void *item)
{
    unsigned n = counter_number(item);

    skip_if_dead(n);
    struct pmc_programming p = stimulus_prepared(stimulus_a(n), n);
    pmc_arm(&p, COUNTER_OVERFLOW_IN(OVERFLOW_AT));
    pmc_start(&p);
    exercise(n);
    require_true(RULES(R29, R28), pmc_overflowed(n), "OVF of counter %u after more than its preset", n);
    expect_sticky(&p);

    pmc_start(&p);
    expect_true(R32, !pmc_overflowed(n), "OVF of counter %u written 0 with ENABLE", n);
    exercise(n);
    expect_true(R28, !pmc_overflowed(n), "OVF of counter %u stays 0 far from an overflow", n);
    pmc_arm(&p, COUNTER_OVERFLOW_IN(OVERFLOW_AT));
    pmc_start(&p);
    exercise(n);
    expect_true(RULES(R29, R28), pmc_overflowed(n), "OVF of counter %u is set again by the next overflow", n);
}

#define PRESETS 8 /* more than the counts that one clock can add */

/* Several uops retire in one clock, so from some of the presets the count steps over 0 instead of onto it. */
static void step_over(void)
{
    struct overflow_case c;

    pmc_program(&c.p, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), 12);
    c.frame = frame_of(&c.p, &work_call, 50);
    for (unsigned preset = 1; preset <= PRESETS; preset++) {
        struct observation o = {{0}};

        c.preset = COUNTER_OVERFLOW_IN(preset);
        pmc_stop_all();
        overflow_trial(&c, &o);
        if (expect_true(RULES(R27, R8), o.v[0] < c.preset,
                        "counter 12, preset -%u, wrapped while uops retired", preset))
            expect_equal(RULES(R28, R8), 1, o.v[1], "OVF of counter 12, preset -%u, several counts a clock",
                         preset);
    }
}

#define FIRST_CARRY  8 /* bit; BEFORE_CARRY is well below 2^8 */
#define BEFORE_CARRY 20

/* From 2^k - 20 the carry goes into bit k, which was 0. It ends there, so nothing has overflowed. */
static void lower_carries(void)
{
    struct overflow_case c = {.p = stimulus_program(STIMULUS_TAKEN, 12)};

    uint64_t events = count_of(&c.p, &work_jmp, 2 * BEFORE_CARRY);
    c.frame = frame_of(&c.p, &work_jmp, 2 * BEFORE_CARRY);
    for (unsigned bit = FIRST_CARRY; bit < COUNTER_BITS; bit++) {
        c.preset = (1ull << bit) - BEFORE_CARRY;
        struct observation o = observe(overflow_trial, &c);
        expect_register(R27, c.preset + events, o.v[0], "counter 12, preset 2^%u - %u, after %llu events",
                        bit, BEFORE_CARRY, events);
        expect_equal(R28, 0, o.v[1], "OVF of counter 12 after a carry into bit %u", bit);
    }
}

static void only_at_the_top(void)
{
    step_over();
    pmc_clear(&machine_cpu);
    lower_carries();
}

static const struct vector overflow_rows[] = {
    CHECK("overflow.nth", "OVF with exactly the event that overflows, and counting goes on",
          .deadline_ms = 2000, .run_item = overflow_nth, .items = &every_counter),
    CHECK("overflow.sticky", "OVF stays until written 0; ENABLE = 0 halts", .deadline_ms = 2000,
          .run_item = overflow_sticky, .items = &every_counter),
    CHECK("overflow.step-over", "OVF in a step over 0 too, and by no carry into a lower bit",
          .run = only_at_the_top),
};
VECTOR_GROUP(overflow);
