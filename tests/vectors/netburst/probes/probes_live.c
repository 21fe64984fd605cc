/*
 * Probe of erratum O8 (N15): "accessing a performance counter also enables the counter input", so an access
 * to a counter that is disabled, and whose CCCR selects an event, adds the event's value of that clock
 * (question 10.17; F29, E1).
 *
 * A second counter on the same ESCR is enabled, because an ESCR without an enabled counter may be off (R44).
 * The probe judges nothing; its lines go to the sheet.
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/machine.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

#define READS  64
#define WRITES 16
#define VALUE  1000

enum access { BY_RDMSR, BY_RDPMC, BY_WRMSR };

/* What accesses to a counter add to VALUE while its CCCR selects the event and does not enable it. */
static int64_t added(const struct pmc_programming *running, const struct pmc_programming *probed,
                     enum access access, unsigned times)
{
    uint64_t value;
    bool were_on = irq_off();

    pmc_arm(running, 0);
    pmc_arm(probed, VALUE);
    pmc_start(running);
    msr_write(MSR_CCCR(probed->counter), probed->cccr);
    for (unsigned i = 0; i < times; i++)
        if (access == BY_RDMSR)
            msr_try_read(MSR_COUNTER(probed->counter), &value);
        else if (access == BY_RDPMC)
            rdpmc_try(probed->counter, &value);
        else
            msr_write(MSR_COUNTER(probed->counter), VALUE);
    msr_write(MSR_CCCR(probed->counter), 0);
    value = pmc_read(probed->counter);
    pmc_stop_all();
    irq_restore(were_on);
    return (int64_t)value - VALUE;
}

/* The line of an event, counted by both counters. */
static void report_shift(const char *question, const struct pmc_programming *running,
                         const struct pmc_programming *probed)
{
    int64_t most = 0, untouched = added(running, probed, BY_RDMSR, 0);

    for (unsigned i = 0; i < WRITES; i++) {
        int64_t now = added(running, probed, BY_WRMSR, 1);

        most = now > most ? now : most;
    }
    sheet_line(question, "%u RDMSR add %d, %u RDPMC %d, a WRMSR at most %d, no access %d", READS,
               (int)added(running, probed, BY_RDMSR, READS), READS,
               (int)added(running, probed, BY_RDPMC, READS), (int)most, (int)untouched);
}

static void live(void)
{
    struct pmc_programming running = stimulus_program(STIMULUS_CLOCKS, 2);
    struct pmc_programming probed = stimulus_program(STIMULUS_CLOCKS, 3);

    report_shift("10.17a", &running, &probed);
    pmc_program(&running, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), 12);
    pmc_program(&probed, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), 13);
    report_shift("10.17b", &running, &probed);
}

static const struct vector probes_live_rows[] = {
    PROBE("probe.erratum.live-select", "what an access adds to a disabled counter that selects an event",
          .also = "E1 R58 10.17", .run = live),
};
VECTOR_GROUP(probes_live);
