/*
 * Filtering: edges (18.15.5.2; R16, R23 to R25).
 *
 * A level that rises once has exactly one rising edge, and between two rising edges of a level lies one of
 * its complement. The levels: global_power_events is 1 in every clock of a running processor, and rises when
 * it wakes; the retirement of instructions rises once after each CPUID, which serialises.
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/course.h"
#include "tests/suite/documented.h"
#include "tests/suite/halt.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/companion.h"
#include "tests/suite/soak.h"
#include "tests/suite/stimulus.h"

#define HIGHEST 15 /* the highest threshold */

/* Counts may differ by what happens between two starts or two stops: far fewer edges than clocks. */
#define WINDOW_SKEW_EDGE 32
#define WINDOW_SKEW_UOPS 400 /* a WRMSR of some thousand clocks lies between two starts and two stops */

#define PULSES     200
#define FEW_PULSES 40 /* of the shorter run, whose count is subtracted */

/* Returns how many rising edges n CPUIDs make. */
static uint64_t edges_of_pulses(enum pmc_event_id event, uint16_t mask, uint32_t n, uint64_t skew)
{
    struct measurement m = {.counters = 0};

    measure_add_event(&m, event, mask, 12, above(0) | CCCR_EDGE);
    measure_add_event(&m, event, mask, 13, at_or_below(0) | CCCR_EDGE);
    measure_add_event(&m, event, mask, 16, above(HIGHEST) | CCCR_EDGE);
    measure_by_cccr(&m, &work_cpuid, n);
    /* Between two rising edges of a level lies one of its complement. */
    const uint64_t level = counts_of(&m.of[0]), complement = counts_of(&m.of[1]);
    expect_between(R23, complement > skew ? complement - skew : 0, complement + skew, level,
                   "rising edges of the level against those of its complement");
    expect_equal(RULES(R22, R23), 0, counts_of(&m.of[2]), "rising edges of a value above 15");
    return level;
}

/*
 * CPUID serialises, so between two of them there are clocks in which nothing retires: the level of retiring
 * instructions rises once for each. Several uops in one clock are one edge, too.
 */
static void edge_alternating(void)
{
    uint64_t few = edges_of_pulses(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, FEW_PULSES, WINDOW_SKEW_EDGE);
    uint64_t many =
        edges_of_pulses(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, FEW_PULSES + PULSES, WINDOW_SKEW_EDGE);
    expect_near(RULES(R23, R24), PULSES, WINDOW_SKEW_EDGE, many - few, "rising edges of %u more CPUIDs",
                PULSES);
    uint64_t of_uops = edges_of_pulses(EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, PULSES, WINDOW_SKEW_UOPS);
    expect_true(RULES(R23, R24), of_uops >= PULSES, "%llu rising edges of the uops of %u CPUIDs", of_uops,
                PULSES);
}

/* A level may glitch while a logical processor halts or wakes (F22). */
#define GLITCHES 16

/* Rising edges counted so far, read with the sibling halted, awake, halted, awake, halted. */
enum { WAKES = 2, WAKE_STATES = 1 + 2 * WAKES };

static void count_wakes(const struct pmc_programming *p, uint64_t edges[WAKE_STATES])
{
    companion_settle();
    pmc_arm(p, 0);
    pmc_start(p);
    edges[0] = pmc_read(p->counter);
    for (unsigned wake = 0; wake < WAKES; wake++) {
        companion_spin();
        edges[1 + 2 * wake] = pmc_read(p->counter);
        companion_end();
        companion_settle();
        edges[2 + 2 * wake] = pmc_read(p->counter);
    }
    pmc_stop_all();
}

static void expect_edge(uint32_t rules, bool due, uint64_t before, uint64_t now, const char *level,
                        const char *when)
{
    expect_between(rules, before + due, before + due + GLITCHES, now,
                   "rising edges of %s, %s; glitches allowed (F22)", level, when);
}

