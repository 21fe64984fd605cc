/*
 * The PMI of a counter with each of its other features (18.15.5.8, 18.16.2; R45 to R47, R49, R55).
 *
 * Which filter, which privilege levels, which CPL, which ACTIVE_THREAD and which neighbours a counter has
 * makes no difference to its PMI. So each feature is a course (tests/suite/course.h) of counter a. It
 * overflows early in the work, and interrupts. When it has been acknowledged it overflows with the last event
 * of the work, without a PMI, which comes with the next event. While OVF stands it interrupts again when
 * LVTPC is unmasked; when OVF has been cleared it does not.
 */
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/course.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/measure.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"

#define BLOCKS 4

/* Who else is an actor: nobody; b on the ESCR of a, with its CCCR and preset; b, which starts a; b, which
 * waits for a to start it; all others of the block, whose OVF is set. */
enum beside { NOBODY, TWIN, STARTER, WAITING, OTHERS };

static const struct feature {
    const char *name;
    uint32_t cccr; /* bits beside ENABLE */
    enum beside beside;
    const char *before, *events; /* steps before it all, and what gives the events */
} FEATURES[] = {
    {"no other feature", 0, NOBODY, "", "ea"},
    {"COMPARE", CCCR_COMPARE, NOBODY, "", "ea"},
    {"COMPARE and EDGE", CCCR_COMPARE | CCCR_EDGE, NOBODY, "", "ea"},
    {"COMPARE, THRESHOLD 1", CCCR_COMPARE | CCCR_THRESHOLD(1), NOBODY, "", "ea"},
    {"COMPARE, COMPLEMENT", CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), NOBODY, "", "ea"},
    {"fields without COMPARE", CCCR_COMPLEMENT | CCCR_THRESHOLD(15) | CCCR_EDGE, NOBODY, "", "ea"},
    {"OS alone", 0, NOBODY, "", "eaO"},
    {"USR alone at CPL 3", 0, NOBODY, "", "ea3U"},
    {"all flags at CPL 3", 0, NOBODY, "", "ea3A"},
    {"the sibling's events", 0, NOBODY, "", "'ea"},
    {"its USR alone at CPL 3", 0, NOBODY, "", "'ea3U"},
    {"the sibling at work", 0, NOBODY, "sR-", "ea"},
    {"ACTIVE_THREAD 01B", CCCR_ACTIVE_THREAD(ACTIVE_SINGLE), NOBODY, "", "ea"},
    {"ACTIVE_THREAD 10B", CCCR_ACTIVE_THREAD(ACTIVE_BOTH), NOBODY, "sR-", "ea"},
    {"CASCADE beside ENABLE", CCCR_CASCADE, NOBODY, "", "ea"},
    {"bit 11 beside ENABLE", CCCR_CASCNT, NOBODY, "", "ea"},
    {"a start by CASCADE", CCCR_CASCADE, STARTER, "eb-", "ea"},
    {"a twin on its ESCR", 0, TWIN, "", "ea"},
    {"a counter that waits for it", 0, WAITING, "", "ea"},
    {"OVF of all others", 0, OTHERS, "", "ea"},
    {"FORCE_OVF", CCCR_FORCE_OVF, NOBODY, "", "ea"},
};

struct text {
    char chars[COURSE_TEXT];
    size_t length;
};

static void add_actor(struct text *text, unsigned counter, unsigned kind, uint32_t cccr)
{
    text->length += format(text->chars + text->length, sizeof text->chars - text->length, "%s%u:%u:%x",
                           text->length ? "," : "", counter, kind, cccr);
}

