/*
 * RDPMC at CPL 1 to 3, of all 40 bits and fast (volume 2, RDPMC; 18.15.5.4; R57, R60).
 *
 * With CR4.PCE both forms must give what RDMSR gives, of every counter, whether it is enabled or not, and
 * leave every counter and CCCR as it was. Each counter has overflowed, so that OVF is there to be lost.
 * Without CR4.PCE both forms must fault, and change nothing either. While the counters move, what is read
 * must lie between readings before and after.
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/all_counters.h"
#include "tests/suite/count.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

#define GENERAL_PROTECTION 13
#define FORMS              2

static const char *const form_name[FORMS] = {"RDPMC", "fast RDPMC"};

/* What RDPMC gave, by counter and form. */
struct reading {
    unsigned level;
    struct {
        unsigned fault;
        uint64_t value;
    } of[PMC_COUNTERS][FORMS];
};

static void read_by_rdpmc(void *arg)
{
    struct reading *r = arg;

    r->level = cpl();
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

struct state {
    uint64_t counter[PMC_COUNTERS], cccr[PMC_COUNTERS];
};

static void read_state(struct state *s)
{
    all_counters_read(s->counter);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        s->cccr[n] = msr_read(MSR_CCCR(n));
}

static void expect_state(const struct state *before, unsigned level, const char *what)
{
    struct state now;

    read_state(&now);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        expect_register("R57", before->counter[n], now.counter[n], "%s after %s at CPL %u",
                        PMC_COUNTER[n].counter_name, what, level);
        expect_register("R57 R29", before->cccr[n], now.cccr[n], "%s after %s at CPL %u",
                        PMC_COUNTER[n].cccr_name, what, level);
    }
}

static void allowed(const struct state *s, unsigned level)
{
    struct reading r;

    read_at(level, true, &r);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned form = 0; form < FORMS; form++) {
            uint64_t expected = form ? FIELD_GET(31, 0, s->counter[n]) : s->counter[n];

            if (expect_equal("R60", NO_FAULT, r.of[n][form].fault, "exception of %s(%u) at CPL %u",
                             form_name[form], n, level))
                expect_register("R60", expected, r.of[n][form].value, "%s(%u) at CPL %u", form_name[form], n,
                                level);
        }
    expect_state(s, level, "RDPMC");
}

static void refused(const struct state *s, unsigned level)
{
    struct reading r;

    read_at(level, false, &r);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned form = 0; form < FORMS; form++)
            expect_equal("R60", GENERAL_PROTECTION, r.of[n][form].fault,
                         "exception of %s(%u) at CPL %u with CR4.PCE = 0", form_name[form], n, level);
    expect_state(s, level, "a refused RDPMC");
}

static void at_every_level(void)
{
    struct state s;

    read_state(&s);
    for (unsigned level = 1; level <= 3; level++) {
        allowed(&s, level);
        refused(&s, level);
    }
}

/* The fast form wraps at 32 bits and is compared there. */
static void moving(void)
{
    uint64_t before[PMC_COUNTERS];
    struct reading r;

    all_counters_read(before);
    read_at(3, true, &r);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t most = pmc_read(n) - before[n] + ACCESSES_ADD;

        for (unsigned form = 0; form < FORMS; form++) {
            uint64_t mask = form ? FIELD_MASK(31, 0) : COUNTER_MASK;
            expect_between("R60 R57", 0, most & mask, (r.of[n][form].value - before[n]) & mask,
                           "what %s(%u) at CPL 3 is ahead of a reading before; most: of a reading after",
                           form_name[form], n);
        }
    }
}

static void expect_still_enabled(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t judged = pmc_judged_bits(&machine_cpu, MSR_CCCR(n));

        if (all_counters_judge(n))
            expect_register("R57 R29", (all_program[n].cccr | CCCR_ENABLE | CCCR_OVF) & judged,
                            msr_read(MSR_CCCR(n)) & judged, "%s after RDPMC while it counted and overflowed",
                            PMC_COUNTER[n].cccr_name);
    }
}

static void rdpmc_at_user_level(void)
{
    all_counters_arm();
    at_every_level();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        pmc_start(&all_program[n]);
    all_counters_work(ALL_ENOUGH, moving);
    expect_still_enabled();
    at_every_level();
}

static const struct vector rdpmc_user_rows[] = {
    CHECK("access.rdpmc.effects", "RDPMC, slow and fast, at CPL 1 to 3 is RDMSR and changes nothing",
          .rules = "R4 R29 R57 R60", .needs = NEED_SSE2, .deadline_ms = 2000, .run = rdpmc_at_user_level),
};
VECTOR_GROUP(rdpmc_user);
