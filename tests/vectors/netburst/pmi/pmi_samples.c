/*
 * PMIs again and again (18.15.5.8; R29, R45, R46, R49, R51, R52).
 *
 * Sampling: ENABLE stays set, and up to 32 times in a row the counter overflows and interrupts. The handler
 * clears OVF, reloads the counter every other time, unmasks LVTPC and sends EOI. Before each overflow the
 * counter is preset while its ESCR has no event (E1); the events after it do not reach the next overflow. So
 * there are exactly as many PMIs: one less was lost, one more was a request that outlived its OVF. In each
 * the count has wrapped already. Four counters, one of each block, then take turns, all enabled: the PMI is
 * always that of the one that overflowed.
 */
#include "kernel/board/board.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/unflagged.h"

#define SAMPLES       32                /* PMIs of one counter of each block at least */
#define FEW_SAMPLES   5                 /* PMIs of each other counter */
#define SAMPLE_EVENTS (PMI_PRESET + 40) /* occurrences that overflow the counter and raise its PMI */
#define TOO_MANY      (2 * SAMPLES)     /* PMIs at which the handler stops everything */
#define TOGETHER      4                 /* counters that are sampled in turn */
#define FAR_AWAY      (1ull << 32)      /* a count that no sample brings to an overflow */
#define NEAR_ZERO \
    (1ull << 31) /* no sample counts so far beyond the wrap, not even clocks in an SMI of 2 ms */

static struct {
    struct pmc_programming p[TOGETHER];
    enum stimulus_id id[TOGETHER];
    unsigned counters, samples;
    unsigned due; /* index of the counter that is to overflow */
    volatile unsigned pmis;
    unsigned foreign;   /* PMIs at which the counter that is due had not wrapped */
    unsigned unflagged; /* PMIs without OVF (E9), which come now and then */
} sampled;

static void sample(struct trap_frame *frame, unsigned lp, bool nmi)
{
    const unsigned n = sampled.p[sampled.due].counter;

    (void)frame;
    (void)lp;
    sampled.pmis++;
    sampled.unflagged += !pmc_overflowed(n);
    sampled.foreign += pmc_read(n) >= NEAR_ZERO;
    if (sampled.pmis >= TOO_MANY)
        pmc_stop_all();
    else if (sampled.pmis % 2 == 0)
        pmc_acknowledge(n, FAR_AWAY);
    else
        pmc_halt_by_overflow_flag(n);
    if (sampled.pmis <= TOO_MANY)
        pmi_unmask();
    if (!nmi)
        lapic_eoi();
}

/* The next overflow of counter sampled.due, and the PMI that it raises. */
static void next_sample(void)
{
    const struct pmc_programming *p = &sampled.p[sampled.due];
    struct pmi_patience patience = pmi_patience();
    unsigned before = sampled.pmis;

    msr_write(p->escr_msr, 0);
    pmc_preset(p->counter, COUNTER_OVERFLOW_IN(PMI_PRESET));
    msr_write(p->escr_msr, p->escr);
    work_exercise(STIMULUS[sampled.id[sampled.due]].work, SAMPLE_EVENTS);
    while (sampled.pmis == before && !pmi_patience_over(&patience))
        continue;
}

static void sample_all(void)
{
    pmc_clear(&machine_cpu);
    sampled.pmis = sampled.foreign = sampled.unflagged = 0;
    pmi_set_handler(sample);
    pmi_unmask();
    for (unsigned i = 0; i < sampled.counters; i++) {
        struct pmc_programming *p = &sampled.p[i];
        *p = stimulus_prepared(sampled.id[i], p->counter);
        p->cccr |= ovf_pmi_to(smp_self());
        pmc_arm(p, FAR_AWAY);
        pmc_start(p);
    }
    for (unsigned i = 0; i < sampled.samples; i++) {
        sampled.due = i % sampled.counters;
        next_sample();
    }
    pmi_wait_for_delivery();
    for (unsigned i = 0; i < sampled.counters; i++)
        msr_write(sampled.p[i].escr_msr, 0);
    pmi_disarm();
    expect_between(R29, 0, sampled.samples / UNFLAGGED_SELDOM, sampled.unflagged,
                   "PMIs without OVF in %u samples, counter %C first", sampled.samples, sampled.p[0].counter);
}

static void add_sampled(unsigned counter)
{
    sampled.id[sampled.counters] = stimulus_a(counter);
    sampled.p[sampled.counters++].counter = counter;
}

static void expect_samples(unsigned counter, unsigned samples)
{
    sampled.counters = 0;
    sampled.samples = samples;
    add_sampled(counter);
    sample_all();
    expect_equal(RULES(R46, R45, R52), samples, sampled.pmis, "PMIs of counter %C in %u samples", counter,
                 samples);
    expect_equal(RULES(R49, R46), 0, sampled.foreign, "PMIs that found counter %C not wrapped", counter);
    const uint64_t judged = pmc_judged_bits(&machine_cpu, MSR_CCCR(counter)) & ~(uint64_t)CCCR_OVF;
    expect_register(RULES(R32, R29), pmc_cccr_enabled(&sampled.p[0]) & judged,
                    msr_read(MSR_CCCR(counter)) & judged, "%s after the samples",
                    PMC_COUNTER[counter].cccr_name);
}

static void every_counter_alone(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(n))
            expect_samples(n, n % 4 == 0 ? SAMPLES : FEW_SAMPLES);
}

static void blocks_in_turn(void)
{
    static const uint8_t ONE_OF_EACH[TOGETHER] = {2, 5, 10, 16};

    sampled.counters = 0;
    sampled.samples = SAMPLES;
    for (unsigned i = 0; i < TOGETHER; i++)
        add_sampled(ONE_OF_EACH[i]);
    sample_all();
    expect_equal(RULES(R46, R45, R52), SAMPLES, sampled.pmis,
                 "PMIs of counters 2, 5, 10 and 16 in %u samples", SAMPLES);
    expect_equal(RULES(R49, R46), 0, sampled.foreign, "PMIs while another counter than theirs had wrapped");
}

static const struct vector pmi_samples_rows[] = {
    CHECK("pmi.samples.each", "up to 32 overflows with ENABLE set all the time: as many PMIs",
          .needs = NEED_LAPIC, .deadline_ms = 5000, .stages = STAGE_PMI, .run = every_counter_alone),
    CHECK("pmi.samples.blocks", "counters of four blocks in turn: each PMI is that of its own overflow",
          .needs = NEED_LAPIC, .stages = STAGE_PMI | STAGE_COUNTERS, .run = blocks_in_turn),
};
VECTOR_GROUP(pmi_samples);
