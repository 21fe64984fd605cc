/*
 * What happens between the overflow and the next count, while the PMI is due (18.15.5.8, 18.15.5.4; R4, R32,
 * R45 to R47, R57).
 *
 * "The interrupt is generated on the next event count after the counter has overflowed", whatever happens
 * until then. The counter overflows with the last count of the work, and its ESCR loses its flags or its
 * mask. Then the counter is read, in three ways, or written; its CCCR is read or rewritten, its neighbours or
 * LVTPC are written; the other logical processor reads it, or wakes and halts again. Or the event comes while
 * the counter is stopped, by its ESCR or by ENABLE: that is no count. No PMI may come meanwhile. Then there
 * is a single occurrence, of which the counter counts one or more, and exactly one PMI must come, to the
 * logical processors whose OVF_PMI flags are set, and none if they were cleared: a PMI that is late by a
 * count does not come at all. OVF stays set, and the count goes on.
 *
 * At first the counter runs with another CCCR: with FORCE_OVF and without OVF_PMI, or with OVF_PMI of the
 * wrong logical processor. Its CCCR is rewritten while it runs, and the former value must have no effect.
 *
 * How often the work counts may differ from run to run. A twin on the ESCR tells where the counter is,
 * because reading the counter itself could disturb it. A run is repeated if the counter has not stopped at 0,
 * or if OVF is missing (E9).
 */
#include "pmi_subject.h"

#include "kernel/board/clock.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/count.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"
#include "tests/suite/place.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sibling_access.h"
#include "tests/suite/sleeper.h"
#include "tests/suite/stimulus.h"

#define TRIES    4
#define MUCH     60
#define ENOUGH   12 /* counts: a PMI may come early for a preset down to -8 (E20) */
#define EARLY    3  /* occurrences before the CCCR is rewritten */
#define EARLY_US 5
#define WRITTEN  0x1234567800ull

enum {
    TO_SIBLING = 1 << 0, /* the PMI goes to the sibling, else to this logical processor */
    TO_BOTH = 1 << 1,
    WRITE_COUNTER = 1 << 3,
    REWRITE = 1 << 4,    /* the CCCR is written as it reads, then without ENABLE, then with it */
    COMPARE_ON = 1 << 5, /* the CCCR is written with COMPARE */
    SLEEP = 1 << 6,      /* the sibling wakes, and halts again */
    BY_SIBLING = 1 << 7, /* the sibling reads the counter and its CCCR */
    FORCED = 1 << 8,     /* FORCE_OVF and OVF_PMI are set in flight: a PMI comes at once */
    BY_RDMSR = 1 << 9,
    BY_RDPMC = 1 << 10,
    UNCOUNTED = 1 << 13,  /* the event at CPL 0 and 3, while its ESCR counts nothing: it has lost its flags */
    MASKED = 1 << 14,     /* or, with this one, its mask */
    STOPPED = 1 << 15,    /* the event while ENABLE is clear */
    NEIGHBOURS = 1 << 16, /* the other counters of the block and their CCCRs are written */
    LVTPC = 1 << 17,      /* LVTPC is written as it reads */
    UNASKED = 1 << 18,    /* the CCCR is written without OVF_PMI */
    READS = BY_RDMSR | BY_RDPMC | BY_SIBLING,
};

static const struct due {
    const char *name;
    uint32_t flags;
    uint32_t first, cccr; /* bits before and after the rewrite; OVF_PMI of `first` is the wrong one */
} DUE[] = {
    {"nothing", 0, CCCR_FORCE_OVF, 0},
    {"RDMSR of the counter and of its CCCR", TO_SIBLING | BY_RDMSR, CCCR_FORCE_OVF, 0},
    {"RDPMC, slow and fast", BY_RDPMC, CCCR_OVF_PMI, 0},
    {"a write of the counter", TO_BOTH | WRITE_COUNTER, CCCR_COMPLEMENT | CCCR_THRESHOLD(15), 0},
    {"its CCCR written as it reads", REWRITE, CCCR_OVF_PMI | CCCR_COMPLEMENT, 0},
    {"COMPARE set", COMPARE_ON, CCCR_FORCE_OVF | CCCR_EDGE, 0},
    {"nothing, with COMPARE", TO_SIBLING, CCCR_OVF_PMI, CCCR_COMPARE},
    {"nothing, with EDGE", 0, CCCR_OVF_PMI, CCCR_COMPARE | CCCR_EDGE},
    {"OVF_PMI cleared", UNASKED | TO_BOTH, 0, 0},
    {"writes of its neighbours", NEIGHBOURS, CCCR_OVF_PMI, 0},
    {"a write of LVTPC", LVTPC, 0, 0},
    {"HLT of the sibling", SLEEP, CCCR_FORCE_OVF, 0},
    {"accesses by the sibling", BY_SIBLING, CCCR_OVF_PMI, 0},
    {"events while its ESCR has no flags", UNCOUNTED, 0, 0},
    {"events while its ESCR has no mask", TO_SIBLING | UNCOUNTED | MASKED, 0, 0},
    {"events while ENABLE is clear", TO_BOTH | STOPPED, CCCR_FORCE_OVF, 0},
    {"FORCE_OVF set in flight", FORCED | TO_BOTH, 0, CCCR_FORCE_OVF},
};

