/*
 * Counters at work are one set for both logical processors of a core, too (18.16, 18.15.5.4; R5, R57, R60).
 *
 * All 18 counters count events of this processor, but the sibling enables, reads, presets, acknowledges and
 * stops them, and each of these accesses must have the same effect as our own. Values are compared while no
 * ESCR has an event, because an access may add to a counter that selects one (E1); reads while the counters
 * move must lie between our own reads before and after.
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/all_counters.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/sibling_access.h"
#include "tests/suite/stimulus.h"

/* Let the sibling write each CCCR as programmed, with these flags set as well. */
static void sibling_writes_cccrs(uint32_t flags)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        ask_sibling(WRITE, MSR_CCCR(n), all_program[n].cccr | flags);
    sibling_accesses();
}

/* Expect both to read each CCCR as programmed, with these flags set on even and on odd counters. */
static void expect_cccrs(uint32_t even, uint32_t odd, const char *when)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        ask_sibling(READ, MSR_CCCR(n), 0);
    sibling_accesses();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t judged = pmc_judged_bits(&machine_cpu, MSR_CCCR(n)),
                 expected = (all_program[n].cccr | (n % 2 ? odd : even)) & judged;

        if (!all_counters_judge(n))
            continue;
        expect_register(RULES(R5, R29), expected, msr_read(MSR_CCCR(n)) & judged, "%s %s, LP%u",
                        PMC_COUNTER[n].cccr_name, when, smp_self());
        expect_register(RULES(R5, R29), expected, sibling_read(n) & judged, "%s %s, LP%u",
                        PMC_COUNTER[n].cccr_name, when, smp_self() ^ 1);
    }
}

static void ask_for_counters(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        ask_sibling(READ, MSR_COUNTER(n), 0);
        ask_sibling(RDPMC, n, 0);
        ask_sibling(RDPMC, n | RDPMC_FAST, 0);
    }
    sibling_accesses();
}

/* The sibling reads what we read, by each way of reading. */
static void expect_counters_equal(const char *when)
{
    ask_for_counters();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t own = pmc_read(n);
        const char *name = PMC_COUNTER[n].counter_name;
        unsigned lp = smp_self() ^ 1;

        expect_register(RULES(R5, R57), own, sibling_read(3 * n), "%s %s by RDMSR of LP%u", name, when, lp);
        expect_register(RULES(R5, R60), own, sibling_read(3 * n + 1), "%s %s by RDPMC of LP%u", name, when,
                        lp);
        expect_register(RULES(R5, R60), FIELD_GET(31, 0, own), sibling_read(3 * n + 2),
                        "%s %s by fast RDPMC of LP%u", name, when, lp);
    }
}

/* Expect what the sibling reads of moving counters to lie between our own readings before and after. */
static void read_moving(void)
{
    uint64_t before[PMC_COUNTERS];

    all_counters_read(before);
    ask_for_counters();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t least = all_counters_progress(n, before[n]),
                 most = all_counters_progress(n, pmc_read(n)) + ACCESSES_ADD;

        for (unsigned way = 0; way < 2; way++)
            expect_between(RULES(R5, R57, R27), least, most,
                           all_counters_progress(n, sibling_read(3 * n + way)),
                           "counts of counter %u, running, by %s of LP%u, between our own readings", n,
                           way == 0 ? "RDMSR" : "RDPMC", smp_self() ^ 1);
    }
}

static void enabled_by_sibling(void)
{
    uint64_t before[PMC_COUNTERS];

    sibling_writes_cccrs(CCCR_ENABLE);
    expect_cccrs(CCCR_ENABLE, CCCR_ENABLE, "enabled by the sibling");
    expect_counters_equal("at its preset");
    all_counters_read(before);
    all_counters_work(ALL_FEW, read_moving);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (all_counters_judge(n))
            expect_true(RULES(R5, R27),
                        all_counters_progress(n, pmc_read(n)) - all_counters_progress(n, before[n]) >=
                            stimulus_least(stimulus_a(n), ALL_FEW),
                        "counter %u counts after LP%u enabled it", n, smp_self() ^ 1);
    expect_counters_equal("after some counts");
}

static void acknowledged_by_sibling(void)
{
    const uint32_t set = CCCR_ENABLE | CCCR_OVF;

    all_counters_work(ALL_ENOUGH, 0);
    expect_cccrs(set, set, "after its overflow");
    for (unsigned n = 0; n < PMC_COUNTERS; n += 2)
        ask_sibling(WRITE, MSR_CCCR(n), all_program[n].cccr | CCCR_ENABLE);
    sibling_accesses();
    expect_cccrs(CCCR_ENABLE, set, "after the sibling acknowledged the even ones");
    for (unsigned n = 1; n < PMC_COUNTERS; n += 2)
        msr_write(MSR_CCCR(n), all_program[n].cccr | CCCR_ENABLE);
    expect_cccrs(CCCR_ENABLE, CCCR_ENABLE, "after both acknowledged");
}

static void preset_by_sibling(void)
{
    const uint32_t set = CCCR_ENABLE | CCCR_OVF;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        ask_sibling(WRITE, MSR_COUNTER(n), all_counters_preset(n));
    sibling_accesses();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        expect_register(RULES(R5, R4), all_counters_preset(n), pmc_read(n),
                        "%s, preset by LP%u while enabled", PMC_COUNTER[n].counter_name, smp_self() ^ 1);
    all_counters_work(ALL_ENOUGH, 0);
    expect_cccrs(set, set, "after its overflow from the sibling's preset");
}

static void stopped_by_sibling(void)
{
    uint64_t before[PMC_COUNTERS];

    sibling_writes_cccrs(0);
    expect_cccrs(0, 0, "stopped by the sibling");
    all_counters_read(before);
    all_counters_work(ALL_FEW, 0);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        expect_register(RULES(R5, R38), before[n], pmc_read(n), "%s, stopped by LP%u",
                        PMC_COUNTER[n].counter_name, smp_self() ^ 1);
}

static void at_work(void)
{
    all_counters_arm();
    enabled_by_sibling();
    acknowledged_by_sibling();
    preset_by_sibling();
    stopped_by_sibling();
}

static const struct vector shared_work_rows[] = {
    CHECK("access.sibling.work", "all counters: the sibling enables, reads, acknowledges, presets and stops",
          .needs = NEED_SIBLING | NEED_SSE2, .deadline_ms = 2000, .run = at_work),
};
VECTOR_GROUP(shared_work);
