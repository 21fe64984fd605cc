/*
 * The PMI of a counter with each of its other features (18.15.5.8, 18.16.2; R45 to R47, R49, R55).
 *
 * Which filter, which privilege levels, which CPL, which ACTIVE_THREAD and which neighbours a counter has
 * makes no difference to its PMI: it comes with the count after the overflow, to the logical processors whose
 * OVF_PMI flags are set, and again when LVTPC is unmasked with OVF set; the counter counts on. For each
 * feature the work is counted first, from a preset that is far from the overflow, and no PMI may come. Then
 * the counter is preset to overflow early in the work, with its last count, and one count before that. How
 * often the work counts may differ a little from run to run, so each run is judged by the value that it left
 * in the counter: 0 is an overflow without a count after it, so no PMI is due; after more counts than one
 * clock can add a PMI is due. A counter in cascade mode may raise no PMI (E3, question 11.8). A run
 * whose PMI comes without OVF (E9) is repeated, and OVF must not be missing each time.
 */
#include "pmi_subject.h"

#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/companion.h"

#define ENOUGH   40 /* counts: a PMI may come early for a preset down to -8 (E20) */
#define FAR_AWAY (1ull << 30)
#define BLOCKS   4

static const struct feature FEATURES[] = {
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

static void expect_taken(uint32_t rules, const struct subject *s, unsigned lp, unsigned due, const char *when)
{
    const unsigned at = smp_self() ^ lp, taken = pmi_taken(at);

    if (due && taken == 0 && s->f->flags & IN_CASCADE && machine_has_erratum(PMC_E3)) {
        report_erratum(PMC_E3);
        return;
    }
    expect_equal(due && s->f->flags & IN_CASCADE ? RULES(R55, R45, R46) : rules, pmi_due(at, due, taken),
                 taken, "PMIs on LP%u %s, counter %u, %s", at, when, s->p.counter, s->f->name);
}

/* The count tells whether the PMI was due. */
static void expect_by_count(const struct subject *s, uint64_t preset, unsigned to)
{
    const uint64_t left = subject_count(s, preset, to);
    const bool wrapped = left < FAR_AWAY;
    const bool one_a_clock = s->f->cccr & CCCR_COMPARE || s->event == EVENT_BRANCH_RETIRED;

    if (!wrapped || left == 0)
        expect_taken(wrapped ? RULES(R47, R46) : R46, s, 0, 0,
                     wrapped ? "with the overflow, without a further count" : "before the overflow");
    else if (one_a_clock || left > ONE_CLOCK)
        expect_taken(RULES(R46, R45), s, 0, 1, "with the count after the overflow");
}

static void expect_again(const struct subject *s)
{
    if (pmi_taken(smp_self()) != 1)
        return; /* an expectation has failed already */
    const bool stands = pmc_overflowed(s->p.counter);

    expect_true(RULES(R29, R28), stands, "OVF of counter %u after its PMI, %s", s->p.counter, s->f->name);
    if (!(s->f->cccr & CCCR_FORCE_OVF)) /* FORCE_OVF would make the handler's own work interrupt */
        msr_write(s->p.escr_msr, s->p.escr);
    pmi_unmask();
    pmi_wait_for_delivery();
    expect_equal(R49, 1u + stands, pmi_taken(smp_self()),
                 "PMIs with LVTPC unmasked again, OVF standing, counter %u, %s", s->p.counter, s->f->name);
    pmc_acknowledge(s->p.counter, 0);
    pmi_unmask();
    pmi_wait_for_delivery();
    expect_equal(RULES(R49, R52), 1u + stands, pmi_taken(smp_self()),
                 "PMIs with LVTPC unmasked, OVF cleared, counter %u, %s", s->p.counter, s->f->name);
}

/* From now on the sibling takes PMIs. */
static void open_sibling(const struct subject *s)
{
    pmc_stop_all();
    if (s->sleeper)
        companion_take_pmis();
}

/* Direct PMIs to each logical processor and to none, and judge what the last one leaves behind. The work
 * makes `all` counts. */
static void expect_directed(const struct subject *s, uint64_t all)
{
    const bool forced = s->f->cccr & CCCR_FORCE_OVF, to_sibling = s->sleeper && !(s->f->flags & HERE);
    const uint64_t early = COUNTER_OVERFLOW_IN((uint32_t)all / 3),
                   preset = forced ? COUNTER_OVERFLOW_IN(FAR_AWAY) : early;
    const bool both = machine_cpu.ht && !(s->f->flags & HERE) && s->p.counter % 2;

    open_sibling(s);
    if (to_sibling) {
        subject_count(s, early, 2);
        expect_taken(R45, s, 0, 0, "to which none was directed");
        expect_taken(R45, s, 1, 1, "after the overflow");
    }
    unsigned tries = 0;
    uint64_t counted;

    open_sibling(s);
    subject_count(s, early, 0);
    expect_taken(R45, s, 0, 0, "without OVF_PMI");
    expect_taken(R45, s, 1, 0, "without OVF_PMI");
    do {
        if (tries > 0)
            open_sibling(s);
        counted = (subject_count(s, preset, both ? 3 : 1) - preset) & COUNTER_MASK;
    } while (!pmc_overflowed(s->p.counter) && ++tries < TRIES);
    expect_taken(R45, s, 0, 1, "after the overflow");
    expect_taken(R45, s, 1, both && s->sleeper,
                 both ? "when directed to both" : "to which none was directed");
    expect_between(R43, all / 2, FAR_AWAY, counted, "counter %u, %s, counts on after its PMI", s->p.counter,
                   s->f->name);
    expect_again(s);
}

static void judge(const struct subject *s)
{
    const bool forced = s->f->cccr & CCCR_FORCE_OVF;

    subject_count(s, 0, 0); /* the caches are warm in what follows */
    const uint64_t all = subject_count(s, 0, !forced);

    expect_taken(R46, s, 0, 0, "far from the overflow");
    /* No rule says that partial loads are replayed often (class V of pmu-rules 8.3). */
    if (all < ENOUGH && (s->f->flags & SPARSE || PMC_COUNTER[s->p.counter].block == BLOCK_BPU))
        return;
    require_true(RULES(R27, R7), all >= ENOUGH, "counter %u counts %u occurrences with %s: %llu",
                 s->p.counter, WORK, s->f->name, all);
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
    subject_choose(&s, n);
    if (s.sleeper)
        companion_begin();
    else if (f->flags & BUSY)
        companion_spin();
    judge(&s);
    if (s.sleeper)
        companion_end();
    else if (f->flags & BUSY)
        companion_end();
    pmi_disarm();
}

/* Can this counter of this machine have the feature? */
static bool suits(const struct feature *f, unsigned n, bool with_sibling)
{
    const struct pmc_counter *c = &PMC_COUNTER[n];

    return (!(f->flags & SMT) || with_sibling) && (!(f->flags & UOPS) || c->block == BLOCK_IQ) &&
           (!(f->flags & BIT_11) || (machine_cpu.extended_cascade && c->extended_from != PMC_NONE)) &&
           (!(f->flags & (STARTED | AWAITED)) || n < 16);
}

/* Test each feature on one counter of each block, and the next feature on another counter. */
static void features(void)
{
    const bool with_sibling = machine_meets() & NEED_SIBLING;

    for (unsigned i = 0; i < COUNT_OF(FEATURES); i++) {
        for (unsigned block = 0; block < BLOCKS; block++) {
            const unsigned counters = block == BLOCK_IQ ? 6 : 4;
            unsigned n = block * 4 + i % counters;
            if (block == BLOCK_BPU && n % 2)
                n--; /* counter 1, which is also the partner of 3, may be dead (E4) */
            while (FEATURES[i].flags & (BIT_11 | STARTED | AWAITED) && block == BLOCK_IQ &&
                   !suits(&FEATURES[i], n, true) && n > block * 4)
                n--;
            if (suits(&FEATURES[i], n, with_sibling))
                with_feature(&FEATURES[i], n, with_sibling);
        }
    }
}

static const struct vector pmi_features_rows[] = {
    CHECK("pmi.features", "the PMI is the same whatever other feature its counter uses", .also = "E3 E5",
          .needs = NEED_LAPIC | NEED_SSE2, .deadline_ms = 10000, .run = features),
};
VECTOR_GROUP(pmi_features);