static uint32_t pmi_flags(unsigned to)
{
    return (to & 1 ? ovf_pmi_to(smp_self()) : 0) | (to & 2 ? ovf_pmi_to(smp_self() ^ 1) : 0);
}

/* Do the work, and nothing else while the ESCR has its flags. At the end the ESCR loses the bits `without`.
 */
static void work(const struct subject *s, unsigned occurrences, uint32_t without)
{
    const unsigned n = s->p.counter;
    struct frame frame;

    frame_init(&frame, idle_counter(n, n));
    if (occurrences > 1)
        frame_phase(&frame, 0, s->work, occurrences - 1);
    frame_phase(&frame, 1, s->work, 1);
    frame.start[1] = (struct msr_write){s->p.escr_msr, s->p.escr};
    frame.stop[0] = (struct msr_write){s->p.escr_msr, s->p.escr & ~without};
    irq_off();
    frame_run(&frame);
    irq_on();
}

/* The work, its ESCR as it is. */
static void work_uncounted(const struct subject *s)
{
    struct frame phases = s->phases;

    phases.phase[0].n = EARLY;
    for (uint8_t level = 0; level <= 3; level += 3) {
        const struct placed_work placed = {.place = {level, false}, .phases = &phases};

        place_run(&placed);
        irq_on();
    }
}

/* Their OVF is set and cleared. The twin, which is one of them, keeps its CCCR and its count. */
static void write_neighbours(unsigned n)
{
    for (unsigned m = 0; m < PMC_COUNTERS; m++) {
        if (m == n || PMC_COUNTER[m].block != PMC_COUNTER[n].block ||
            !pmc_has_register(&machine_cpu, MSR_CCCR(m)) || !pmc_has_register(&machine_cpu, MSR_COUNTER(m)))
            continue;
        if (m != window_twin(n)) {
            msr_write(MSR_CCCR(m), CCCR_OVF);
            msr_write(MSR_CCCR(m), 0);
        }
        pmc_preset(m, pmc_read(m));
    }
}

/* Returns false if the CCCR was to be rewritten and its OVF was not set. */
static bool meanwhile(const struct subject *s, unsigned flags)
{
    const unsigned n = s->p.counter;
    uint64_t value;

    if (flags & BY_RDMSR) {
        pmc_read(n);
        msr_read(MSR_CCCR(n));
    }
    if (flags & BY_RDPMC) {
        rdpmc_try(n, &value);
        rdpmc_try(n | RDPMC_FAST, &value);
    }
    if (flags & UNCOUNTED)
        work_uncounted(s);
    if (flags & WRITE_COUNTER)
        pmc_preset(n, WRITTEN);
    if (flags & NEIGHBOURS)
        write_neighbours(n);
    if (flags & LVTPC)
        lvtpc_write(lvtpc_read());
    if (flags & (REWRITE | COMPARE_ON | STOPPED | UNASKED)) {
        const uint64_t without = flags & UNASKED ? CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 : 0;
        const uint64_t cccr = (msr_read(MSR_CCCR(n)) & ~without) | (flags & COMPARE_ON ? CCCR_COMPARE : 0);

        if (!(cccr & CCCR_OVF))
            return false;
        msr_write(MSR_CCCR(n), cccr);
        if (flags & (REWRITE | STOPPED)) {
            msr_write(MSR_CCCR(n), cccr & ~(uint64_t)CCCR_ENABLE);
            if (flags & STOPPED)
                work(s, EARLY, ESCR_CPL_MASK);
            delay_us(EARLY_US);
            msr_write(MSR_CCCR(n), cccr);
        }
    }
    if (flags & SLEEP)
        sleeper_open();
    if (flags & BY_SIBLING) {
        ask_sibling(READ, MSR_COUNTER(n), 0);
        ask_sibling(RDPMC, n, 0);
        ask_sibling(READ, MSR_CCCR(n), 0);
        sibling_accesses();
    }
    return true;
}

