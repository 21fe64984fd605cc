/*
 * RDPMC at CPL 1 to 3, of all 40 bits and fast (volume 2, RDPMC; 18.15.5.4; R57, R60).
 *
 * With CR4.PCE both forms must give what RDMSR gives, of every counter, whether it is enabled or not, and
 * leave every counter and CCCR as it was. Each counter has overflowed, so that OVF is there to be lost.
 * Without CR4.PCE both forms must fault, and change nothing either. While the counters move, what is read
 * must lie between readings before and after.
 *
 * CR4 is each logical processor's own: with CR4.PCE on one of them alone, RDPMC works at CPL 3 there and
 * faults on the other one.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

#define GENERAL_PROTECTION 13
#define FORMS              2

static const char *const form_name[FORMS] = {"RDPMC", "fast RDPMC"};

/* What RDPMC gave, by counter and form. */
struct reading {
    unsigned level, beyond; /* beyond: the exception of an index behind the last counter */
    struct {
        unsigned fault;
        uint64_t value;
    } of[PMC_COUNTERS][FORMS];
};

static void read_by_rdpmc(void *arg)
{
    struct reading *r = arg;

    uint64_t none;

    r->level = cpl();
    r->beyond = rdpmc_try(PMC_COUNTERS, &none);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned form = 0; form < FORMS; form++)
            r->of[n][form].fault = rdpmc_try(form ? n | RDPMC_FAST : n, &r->of[n][form].value);
}

static void read_at(unsigned level, bool pce, struct reading *r)
{
    uint32_t cr4 = cr4_read();

    cr4_write(pce ? cr4 | CR4_PCE : cr4 & ~CR4_PCE);
    ring_run(level, read_by_rdpmc, r);
    cr4_write(cr4);
    require_equal(HARNESS, level, r->level, "privilege level of the accesses");
}

static struct measurement all;

#define FIRST_PRESET 60  /* each next counter has 2 more */
#define ENOUGH       114 /* occurrences that overflow every counter */

#define READINGS 8 /* while the counters run */

static bool dead_1; /* counter 1 shows erratum E4 */

/* All 18 counters, each with the event A of its block (stimulus.h), near its overflow. None is enabled. */
static void arm_all(void)
{
    dead_1 = counter_is_dead(1);
    pmc_clear(&machine_cpu);
    all = (struct measurement){.counters = 0};
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_programming p = stimulus_program(stimulus_a(n), n);
        measure_add(&all, &p, COUNTER_OVERFLOW_IN(FIRST_PRESET + 2 * n));
    }
    measure_arm(&all, 0);
}

struct state {
    uint64_t counter[PMC_COUNTERS], cccr[PMC_COUNTERS];
};

static void read_state(struct state *s)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        s->counter[n] = pmc_read(n);
        s->cccr[n] = msr_read(MSR_CCCR(n));
    }
}

static void expect_state(const struct state *before, unsigned level, const char *what)
{
    struct state now;

    read_state(&now);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        expect_register(R57, before->counter[n], now.counter[n], "%R after %s at CPL %u",
                        PMC_COUNTER[n].counter_name, what, level);
        expect_register(RULES(R57, R29), before->cccr[n], now.cccr[n], "%R after %s at CPL %u",
                        PMC_COUNTER[n].cccr_name, what, level);
    }
}

/* What the accesses of a logical processor gave, with or without CR4.PCE. */
static void expect_reading(const struct state *s, const struct reading *r, unsigned lp, bool pce)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned form = 0; form < FORMS; form++) {
            const uint64_t expected = form ? FIELD_GET(31, 0, s->counter[n]) : s->counter[n];

            if (expect_fault(R60, pce ? NO_FAULT : GENERAL_PROTECTION, r->of[n][form].fault,
                             "exception of %s(%C) at CPL %u of LP%u with CR4.PCE = %u", form_name[form], n,
                             r->level, lp, pce) &&
                pce)
                expect_register(R60, expected, r->of[n][form].value, "%s(%C) at CPL %u of LP%u",
                                form_name[form], n, r->level, lp);
        }
    if (machine_cpu.signature == SIGNATURE_F43) /* Xeons MP have counters of their third-level cache there */
        expect_fault(R60, GENERAL_PROTECTION, r->beyond, "exception of RDPMC(%u) at CPL %u of LP%u",
                     PMC_COUNTERS, r->level, lp);
    expect_state(s, r->level, pce ? "RDPMC" : "a refused RDPMC");
}

