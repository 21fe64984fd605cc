/*
 * The ESCR of counters that run is rewritten (18.15.1, 18.15.5.1, 18.16.4; R6, R7, R11 to R13).
 *
 * An ESCR says what its counters count from the write on: event select, mask and the four flags as they are,
 * not as they were when the counters were enabled. So all counters of an ESCR S run without a pause, while S
 * is rewritten from one event to another one: by a write of its flags or its mask, or of all at once. The
 * work causes several events, each a different number of times, at CPL 0 or 3, on this logical processor or
 * the other one. The counters of S must count what a counter counts by the other ESCR of the unit, R: that
 * counter was stopped, and R cleared, before R was programmed with the same value. All counters of S must
 * count alike. In between S selects nothing: it loses its flags, its mask or its event, and nothing else. The
 * same events occur then, at CPL 0 and 3, and the counters must stand still. What a counter counts with an
 * empty mask or event select 0 was never measured on silicon (value.no-event). So where R counts with them, S
 * is not judged.
 *
 * First come steps of which each changes one field such that the work counts before and not after it, or the
 * reverse; then steps to any event and flags.
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

#define TURNS    20
#define TRIES    3  /* a disturbance does not repeat */
#define IDLE     20 /* occurrences of each event while S selects nothing */
#define FEW      12 /* counts around the work, and of the ESCR's former event until it is rewritten */
#define EVENTS   4
#define ON_S_MAX 3
#define BY_OTHER 2 /* in one of so many turns that are drawn the other logical processor works */

/* Events of one pair of ESCRs, one of them or more by another event select. The work causes one, another,
 * both or none of them. */
static const struct unit {
    uint8_t block;
    struct {
        uint8_t event;
        uint16_t mask;
    } events[EVENTS];
    const struct workload *work[2];
    uint16_t n[2];
    uint16_t skew; /* counts by which S and R may differ beside FEW */
} UNIT[] = {
    {BLOCK_BPU,
     {{EVENT_GLOBAL_POWER_EVENTS, 1},
      {EVENT_GLOBAL_POWER_EVENTS, 0},
      {EVENT_GLOBAL_POWER_EVENTS, 1},
      {EVENT_FSB_DATA_ACTIVITY, 2}},
     {&work_loop, &work_nothing},
     {2000, 0},
     CCCR_SKEW},
    {BLOCK_MS,
     {{EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL},
      {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_RETURN},
      {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL | BRANCH_TYPE_RETURN},
      {EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_INDIRECT}},
     {&work_call, &work_return},
     {60, 140},
     0},
    {BLOCK_MS,
     {{EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_DELIVER},
      {EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_ROM},
      {EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_DELIVER | UOP_QUEUE_FROM_ROM},
      {EVENT_TC_MS_XFER, TC_MS_XFER_CISC}},
     {&work_call, &work_cpuid_leaf_0},
     {60, 10},
     60},
    {BLOCK_FLAME,
     {{EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_LSC},
      {EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_SSC},
      {EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_LSC | MEMORY_COMPLETE_SSC},
      {EVENT_LOAD_PORT_REPLAY, 2}},
     {&work_split_load, &work_split_store},
     {60, 140},
     8},
    {BLOCK_FLAME,
     {{EVENT_PACKED_SP_UOP, FIRM_ALL},
      {EVENT_PACKED_DP_UOP, FIRM_ALL},
      {EVENT_PACKED_DP_UOP, 0},
      {EVENT_SCALAR_SP_UOP, FIRM_ALL}},
     {&work_packed_sp, &work_packed_dp},
     {60, 140},
     0},
    {BLOCK_IQ,
     {{EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN},
      {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN},
      {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL},
      {EVENT_MACHINE_CLEAR, MACHINE_CLEAR_SMCLEAR}},
     {&work_jmp, &work_not_taken},
     {60, 140},
     0},
    {BLOCK_IQ,
     {{EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS},
      {EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS},
      {EVENT_INSTR_RETIRED, INSTR_RETIRED_TAG},
      {EVENT_MISPRED_BRANCH_RETIRED, 1}},
     {&work_call, &work_nop},
     {300, 60},
     60},
};

/* The first turns: number of the event, flags, and the CPL of the work. In the last ones event 3 is of
 * another event select, 0 to 2 are masks of the same. */