/* A state counts once in a clock, whoever of both is in it (R9), so that no value is above 1. */
static void expect_one_in_a_clock(void)
{
    struct pmc_programming p;

    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING,
                escr_self(true, true) | escr_sibling(true, true), 3);
    p.cccr |= above(1);
    companion_settle();
    pmc_arm(&p, 0);
    pmc_start(&p);
    companion_spin();
    companion_end();
    companion_settle();
    const uint64_t above_1 = pmc_read(p.counter);
    pmc_stop_all();
    expect_between(RULES(R9, R8), 0, GLITCHES, above_1,
                   "clocks in which the two running logical processors present more than 1; glitches "
                   "allowed (F22)");
}

/* When the other logical processor wakes, its level rises and stays. When it halts, the complement rises. */
static void edge_wake(void)
{
    struct pmc_programming p;
    uint64_t level[WAKE_STATES], complement[WAKE_STATES];

    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_sibling(true, true), 3);
    p.cccr |= above(0) | CCCR_EDGE;
    count_wakes(&p, level);
    p.cccr |= CCCR_COMPLEMENT;
    count_wakes(&p, complement);
    expect_equal(RULES(R23, R22), 0, level[0], "rising edges while the sibling is halted");
    /* The complement is true from the start: whether that is an edge is open (R25). */
    expect_between(R23, 0, 1 + ACCESSES_ADD, complement[0],
                   "rising edges of the complement while the sibling is halted");
    for (unsigned i = 1; i < WAKE_STATES; i++) {
        const bool awake = i % 2 == 1;
        const char *when = awake ? "the sibling having woken" : "the sibling halted again";
        expect_edge(RULES(R23, R24), awake, level[i - 1], level[i], "the level", when);
        expect_edge(R23, !awake, complement[i - 1], complement[i], "the complement", when);
    }
    expect_one_in_a_clock();
}

/* ---- A level that does not change has no edge ---- */

/*
 * With COMPLEMENT and threshold 15 the result of the comparison is true in every clock, whatever the event
 * and whoever runs. With threshold 0 and global_power_events of this logical processor it is true as long as
 * this processor does not halt. So a counter has at most one edge, where it starts (R25). Accesses to its
 * registers, a change of CPL, HLT, and INIT of the other logical processor add none: each of these happens
 * several times while all 18 counters run, so that one edge each time is too many; a write of a counter that
 * is stopped, while half of them run. The counters are read when they have stopped.
 *
 * With threshold 15 the level depends neither on what the ESCR counts nor on the other flags of the CCCR. So
 * these differ: the flags are drawn, and so is what the counters hold.
 *
 * RDMSR and RDPMC of a counter may add to it without an edge (E1). What they add to a counter that is off,
 * while its twin powers its ESCR, is measured first and allowed.
 */

#define TIMES 2  /* an incident that adds an edge adds more than the one that is open (R25) */
#define OFTEN 14 /* of what takes little time: also what adds an edge only now and then adds several */
#define SOME  50 /* laps of a loop */

static struct {
    struct pmc_programming p[PMC_COUNTERS];
    uint64_t preset[PMC_COUNTERS];
    bool used[PMC_COUNTERS];
} standing;

static void nothing(void *unused)
{
    (void)unused;
}

static void read_counters(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t value;

        pmc_read(n);
        rdpmc_try(n, &value);
    }
}

static void read_others(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        msr_read(MSR_CCCR(n));
        msr_read(standing.p[n].escr_msr);
    }
}

/* The counters of one half count while those of the other one are written. The neighbour and the partner of a
 * counter are in the other half. */
static bool is_of_half(unsigned n, unsigned half)
{
    return (n / 2 + n) % 2 == half;
}

static void write_stopped(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!standing.used[n]) {
            msr_write(MSR_COUNTER(n), standing.preset[n]);
            msr_write(MSR_CCCR(n), CCCR_ACTIVE_MASK);
        }
}

static void write_cccrs(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            msr_write(MSR_CCCR(n), pmc_cccr_enabled(&standing.p[n]));
}

static void write_escrs(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            msr_write(standing.p[n].escr_msr, standing.p[n].escr);
}

static void change_level(void)
{
    for (unsigned level = 1; level <= 3; level++)
        ring_run(level, nothing, NULL);
}

static void halt(void)
{
    halt_for_us(1);
    irq_on();
}