struct seen {
    uint64_t before;      /* counts of the twin when S has overflowed, */
    uint64_t uncounted;   /* and then while its ESCR counts nothing */
    uint64_t count, twin; /* counts of S and of its twin after the overflow */
    bool ovf, flagged;    /* OVF at the end; OVF when the CCCR was rewritten */
    unsigned early[2], pmis[2];
};

/* Program S and its twin, let S overflow with count number `all`, do what the case says, and count on. */
static struct seen live(const struct subject *s, const struct due *d, unsigned to, uint64_t all)
{
    const unsigned n = s->p.counter;
    const bool forced = d->flags & FORCED;
    struct pmc_programming p = s->p, twin = s->p;
    struct seen seen;
    const uint32_t wrong_pmi = d->first & CCCR_OVF_PMI && machine_cpu.ht ? pmi_flags(~to & 3) : 0;

    pmc_stop_all();
    pmi_arm(LVT_DELIVERY_FIXED);
    if (s->sleeper)
        sleeper_open();
    msr_write(p.escr_msr, 0);
    twin.counter = (uint8_t)window_twin(n);
    pmc_preset(twin.counter, 0);
    pmc_preset(n, forced ? 0 : COUNTER_OVERFLOW_IN(all));
    twin.cccr = p.cccr |= d->cccr & (CCCR_COMPARE | CCCR_EDGE);
    msr_write(p.escr_msr, p.escr & ~ESCR_CPL_MASK);
    pmc_start(&twin);
    p.cccr |= CCCR_ENABLE;
    msr_write(MSR_CCCR(n), p.cccr | (d->first & ~CCCR_OVF_PMI) | wrong_pmi);
    work(s, EARLY, ESCR_CPL_MASK);
    msr_write(MSR_CCCR(n), p.cccr | d->cccr | pmi_flags(to));
    work(s, MUCH, d->flags & MASKED ? ESCR_EVENT_MASK_MASK : ESCR_CPL_MASK);
    seen.before = pmc_read(twin.counter);
    seen.flagged = meanwhile(s, d->flags);
    delay_us(EARLY_US);
    seen.early[0] = pmi_taken(0);
    seen.early[1] = pmi_taken(1);
    const uint64_t base = pmc_read(twin.counter);
    seen.uncounted = d->flags & UNCOUNTED ? base - seen.before : 0;
    work(s, 1, ESCR_CPL_MASK);
    pmi_wait_for_delivery();
    seen.pmis[0] = pmi_taken(0);
    seen.pmis[1] = pmi_taken(1);
    seen.twin = pmc_read(twin.counter) - base;
    seen.count = pmc_read(n) - (d->flags & WRITE_COUNTER ? WRITTEN : 0);
    seen.ovf = pmc_overflowed(n);
    pmc_stop_all();
    pmi_disarm();
    return seen;
}

/* Returns the rules that a wrong number of PMIs breaks. If something was done to the counter, the first rule
 * is that it disturbs nothing (R57), or sets nothing but the counter (R4). A PMI that is not due has come to
 * a logical processor that was not chosen (R45). */
static uint32_t rules_of_pmi(const struct due *d, bool due)
{
    if (d->flags & FORCED)
        return RULES(R48, R45);
    if (!due)
        return RULES(R45, R46);
    if (d->flags & READS)
        return RULES(R57, R46, R45);
    return d->flags & WRITE_COUNTER ? RULES(R4, R46, R45) : RULES(R46, R45);
}

/* Returns the rules that an early PMI breaks. FORCE_OVF that was cleared while the counter ran may raise one,
 * too. */
static uint32_t rules_of_early(const struct due *d)
{
    if (d->flags & READS)
        return d->first & CCCR_FORCE_OVF ? RULES(R57, R47, R46, R31) : RULES(R57, R47, R46);
    return d->first & CCCR_FORCE_OVF ? RULES(R47, R46, R31) : RULES(R47, R46);
}