static const struct step {
    uint8_t event, flags, level;
} STEPS[] = {
    {0, 0xA, 0}, {0, 0x5, 0}, {0, 0xA, 3}, {0, 0x5, 3}, {0, 0xC, 0}, {0, 0x3, 0}, {0, 0xC, 3}, {0, 0xF, 0},
    {1, 0xF, 0}, {0, 0xF, 0}, {3, 0xF, 0}, {0, 0xF, 0}, {2, 0xF, 0}, {1, 0xF, 0}, {3, 0xF, 0}, {1, 0xF, 0},
};

/* The flight of one ESCR. */
struct flight {
    const struct unit *unit;
    struct pmc_programming s[ON_S_MAX], r;
    unsigned on_s;
    uint32_t random;
};

struct wrong {
    const char *quantity; /* null when all is right */
    uint32_t rules;
    uint64_t low, high, observed;
    unsigned counter;
    uint32_t was, is;
    struct place place;
};

static uint32_t next_random(struct flight *f)
{
    f->random = f->random * 1664525 + 1013904223;
    return f->random >> 16;
}

/* An event with any flags, and the CPL of the work. */
static struct step choose(struct flight *f, unsigned turn)
{
    static const uint8_t FLAGS[] = {0xF, 0xA, 0x5, 0xC, 0x3, 0xA, 0x5, 0x6}; /* OS 0AH, USR 05H */

    if (turn < COUNT_OF(STEPS))
        return STEPS[turn];
    const uint32_t number = next_random(f), flags = FLAGS[next_random(f) % COUNT_OF(FLAGS)];
    const unsigned last = EVENTS - 1, event = number % 6 < last ? number % 6 : last; /* half of the turns */

    return (struct step){(uint8_t)event, (uint8_t)flags, number >> 8 & 1 ? 3 : 0};
}

static uint32_t escr_of(const struct flight *f, const struct step *step)
{
    struct pmc_programming p;

    pmc_program(&p, f->unit->events[step->event].event, f->unit->events[step->event].mask,
                machine_cpu.ht ? step->flags : step->flags & ESCR_T0_ALL, f->s[0].counter);
    return p.escr;
}

/* The work, at a place; each ESCR gets its event before, and what `after` has at the end. */
static void run(const struct flight *f, struct place place, const struct msr_write *events, unsigned escrs,
                const uint32_t *after, unsigned most)
{
    struct frame phases;
    const struct placed_work work = {
        .place = place, .phases = &phases, .escr = events, .escrs = escrs, .after = after};

    frame_init(&phases, 0); /* its WRMSRs are not executed */
    for (unsigned i = 0; i < COUNT_OF(f->unit->work); i++)
        frame_phase(&phases, i, f->unit->work[i], f->unit->n[i] < most ? f->unit->n[i] : most);
    place_run(&work);
    irq_on();
}

/* S has lost its flags, its mask or its event. */
static struct wrong stand(const struct flight *f, uint32_t former, uint32_t rest)
{
    const struct msr_write r = {f->r.escr_msr, rest};
    struct wrong wrong = {
        .was = former, .is = rest, .rules = (former ^ rest) & ESCR_CPL_MASK ? RULES(R12, R11) : R7};
    uint64_t before[ON_S_MAX];

    for (unsigned i = 0; i < f->on_s; i++)
        before[i] = pmc_read(f->s[i].counter);
    for (uint8_t level = 0; level <= 3; level += 3) {
        const uint64_t r_before = pmc_read(f->r.counter);

        wrong.place.level = level;
        run(f, wrong.place, &r, 1, NULL, IDLE);
        if ((former ^ rest) & ~ESCR_CPL_MASK && pmc_read(f->r.counter) != r_before)
            return wrong;
        for (unsigned i = 0; i < f->on_s; i++) {
            wrong.counter = f->s[i].counter;
            wrong.observed = pmc_read(wrong.counter) - before[i];
            wrong.quantity = wrong.observed ? "counts while its ESCR selects nothing" : NULL;
            if (wrong.observed)
                return wrong;
        }
    }
    return wrong;
}

