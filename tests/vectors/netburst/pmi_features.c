/*
 * The PMI of a counter with each of its other features (18.15.5.8, 18.16.2; R45 to R47, R49, R55).
 *
 * Which filter, which privilege levels, which CPL, which ACTIVE_THREAD and which neighbours a counter has
 * makes no difference to its PMI: it comes with the count after the overflow, to the logical processors whose
 * OVF_PMI flags are set, and again when LVTPC is unmasked with OVF standing; the counter counts on. For each
 * feature the work is counted first, from a preset that is far from the overflow: no PMI. Then the counter is
 * preset so that it overflows early in the work, with its last count, and one count before it. How often the
 * work counts may differ a little from run to run, so each run is judged by the count that it left: 0 is the
 * overflow and no count after it, and more than one clock can add is a PMI. A counter in cascade mode may
 * raise no PMI (E3, question 11.8).
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/place.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sibling.h"
#include "tests/suite/sleeper.h"
#include "tests/suite/stimulus.h"

#define WORK      200 /* occurrences; each counts once or more, but with COMPARE some count together */
#define ENOUGH    40  /* counts: a PMI may come early for a preset down to -8 (E20) */
#define ONE_CLOCK 15  /* what a clock can add at most (R8) */
#define FAR_AWAY  (1ull << 30)
#define BLOCKS    4

enum {
    SMT = 1 << 0,        /* Hyper-Threading, the sibling present */
    HERE = 1 << 1,       /* PMIs are directed to this processor alone */
    SPARSE = 1 << 2,     /* there may be too few counts */
    IN_CASCADE = 1 << 3, /* E3 */
    UOPS = 1 << 4,       /* count uops, several in a clock: the IQ block alone */
    SIBLING = 1 << 5,    /* the sibling does the work */
    TWIN =
        1 << 6, /* another counter has the same selection; it overflows with the count that raises the PMI */
    AWAITED = 1 << 7,    /* another counter waits for the overflow */
    OTHERS_OVF = 1 << 8, /* OVF of all other counters is set */
    CLOCKS = 1 << 9,     /* it counts clocks, with an event or without */
    APART = 1 << 10,     /* the work has its events far apart: branches taken after CPUID */
    SINGLE = 1 << 11,    /* ACTIVE_THREAD 01B */
    BUSY = 1 << 12,      /* the sibling executes other work */
    BIT_11 = 1 << 13,    /* counters that have it */
    STARTED = 1 << 14,   /* by a cascade, ENABLE = 0; counters that have a partner */
};

static const struct feature {
    const char *name;
    uint32_t cccr; /* bits on top */
    uint16_t flags;
    uint8_t level; /* CPL of the work */
    bool os, usr;
} FEATURES[] = {
    {"no other feature", 0, 0, 0, true, true},
    {"COMPARE", CCCR_COMPARE, 0, 0, true, true},
    {"COMPARE and EDGE", CCCR_COMPARE | CCCR_EDGE, SPARSE | APART, 0, true, true},
    {"COMPARE, THRESHOLD 1", CCCR_COMPARE | CCCR_THRESHOLD(1), SPARSE | UOPS, 0, true, true},
    {"COMPARE, COMPLEMENT, THRESHOLD 15", CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), CLOCKS, 0,
     true, true},
    {"filter fields without COMPARE", CCCR_COMPLEMENT | CCCR_THRESHOLD(15) | CCCR_EDGE, 0, 0, true, true},
    {"several counts a clock", 0, UOPS, 0, true, true},
    {"OS alone", 0, 0, 0, true, false},
    {"USR alone at CPL 3", 0, 0, 3, false, true},
    {"ACTIVE_THREAD 01B", 0, SMT | HERE | SINGLE, 0, true, true},
    {"the sibling's events alone", 0, SMT | HERE | SIBLING, 0, true, true},
    {"the sibling at work", 0, SMT | HERE | BUSY, 0, true, true},
    {"CASCADE beside ENABLE", CCCR_CASCADE, IN_CASCADE, 0, true, true},
    {"bit 11 beside ENABLE", CCCR_CASCNT, IN_CASCADE | BIT_11, 0, true, true},
    {"a start by CASCADE", CCCR_CASCADE, IN_CASCADE | STARTED, 0, true, true},
    {"a twin on its ESCR", 0, TWIN, 0, true, true},
    {"a counter that awaits its overflow", 0, AWAITED, 0, true, true},
    {"OVF of all other counters", 0, OTHERS_OVF, 0, true, true},
    {"FORCE_OVF", CCCR_FORCE_OVF, 0, 0, true, true},
};