static const struct incident {
    const char *name;
    void (*happen)(void);
    unsigned needs, times;
    bool reads, halts;
    uint32_t rules;
} INCIDENTS[] = {
    {"nothing happens", NULL, 0, TIMES, false, false, RULES(R23, R16)},
    {"CCCRs and ESCRs are read", read_others, 0, OFTEN, false, false, RULES(R23, R16)},
    {"CCCRs are written unchanged", write_cccrs, 0, OFTEN, false, false, RULES(R23, R16)},
    {"ESCRs are written unchanged", write_escrs, 0, OFTEN, false, false, RULES(R23, R16)},
    {"work is done at CPL 1 to 3", change_level, 0, OFTEN, false, false, RULES(R23, R16)},
    {"other counters and their CCCRs are written", write_stopped, 0, OFTEN, false, false, RULES(R23, R16)},
    {"the counters are read", read_counters, 0, TIMES, true, false, RULES(R57, R23)},
    {"this logical processor halts", halt, NEED_LAPIC, OFTEN, false, true, RULES(R42, R23)},
    {"the sibling wakes and halts", companion_wakes_once, NEED_SIBLING, OFTEN, false, false, RULES(R23, R16)},
    {"the sibling gets INIT", companion_restart, NEED_SIBLING, TIMES, false, false, RULES(R1, R23)},
};

/* Flags of a CCCR, and what its counter and its ESCR hold, which make no difference to the level. */
static void draw_circumstances(unsigned n, uint32_t of_escr, struct random *r)
{
    const uint32_t flags = CCCR_CASCADE | CCCR_CASCNT | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 | CCCR_FORCE_OVF;
    struct pmc_programming *p = &standing.p[n];

    p->cccr |= course_random(r, UINT32_MAX) & ((flags & (uint32_t)cccr_documented(n)) | CCCR_OVF);
    if (course_random(r, 2))
        standing.preset[n] = COUNTER_OVERFLOW_IN(COURSE_FAR);
    if (CCCR_GET_THRESHOLD(p->cccr) == HIGHEST)
        p->escr = (p->escr & ESCR_SELECT_MASK) |
                  (of_escr & (uint32_t)escr_documented(pmc_escr_at(p->escr_msr)) & ~ESCR_SELECT_MASK);
}

/* r: of the circumstances; null: they are plain. */
static void arm(bool by_value, uint32_t edge, const struct random *r)
{
    /* Flags and masks of the two ESCRs of each unit. */
    static const uint32_t OF_ESCR[2][2] = {
        {ESCR_T0_OS | ESCR_T1_OS | ESCR_EVENT_MASK_MASK, ESCR_T0_USR | ESCR_T1_USR},
        {ESCR_EVENT_MASK_MASK, ESCR_T1_ALL | ESCR_EVENT_MASK_MASK},
    };
    struct random random = r ? *r : (struct random){0};

    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming *p = &standing.p[n];
        const bool powered = by_value && PMC_COUNTER[n].block == BLOCK_BPU;

        *p = stimulus_program(stimulus_a(n), n);
        p->cccr |= (powered ? above(0) : at_or_below(HIGHEST)) | edge;
        standing.used[n] = !counter_is_dead(n);
        standing.preset[n] = 0;
        if (r)
            draw_circumstances(n, OF_ESCR[by_value][PMC_COUNTER[n].side], &random);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        msr_write(MSR_COUNTER(n), standing.preset[n]);
        msr_write(standing.p[n].escr_msr, standing.p[n].escr);
    }
}

static void stop(uint64_t counts[PMC_COUNTERS])
{
    pmc_stop_all();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(standing.p[n].escr_msr, 0);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        counts[n] = (pmc_read(n) - standing.preset[n]) & COUNTER_MASK;
}

/* Measure what the readings alone add: to each counter while it is off and its twin is on. */
static void measure_readings(bool by_value, const struct random *r, uint64_t added[PMC_COUNTERS])
{
    const uint32_t starts = CCCR_CASCADE | CCCR_CASCNT;

    for (unsigned side = 0; side < 2; side++) {
        uint64_t counts[PMC_COUNTERS];

        arm(by_value, CCCR_EDGE, r);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            if (n < 16 && n % 2 != side)
                pmc_start(&standing.p[n]);
            else
                msr_write(MSR_CCCR(n), standing.p[n].cccr & ~(CCCR_EDGE | starts));
        for (unsigned i = 0; i < TIMES; i++)
            read_counters();
        stop(counts);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            if (n >= 16 || n % 2 == side)
                added[n] = counts[n];
    }
}