static void at_every_level(void)
{
    struct state s;

    read_state(&s);
    for (unsigned level = 1; level <= 3; level++) {
        for (unsigned refused = 0; refused <= 1; refused++) {
            struct reading r;

            read_at(level, !refused, &r);
            expect_reading(&s, &r, smp_self(), !refused);
        }
    }
}

/* The fast form gives the low 32 bits, so it is compared modulo 2^32. */
static void moving(void)
{
    struct state before;
    struct reading r;

    read_state(&before);
    read_at(3, true, &r);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t most = pmc_read(n) - before.counter[n] + ACCESSES_ADD;

        for (unsigned form = 0; form < FORMS; form++) {
            uint64_t mask = form ? FIELD_MASK(31, 0) : COUNTER_MASK;
            expect_between(RULES(R60, R57), 0, most & mask, (r.of[n][form].value - before.counter[n]) & mask,
                           "what %s(%C) at CPL 3 is ahead of a reading before; most: of a reading after",
                           form_name[form], n);
        }
    }
}

static void expect_still_enabled(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t judged = pmc_judged_bits(&machine_cpu, MSR_CCCR(n));

        if (n != 1 || !dead_1)
            expect_register(RULES(R57, R29), (all.of[n].p.cccr | CCCR_ENABLE | CCCR_OVF) & judged,
                            msr_read(MSR_CCCR(n)) & judged, "%R after RDPMC while it counted and overflowed",
                            PMC_COUNTER[n].cccr_name);
    }
}

/* Cause enough occurrences for each block, and read while the counters have their events. */
static void count_all(void)
{
    struct frame frame;

    stimulus_prepare(STIMULUS_PACKED_SP);
    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, &work_call, ENOUGH);
    frame_phase(&frame, 1, &work_packed_sp, ENOUGH);
    frame_phase(&frame, 2, &work_jmp, ENOUGH);
    measure_open(&all);
    for (unsigned i = 0; i < READINGS; i++) {
        frame_exercise(&frame);
        moving();
    }
    for (unsigned i = 0; i < all.escrs; i++)
        msr_write(all.escr[i].msr, 0);
    stimulus_finish(STIMULUS_PACKED_SP);
}

static void rdpmc_at_user_level(void)
{
    arm_all();
    at_every_level();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        pmc_start(&all.of[n].p);
    count_all();
    expect_still_enabled();
    at_every_level();
}

/* ---- CR4.PCE of one logical processor alone ---- */

static void set_pce(bool pce)
{
    cr4_write(pce ? cr4_read() | CR4_PCE : cr4_read() & ~CR4_PCE);
}

static struct {
    struct reading r;
    bool pce;
} other;

static void read_as_other(void *unused)
{
    (void)unused;
    set_pce(other.pce);
    ring_run(3, read_by_rdpmc, &other.r);
}

static void ask_other(bool pce)
{
    other.pce = pce;
    companion_do(read_as_other, NULL, !pce); /* meanwhile this one is halted, or waits at CPL 3 */
    irq_on();
}

static void pce_of_one(void)
{
    const bool before = cr4_read() & CR4_PCE;
    struct state s;

    arm_all();
    read_state(&s);
    for (unsigned turn = 0; turn < 3; turn++) {
        const bool pce = turn % 2;
        struct reading r;

        set_pce(pce);
        ask_other(!pce);
        ring_run(3, read_by_rdpmc, &r);
        set_pce(before);
        expect_reading(&s, &r, smp_self(), pce);
        expect_reading(&s, &other.r, smp_self() ^ 1u, !pce);
    }
    ask_other(before);
}

static const struct vector rdpmc_user_rows[] = {
    CHECK("access.rdpmc.effects", "RDPMC, slow and fast, at CPL 1 to 3 is RDMSR and changes nothing",
          .needs = NEED_SSE2, .deadline_ms = 2000, .stages = STAGE_OVERFLOW | STAGE_COUNTERS,
          .run = rdpmc_at_user_level),
    CHECK("access.rdpmc.own", "CR4.PCE of one logical processor does nothing on the other one",
          .needs = NEED_SIBLING | NEED_SSE2, .stages = STAGE_REGISTERS, .run = pce_of_one),
};
VECTOR_GROUP(rdpmc_user);