/* ---- A run ---- */

struct subject {
    const struct feature *f;
    enum pmc_event_id event;
    uint16_t mask;
    uint32_t cpl;
    struct pmc_programming p;
    struct frame phases;
    bool sleeper;
};

static const uint32_t MOB_ANY = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5;

/* The event and the work of a counter's block. The frame has no branches that are not taken, and its phases
 * are serialised: in the IQ block the last count is alone in its clock. */
static void choose(struct subject *s, unsigned n)
{
    static const struct {
        enum pmc_event_id event;
        uint16_t mask;
        const struct workload *work;
    } OF_BLOCK[] = {
        [BLOCK_BPU] = {EVENT_MOB_LOAD_REPLAY, MOB_ANY, &work_partial_load},
        [BLOCK_MS] = {EVENT_TC_MS_XFER, TC_MS_XFER_CISC, &work_cpuid_leaf_0},
        [BLOCK_FLAME] = {EVENT_PACKED_SP_UOP, FIRM_ALL, &work_packed_sp},
        [BLOCK_IQ] = {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN, &work_not_taken},
    };
    const unsigned block = PMC_COUNTER[n].block;
    const struct workload *work = OF_BLOCK[block].work;

    s->event = OF_BLOCK[block].event;
    s->mask = OF_BLOCK[block].mask;
    s->cpl = s->f->flags & SIBLING ? escr_sibling(true, true) : escr_self(s->f->os, s->f->usr);
    if (s->f->flags & UOPS) {
        s->event = EVENT_UOPS_RETIRED;
        s->mask = UOPS_RETIRED_NBOGUS;
        work = &work_call;
    } else if (s->f->flags & APART && block == BLOCK_IQ) {
        s->mask = BRANCH_RETIRED_TAKEN;
        work = &work_cpuid_leaf_0;
    }
    pmc_program(&s->p, s->event, s->mask, s->cpl, n);
    s->p.cccr |= s->f->cccr;
    if (s->f->flags & SINGLE)
        pmc_set_active_thread(&s->p, ACTIVE_SINGLE);
    work_prepare_sse();
    frame_init(&s->phases, 0);
    frame_phase(&s->phases, 0, work, WORK - 1);
    frame_phase(&s->phases, 1, work, 1);
}

/* What else the feature needs of other counters; all CCCRs are 0. */
static void surround(const struct subject *s, uint64_t preset)
{
    const unsigned n = s->p.counter;

    for (unsigned other = 0; other < PMC_COUNTERS; other++) {
        uint32_t cccr = CCCR_ACTIVE_THREAD(ACTIVE_ANY);
        if (other == n)
            continue;
        if (s->f->flags & OTHERS_OVF)
            msr_write(MSR_CCCR(other), cccr | CCCR_OVF);
        else if (s->f->flags & TWIN && other == (n < 16 ? n ^ 1u : n - 4)) {
            pmc_preset(other, preset - 1);
            msr_write(MSR_CCCR(other), s->p.cccr | CCCR_ENABLE);
        } else if (s->f->flags & AWAITED && other == (n ^ 2u))
            msr_write(MSR_CCCR(other), cccr | CCCR_CASCADE);
    }
}

/* Clocks bring the partner of this counter to its overflow, which starts it. */
static void start_by_cascade(const struct subject *s, const struct pmc_programming *p)
{
    struct pmc_programming x;

    pmc_arm_cascade(p);
    pmc_program(&x, s->event, s->mask, s->cpl, (unsigned)PMC_COUNTER[p->counter].cascade_from);
    x.cccr |= CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15); /* clocks (R16) */
    pmc_arm(&x, COUNTER_OVERFLOW_IN(ONE_CLOCK));
    pmc_start(&x);
}

/* Count the work from a preset, with OVF_PMI for the logical processors whose bits `to` has, this one's being
 * bit 0. Returns the count; pmi_taken() has the PMIs. */