static void start_all(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            pmc_start(&standing.p[n]);
}

/* The level is there: without EDGE its clocks are counted. */
static void expect_level(bool by_value)
{
    uint64_t counts[PMC_COUNTERS];

    arm(by_value, 0, NULL);
    start_all();
    work_exercise(&work_loop, SOME);
    stop(counts);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            expect_true(RULES(R22, R16), counts[n] > 0,
                        "counter %C counts the clocks of the level without EDGE", n);
}

/* Does each half of the counters count while the other one is stopped? */
static bool is_of_halves(const struct incident *incident)
{
    return incident->happen == write_stopped;
}

static void stand(const struct incident *incident, bool by_value, unsigned half, struct random *r)
{
    uint64_t counts[PMC_COUNTERS], added[PMC_COUNTERS] = {0};

    course_random(r, 2); /* other circumstances than last time */
    if (incident->reads)
        measure_readings(by_value, r, added);
    arm(by_value, CCCR_EDGE, r);
    for (unsigned n = 0; n < PMC_COUNTERS && is_of_halves(incident); n++)
        standing.used[n] &= is_of_half(n, half);
    start_all();
    for (unsigned i = 0; i < incident->times; i++) {
        work_exercise(&work_loop, SOME);
        if (incident->happen)
            incident->happen();
    }
    stop(counts);
    const unsigned starts = 1 + (incident->happen == write_cccrs ? incident->times : 0);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            expect_between(incident->rules, 0, starts + added[n], counts[n],
                           "edges of counter %C, whose level stands, while %s; that of a start is open (R25)",
                           n, incident->name);
}

#define RISES 5

/* The level of the BPU block's counters rises as often as their ESCR gets its event, and falls once less. */
static void rise(struct random *r)
{
    uint64_t counts[PMC_COUNTERS];

    course_random(r, 2);
    arm(true, CCCR_EDGE, r);
    msr_write(standing.p[0].escr_msr, 0);
    msr_write(standing.p[2].escr_msr, 0);
    start_all();
    for (unsigned i = 0; i < 2 * RISES - 1; i++)
        for (unsigned n = 0; n < 4; n += 2)
            msr_write(standing.p[n].escr_msr, i % 2 ? 0 : standing.p[n].escr);
    stop(counts);
    for (unsigned n = 0; n < 4; n++)
        if (standing.used[n])
            expect_equal(R23, RISES, counts[n], "edges of counter %C, whose level rises", n);
}

static void stands(void)
{
    struct random random = {.state = soak_loop() + 1};

    for (unsigned by_value = 0; by_value <= 1; by_value++)
        expect_level(by_value);
    for (unsigned i = 0; i < COUNT_OF(INCIDENTS); i++)
        for (unsigned by_value = 0; by_value <= 1 && !(INCIDENTS[i].needs & ~machine_meets()); by_value++)
            for (unsigned half = 0; half < (is_of_halves(&INCIDENTS[i]) ? 2 : 1); half++)
                stand(&INCIDENTS[i], by_value && !INCIDENTS[i].halts, half, &random);
    for (unsigned i = 0; i < RISES; i++)
        rise(&random);
}

static const struct vector filter_edge_rows[] = {
    CHECK("filter.edge.alternating", "one rising edge for each pulse, as many of the complement",
          .deadline_ms = 2000, .stages = STAGE_FILTERS, .run = edge_alternating),
    CHECK("filter.edge.wake", "a rising edge each time the other logical processor wakes",
          .needs = NEED_SIBLING, .deadline_ms = 5000, .stages = STAGE_FILTERS | STAGE_THREADS,
          .run = edge_wake),
    CHECK("filter.edge.stands",
          "a level has an edge where it rises, and none while it stands, whatever happens meanwhile",
          .needs = NEED_SSE2, .deadline_ms = 5000, .stages = STAGE_FILTERS, .run = stands),
};
VECTOR_GROUP(filter_edge);
