/*
 * Probes of events that need not be one for one: how many an occurrence makes (question 10.11; F15, F17,
 * F18).
 *
 * Two lengths of a workload are counted, and the difference is divided: what the frame adds cancels. A probe
 * judges nothing; its lines go to the sheet.
 */
#include "kernel/lib/lib.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

#define FEW  20
#define MANY 120

struct slope {
    const struct pmc_programming *p;
    const struct workload *work;
};

static uint32_t more(const void *arg)
{
    const struct slope *slope = arg;
    const uint64_t few = count_once(slope->p, slope->work, FEW);

    return (uint32_t)(count_once(slope->p, slope->work, MANY) - few);
}

/* Counts per occurrence in hundredths, on the first counter that can count them: the median, because an event
 * may differ from run to run. */
static unsigned per_occurrence(enum stimulus_id id)
{
    unsigned counter = 0;

    while (!stimulus_reaches(id, counter))
        counter++;
    const struct pmc_programming p = stimulus_prepared(id, counter);
    const struct slope slope = {&p, STIMULUS[id].work};
    const uint32_t median = median_of(more, &slope);

    stimulus_finish(id);
    return share(median, MANY - FEW, 100);
}

static void microcode(void)
{
    unsigned transfers = per_occurrence(STIMULUS_MICROCODE), assists = per_occurrence(STIMULUS_X87_ASSISTS);
    unsigned clears = per_occurrence(STIMULUS_SELF_MODIFYING);

    sheet_line("10.11e", "tc_ms_xfer %u.%02u, x87_assist %u.%02u, SMCLEAR %u.%02u", RATIO(transfers),
               RATIO(assists), RATIO(clears));
}

static void branches(void)
{
    unsigned calls = per_occurrence(STIMULUS_CALLS), returns = per_occurrence(STIMULUS_RETURNS);

    sheet_line("10.11f", "CALL %u.%02u, RETURN %u.%02u", RATIO(calls), RATIO(returns));
}

static void bus(void)
{
    skip_without_ioq();
    unsigned reads = per_occurrence(STIMULUS_UNCACHED_READS);

    sheet_line("10.11g", "%u.%02u", RATIO(reads));
}

static const struct vector probes_slope_rows[] = {
    PROBE("probe.slope.microcode", "counts per CPUID, x87 stack fault and store into code",
          .also = "R27 10.11", .deadline_ms = 2000, .run = microcode),
    PROBE("probe.slope.branches", "counts per CALL and RET", .also = "10.11", .deadline_ms = 2000,
          .run = branches),
    PROBE("probe.slope.bus", "IOQ_allocation per uncached read", .also = "10.11", .deadline_ms = 2000,
          .run = bus),
};
VECTOR_GROUP(probes_slope);