static uint64_t count(const struct subject *s, uint64_t preset, unsigned to)
{
    struct pmc_programming p = s->p;
    const struct msr_write gate = {p.escr_msr, p.escr};
    const struct placed_work work = {
        .place = {s->f->level, s->f->flags & SIBLING}, .phases = &s->phases, .gate = &gate, .gates = 1};

    pmc_stop_all();
    for (unsigned lp = 0; lp < 2; lp++)
        if (to >> lp & 1)
            p.cccr |= ovf_pmi_to(smp_self() ^ lp);
    surround(s, preset);
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_arm(&p, preset);
    msr_write(p.escr_msr, 0);
    irq_off();
    if (s->f->flags & STARTED)
        start_by_cascade(s, &p);
    else
        pmc_start(&p);
    place_run(&work);
    irq_on();
    pmi_wait_for_delivery();
    if (s->f->flags & CLOCKS) /* which go on without the event (question 11.1) */
        msr_write(MSR_CCCR(p.counter), msr_read(MSR_CCCR(p.counter)) & ~(uint64_t)CCCR_ENABLE);
    return pmc_read(p.counter);
}

/* ---- Judging it ---- */

static void expect_taken(const struct subject *s, unsigned lp, unsigned due, const char *when)
{
    const unsigned at = smp_self() ^ lp, taken = pmi_taken(at);

    if (due && taken == 0 && s->f->flags & IN_CASCADE && machine_has_erratum(PMC_E3)) {
        report_erratum(PMC_E3);
        return;
    }
    expect_equal(pmi_due(at, due, taken), taken, "PMIs on LP%u %s, counter %u, %s", at, when, s->p.counter,
                 s->f->name);
}

/* The count tells whether the PMI was due. */
static void expect_by_count(const struct subject *s, uint64_t preset, unsigned to)
{
    const uint64_t left = count(s, preset, to);
    const bool wrapped = left < FAR_AWAY;
    const bool one_a_clock = s->f->cccr & CCCR_COMPARE || s->event == EVENT_BRANCH_RETIRED;

    if (!wrapped || left == 0)
        expect_taken(s, 0, 0, wrapped ? "with the overflow, without a further count" : "before the overflow");
    else if (one_a_clock || left > ONE_CLOCK)
        expect_taken(s, 0, 1, "with the count after the overflow");
}

static void expect_again(const struct subject *s)
{
    if (pmi_taken(smp_self()) != 1)
        return; /* said already */
    const bool stands = pmc_overflowed(s->p.counter);

    if (!stands)
        report_erratum(PMC_E9);
    if (!(s->f->cccr & CCCR_FORCE_OVF)) /* with it the work of the handler would interrupt */
        msr_write(s->p.escr_msr, s->p.escr);
    pmi_unmask();
    pmi_wait_for_delivery();
    expect_equal(1u + stands, pmi_taken(smp_self()),
                 "PMIs with LVTPC unmasked again, OVF standing, counter %u, %s", s->p.counter, s->f->name);
    pmc_acknowledge(s->p.counter, 0);
    pmi_unmask();
    pmi_wait_for_delivery();
    expect_equal(1u + stands, pmi_taken(smp_self()), "PMIs with LVTPC unmasked, OVF cleared, counter %u, %s",
                 s->p.counter, s->f->name);
}

/* From now on the sibling takes a PMI, if one comes. */
static void open_sibling(const struct subject *s)
{
    pmc_stop_all();
    if (s->sleeper)
        sleeper_open();
}