/* The actors; false if this counter cannot have the feature. */
static bool cast(struct text *text, const struct feature *f, unsigned n, unsigned kind, uint32_t pmi)
{
    const struct pmc_counter *c = &PMC_COUNTER[n];
    const uint32_t gate = f->cccr & CCCR_ACTIVE_MASK ? 0 : CCCR_ACTIVE_MASK;
    const uint32_t plain = CCCR_ENABLE | CCCR_ACTIVE_MASK, cccr = f->cccr | gate | pmi;

    if ((f->cccr & CCCR_CASCNT && c->extended_from == PMC_NONE) || (f->beside == STARTER && n > 15))
        return false;
    add_actor(text, n, kind, f->beside == STARTER ? cccr : cccr | CCCR_ENABLE);
    if (f->beside == TWIN)
        add_actor(text, twin_of(n), kind, cccr | CCCR_ENABLE);
    if (f->beside == STARTER)
        add_actor(text, (unsigned)c->cascade_from, kind, plain);
    for (unsigned other = 0; other < PMC_COUNTERS; other++) {
        const struct pmc_counter *o = &PMC_COUNTER[other];

        if (f->beside == OTHERS && other != n && o->block == c->block)
            add_actor(text, other, kind, plain);
        if (f->beside == WAITING && o->cascade_from == (int)n && o->cascade_from_alternative == PMC_NONE)
            add_actor(text, other, kind, CCCR_CASCADE | CCCR_ACTIVE_MASK);
    }
    return true;
}

static void with_feature(const struct feature *f, unsigned n, unsigned kind, uint32_t pmi)
{
    const char *before = f->before, *clear_b = f->beside == TWIN ? "wb=80000000-" : "",
               *preset_b = f->beside == TWIN ? "vbZ-" : "";
    struct text text = {.length = 0};
    struct course course;

    if (!cast(&text, f, n, kind, pmi))
        return;
    if (f->beside == OTHERS)
        before = PMC_COUNTER[n].block == BLOCK_IQ ? "eb-ec-ed-ee-ef-wa=80000000-vaN-"
                                                  : "eb-ec-ed-wa=80000000-vaN-";
    format(text.chars + text.length, sizeof text.chars - text.length,
           "/%slF-'lF-%s-wa=80000000-%slF-'lF-vaZ-%s%s-%s=1-lF-'lF-wa=80000000-%slF-'lF", before, f->events,
           clear_b, preset_b, f->events, f->events, clear_b);
    const char *why = course_parse(&course, text.chars);
    require_true(HARNESS, why == NULL, "%s: %s", text.chars, why);
    if (course_adapt(&course))
        course_expect(&course, f->name);
}

/* ---- What a course does not have ---- */

#define EVENTS   200
#define FAR_AWAY (1ull << 30)

static void nobody(const struct pmc_programming *p, uint64_t preset)
{
    (void)p;
    (void)preset;
}

/* OVF of all other counters is set, in other blocks too. */
static void others_overflowed(const struct pmc_programming *p, uint64_t preset)
{
    (void)preset;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (n != p->counter)
            msr_write(MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_OVF);
}

/* A twin overflows with the count that raises the PMI. */
static void twin_overflows(const struct pmc_programming *p, uint64_t preset)
{
    pmc_preset(twin_of(p->counter), preset - 1);
    msr_write(MSR_CCCR(twin_of(p->counter)), p->cccr | CCCR_ENABLE);
}

/* CPUID serialises, so that branches beside it make edges; those of a course come in clock after clock. */
static const struct surrounded {
    const char *name;
    enum stimulus_id id;
    const struct workload *work;
    uint32_t cccr;
    void (*surround)(const struct pmc_programming *p, uint64_t preset);
} SURROUNDED[] = {
    {"COMPARE and EDGE", STIMULUS_TAKEN, &work_cpuid_leaf_0, CCCR_COMPARE | CCCR_EDGE, nobody},
    {"OVF of all others", STIMULUS_NOT_TAKEN, &work_not_taken, 0, others_overflowed},
    {"a twin that overflows", STIMULUS_TAKEN, &work_jmp, 0, twin_overflows},
};

/* Count the events from a preset. Returns the value of the counter; the count is over. */
static uint64_t count_from(const struct surrounded *s, const struct pmc_programming *p, uint64_t preset)
{
    pmc_stop_all();
    pmc_arm(p, preset);
    msr_write(p->escr_msr, 0);
    s->surround(p, preset);
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_start(p);
    msr_write(p->escr_msr, p->escr);
    work_exercise(s->work, EVENTS);
    msr_write(p->escr_msr, 0);
    pmi_wait_for_delivery();
    return pmc_read(p->counter);
}