static void judge(const struct subject *s, const struct due *d, unsigned to, uint64_t all)
{
    const unsigned n = s->p.counter, self = smp_self();
    unsigned tries = 0;
    struct seen seen;

    do
        seen = live(s, d, to, all);
    while ((seen.before != all || seen.uncounted || seen.twin == 0 || !seen.flagged || !seen.ovf) &&
           ++tries < TRIES);
    if (seen.before != all || seen.twin == 0)
        return;
    expect_equal(d->flags & MASKED ? R7 : RULES(R12, R11), 0, seen.uncounted,
                 "counts of the twin of counter %u, %s", n, d->name);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned lp = self ^ i, due = pmi_due(lp, !(d->flags & UNASKED) && to >> i & 1, seen.pmis[lp]);

        if (!(d->flags & FORCED))
            expect_equal(rules_of_early(d), 0, seen.early[lp],
                         "PMIs on LP%u before the count after the overflow, counter %u, %s", lp, n, d->name);
        expect_equal(rules_of_pmi(d, due), due, seen.pmis[lp],
                     "PMIs on LP%u with the count after the overflow, counter %u, %s", lp, n, d->name);
    }
    expect_true(R29, seen.ovf, "OVF of counter %u, %s", n, d->name);
    if (!(d->flags & (COMPARE_ON | FORCED)))
        expect_equal(d->flags & WRITE_COUNTER    ? RULES(R4, R27)
                     : d->first & CCCR_FORCE_OVF ? RULES(R27, R31)
                                                 : R27,
                     seen.twin, seen.count, "counts of counter %u after its overflow, as of its twin, %s", n,
                     d->name);
}

/* What an empty mask counts was never measured on silicon; value.no-event reports it. */
static bool empty_mask_counts(const struct subject *s)
{
    struct pmc_programming p = s->p;

    p.escr &= ~ESCR_EVENT_MASK_MASK;
    pmc_stop_all();
    msr_write(p.escr_msr, 0);
    pmc_arm(&p, 0);
    pmc_start(&p);
    work_uncounted(s);
    msr_write(p.escr_msr, 0);
    return pmc_read(p.counter) != 0;
}

static void with_counter(unsigned n, bool sleeper, bool with_sibling)
{
    static const struct feature plain = {.name = "", .os = true, .usr = true};
    struct subject s = {.f = &plain, .sleeper = sleeper};
    static const uint32_t FILTER[] = {0, CCCR_COMPARE, CCCR_COMPARE | CCCR_EDGE};
    uint64_t all[COUNT_OF(FILTER)] = {0}; /* how often the work counts before the overflow */

    subject_choose(&s, n);
    if (PMC_COUNTER[n].block == BLOCK_MS) { /* the frame has no conditional branch, but CPUIDs */
        pmc_program(&s.p, EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, s.cpl, n);
        s.work = &work_not_taken;
        frame_phase(&s.phases, 0, s.work, WORK - 1);
        frame_phase(&s.phases, 1, s.work, 1);
    }
    for (unsigned i = 0; i < (sleeper == with_sibling ? COUNT_OF(FILTER) : 1); i++) {
        const struct due once = {"", 0, 0, FILTER[i]};

        all[i] = live(&s, &once, 0, 0).before;
        /* No rule says that partial loads are replayed often (class V of pmu-rules 8.3). */
        if (all[i] < ENOUGH && PMC_COUNTER[n].block == BLOCK_BPU)
            return;
        if (FILTER[i] & CCCR_EDGE) /* no rule says how often the value falls between two occurrences */
            continue;
        require_between(R27, ENOUGH, MUCH * ONE_CLOCK, all[i], "counts of counter %u, of %u occurrences", n,
                        EARLY + MUCH);
    }
    const bool still = !empty_mask_counts(&s);
    for (unsigned i = 0; i < COUNT_OF(DUE); i++) {
        const struct due *d = &DUE[i];
        const unsigned to = !sleeper ? 1 : d->flags & TO_BOTH ? 3 : d->flags & TO_SIBLING ? 2 : 1;

        if ((d->flags & MASKED && !still) || (d->cccr & CCCR_EDGE && all[2] < ENOUGH))
            continue;
        if (d->flags & (BY_SIBLING | SLEEP) ? with_sibling && sleeper == !!(d->flags & SLEEP)
                                            : sleeper == with_sibling)
            judge(&s, d, to, all[d->cccr & CCCR_EDGE ? 2 : d->cccr & CCCR_COMPARE ? 1 : 0]);
    }
}

static void each_counter(bool sleeper, bool with_sibling)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(1) || PMC_COUNTER[n].block != BLOCK_BPU)
            with_counter(n, sleeper, with_sibling);
}

static void due(void)
{
    const bool with_sibling = machine_meets() & NEED_SIBLING;

    pmc_clear(&machine_cpu);
    each_counter(false, with_sibling);
    if (with_sibling) {
        sleeper_begin();
        each_counter(true, true);
        sleeper_end();
    }
}

static const struct vector pmi_due_rows[] = {
    CHECK("pmi.due", "the PMI comes with the next count, whatever is done to its counter until then",
          .also = "R21 R32 E5", .needs = NEED_LAPIC | NEED_SSE2, .deadline_ms = 10000, .run = due),
};
VECTOR_GROUP(pmi_due);