/* PMIs directed to each and to none, and what the last one leaves; the work makes `all` counts. */
static void expect_directed(const struct subject *s, uint64_t all)
{
    const bool forced = s->f->cccr & CCCR_FORCE_OVF, to_sibling = s->sleeper && !(s->f->flags & HERE);
    const uint64_t early = COUNTER_OVERFLOW_IN((uint32_t)all / 3),
                   preset = forced ? COUNTER_OVERFLOW_IN(FAR_AWAY) : early;
    const bool both = machine_cpu.ht && !(s->f->flags & HERE) && s->p.counter % 2;

    open_sibling(s);
    if (to_sibling) {
        count(s, early, 2);
        expect_taken(s, 0, 0, "to which none was directed");
        expect_taken(s, 1, 1, "after the overflow");
    }
    open_sibling(s);
    count(s, early, 0);
    expect_taken(s, 0, 0, "without OVF_PMI");
    expect_taken(s, 1, 0, "without OVF_PMI");
    uint64_t counted = (count(s, preset, both ? 3 : 1) - preset) & COUNTER_MASK;
    expect_taken(s, 0, 1, "after the overflow");
    expect_taken(s, 1, both && s->sleeper, both ? "when directed to both" : "to which none was directed");
    expect_between(all / 2, FAR_AWAY, counted, "counter %u, %s, counts on after its PMI", s->p.counter,
                   s->f->name);
    expect_again(s);
}

static void judge(const struct subject *s)
{
    const bool forced = s->f->cccr & CCCR_FORCE_OVF;

    count(s, 0, 0); /* the caches are warm in what follows */
    const uint64_t all = count(s, 0, !forced);

    expect_taken(s, 0, 0, "far from the overflow");
    /* That partial loads are replayed often is no law (class V of pmu-rules 8.3). */
    if (all < ENOUGH && (s->f->flags & SPARSE || PMC_COUNTER[s->p.counter].block == BLOCK_BPU))
        return;
    require_true(all >= ENOUGH, "counter %u counts %u occurrences with %s: %llu", s->p.counter, WORK,
                 s->f->name, all);
    if (!forced && !(s->f->flags & CLOCKS)) { /* a stop by the CCCR may race with the overflow (R32) */
        expect_by_count(s, COUNTER_OVERFLOW_IN(all), 1 + 2 * machine_cpu.ht);
        expect_by_count(s, COUNTER_OVERFLOW_IN(all - 1), 1 + 2 * machine_cpu.ht);
    }
    expect_directed(s, all);
}

static void with_feature(const struct feature *f, unsigned n, bool with_sibling)
{
    struct subject s = {.f = f, .sleeper = with_sibling && !(f->flags & (SIBLING | BUSY))};

    pmc_clear(&machine_cpu);
    choose(&s, n);
    if (s.sleeper)
        sleeper_begin();
    else if (f->flags & BUSY)
        sibling_spin_begin(SIBLING_MASKED);
    judge(&s);
    if (s.sleeper)
        sleeper_end();
    else if (f->flags & BUSY)
        sibling_spin_end();
    pmi_disarm();
}

/* Can the counter have the feature, on this machine? */
static bool suits(const struct feature *f, unsigned n, bool with_sibling)
{
    const struct pmc_counter *c = &PMC_COUNTER[n];

    return (!(f->flags & SMT) || with_sibling) && (!(f->flags & UOPS) || c->block == BLOCK_IQ) &&
           (!(f->flags & BIT_11) || (machine_cpu.extended_cascade && c->extended_from != PMC_NONE)) &&
           (!(f->flags & (STARTED | AWAITED)) || n < 16);
}

/* Each feature on one counter of each block, on another one each time. */
static void features(void)
{
    const bool with_sibling = machine_meets() & NEED_SIBLING;

    for (unsigned i = 0; i < COUNT_OF(FEATURES); i++) {
        for (unsigned block = 0; block < BLOCKS; block++) {
            const unsigned counters = block == BLOCK_IQ ? 6 : 4;
            unsigned n = block * 4 + i % counters;
            if (block == BLOCK_BPU && n % 2)
                n--; /* counter 1 may be dead, and so may be the partner of 3 (E4) */
            while (FEATURES[i].flags & (BIT_11 | STARTED | AWAITED) && block == BLOCK_IQ &&
                   !suits(&FEATURES[i], n, true) && n > block * 4)
                n--;
            if (suits(&FEATURES[i], n, with_sibling))
                with_feature(&FEATURES[i], n, with_sibling);
        }
    }
}

static const struct vector pmi_features_rows[] = {
    CHECK("pmi.features", "the PMI is the same whatever other feature its counter uses",
          .rules = "R43 R45 R46 R47 R49 R55 E3 E5", .needs = NEED_LAPIC | NEED_SSE2, .deadline_ms = 10000,
          .run = features),
};
VECTOR_GROUP(pmi_features);