/* One turn: S goes from its former event to the next one, the work is done, and S selects nothing. */
static struct wrong turn(struct flight *f, unsigned number, uint32_t *former)
{
    static const uint32_t nothing[] = {~ESCR_CPL_MASK, ~ESCR_EVENT_MASK_MASK, ~ESCR_SELECT_MASK};
    const struct step step = choose(f, number);
    const uint32_t now = escr_of(f, &step), rest = now & nothing[number % COUNT_OF(nothing)];
    const bool by_other = number >= COUNT_OF(STEPS) && next_random(f) % BY_OTHER == 0 &&
                          (machine_meets() & NEED_SIBLING) && f->unit->block != BLOCK_BPU;
    const struct place place = {step.level, by_other};
    const struct msr_write events[] = {
        {f->s[0].escr_msr, *former}, {f->s[0].escr_msr, now}, {f->r.escr_msr, now}};
    const uint32_t after[] = {rest, rest, 0};
    uint64_t before[ON_S_MAX] = {0}, counted[ON_S_MAX] = {0};
    struct wrong wrong = {.was = *former, .is = now, .place = place};

    for (unsigned i = 0; i < f->on_s; i++)
        before[i] = pmc_read(f->s[i].counter);
    pmc_arm(&f->r, 0);
    msr_write(f->r.escr_msr, 0);
    pmc_start(&f->r);
    run(f, place, events, COUNT_OF(events), after, UINT16_MAX);
    for (unsigned i = 0; i < f->on_s; i++)
        counted[i] = (pmc_read(f->s[i].counter) - before[i]) & COUNTER_MASK;
    const uint64_t r = pmc_read(f->r.counter), spread = FEW + f->unit->skew + r / 16;
    for (unsigned i = 0; i < f->on_s; i++) {
        wrong.counter = f->s[i].counter;
        wrong.observed = counted[i];
        wrong.low = r > spread ? r - spread : 0;
        wrong.high = r + spread;
        wrong.quantity = "counts, as by an ESCR that was programmed anew";
        wrong.rules = (*former ^ now) & ~ESCR_CPL_MASK ? RULES(R7, R12) : RULES(R12, R13, R11);
        if (counted[i] < wrong.low || counted[i] > wrong.high)
            return wrong;
        wrong.low = wrong.high = counted[0];
        wrong.rules = (*former ^ now) & ~ESCR_CPL_MASK ? RULES(R6, R7, R12) : RULES(R6, R12, R11);
        wrong.quantity = "counts, as the first counter of its ESCR";
        if (counted[i] != counted[0])
            return wrong;
    }
    uint64_t escr = msr_read(f->s[0].escr_msr);
    wrong.low = wrong.high = rest;
    wrong.observed = escr;
    wrong.quantity = "its ESCR reads";
    wrong.rules = R3;
    if (escr != rest)
        return wrong;
    *former = now;
    return stand(f, now, rest);
}

static struct wrong fly(const struct unit *unit, unsigned side)
{
    struct flight f = {.unit = unit, .random = side + 4};
    struct wrong wrong = {.quantity = 0};

    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming p;
        if (PMC_COUNTER[n].block != unit->block ||
            !pmc_program(&p, unit->events[0].event, unit->events[0].mask, escr_self_all(), n))
            continue;
        if (PMC_COUNTER[n].side != side)
            f.r = p;
        else if (!counter_is_dead(n))
            f.s[f.on_s++] = p;
    }
    if (PMC_COUNTER[f.r.counter].number == 1 && counter_is_dead(1))
        f.r.counter = 0;
    uint32_t former = f.s[0].escr;
    msr_write(f.s[0].escr_msr, former & ~ESCR_CPL_MASK);
    for (unsigned i = 0; i < f.on_s; i++)
        pmc_start(&f.s[i]);
    for (unsigned number = 0; number < TURNS && !wrong.quantity; number++)
        wrong = turn(&f, number, &former);
    return wrong;
}

static void rewritten(void)
{
    work_prepare_sse();
    for (unsigned i = 0; i < 2 * COUNT_OF(UNIT); i++) {
        struct wrong wrong;
        unsigned tries = 0;

        do
            wrong = fly(&UNIT[i / 2], i % 2);
        while (wrong.quantity && ++tries < TRIES);
        if (wrong.quantity)
            expect_between(
                wrong.rules, wrong.low, wrong.high, wrong.observed,
                "counter %u, its ESCR rewritten from %8H to %8H while it runs, work of LP%u at CPL %u: %s",
                wrong.counter, wrong.was, wrong.is, place_lp(wrong.place), wrong.place.level, wrong.quantity);
    }
}

static const struct vector rewritten_rows[] = {
    CHECK("count.in-flight", "the ESCR of counters that run, rewritten with a change: what it now selects",
          .also = "R8 R9 R27", .needs = NEED_SSE2, .deadline_ms = 5000, .run = rewritten),
};
VECTOR_GROUP(rewritten);