/* How many events there are may differ from run to run, so the value that is left says what was due. */
static void with_surroundings(const struct surrounded *s, unsigned n)
{
    const unsigned lp = smp_self();
    struct pmc_programming p = stimulus_program(s->id, n);

    p.cccr |= s->cccr | ovf_pmi_to(lp);
    const uint64_t all = count_from(s, &p, 0);
    require_true(RULES(R23, R27), all >= EVENTS / 2, "counter %u, %s, counts %u events: %llu", n, s->name,
                 EVENTS, all);
    for (unsigned early = 0; early < 2; early++) {
        const uint64_t left = count_from(s, &p, COUNTER_OVERFLOW_IN(all - early));
        const bool due = left > 0 && left < FAR_AWAY;

        if (due && !(s->cccr & CCCR_COMPARE) && left <= ONE_CLOCK) /* all may have come in one clock */
            continue;
        expect_equal(due ? RULES(R46, R45) : RULES(R47, R46), pmi_due(lp, due, pmi_taken(lp)), pmi_taken(lp),
                     "PMIs of counter %u, %s, with the value %10llH", n, s->name, left);
    }
    const uint64_t preset = COUNTER_OVERFLOW_IN(all / 2);
    const uint64_t count = (count_from(s, &p, preset) - preset) & COUNTER_MASK;
    const unsigned stands = pmc_overflowed(n);

    expect_true(R43, count >= all - all / 8, "counter %u, %s, counts on after its PMI: %llu", n, s->name,
                count);
    for (unsigned unmasked = 0; unmasked <= 2; unmasked++) {
        const unsigned due = unmasked ? 1 + stands : 1, taken = pmi_taken(lp);

        expect_equal(unmasked ? R49 : RULES(R45, R46), pmi_due(lp, true, taken) ? due : 0, taken,
                     "PMIs of counter %u, %s, LVTPC unmasked %u times after its PMI", n, s->name, unmasked);
        if (unmasked == 1) {
            pmc_acknowledge(n, 0);
            pmc_acknowledge(twin_of(n), 0);
        }
        pmi_unmask();
        pmi_wait_for_delivery();
    }
    expect_equal(R45, 0, pmi_taken(lp ^ 1), "PMIs of counter %u, %s, on the other logical processor", n,
                 s->name);
    pmc_stop_all();
    pmi_disarm();
}

/* Test each feature on one counter of each block, the next feature on another counter; once with a PMI to
 * both logical processors, and once to one of them. */
static void features(void)
{
    static const uint8_t KIND[BLOCKS] = {[BLOCK_BPU] = 1, [BLOCK_MS] = 0, [BLOCK_FLAME] = 0, [BLOCK_IQ] = 1};
    const bool both = machine_meets() & NEED_SIBLING, dead = counter_is_dead(1);

    for (unsigned i = 0; i < COUNT_OF(FEATURES); i++)
        for (unsigned block = 0; block < BLOCKS; block++) {
            const unsigned n = block * 4 + i % (block == BLOCK_IQ ? 6 : 4);

            if (block == BLOCK_BPU && dead)
                continue;
            with_feature(&FEATURES[i], n, KIND[block], ovf_pmi_to(smp_self() ^ (both && (i + block) % 2)));
            if (both)
                with_feature(&FEATURES[i], n, KIND[block], CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
        }
    for (unsigned i = 0; i < COUNT_OF(SURROUNDED); i++) {
        with_surroundings(&SURROUNDED[i], 12);
        with_surroundings(&SURROUNDED[i], 15);
    }
}

static const struct vector pmi_features_rows[] = {
    CHECK("pmi.features", "the PMI is the same whatever other feature its counter uses", .also = "E3 E5 E7",
          .needs = NEED_LAPIC | NEED_SSE2, .deadline_ms = 10000, .run = features),
};
VECTOR_GROUP(pmi_features);
