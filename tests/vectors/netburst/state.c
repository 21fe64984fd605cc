/*
 * The state vectors start from: everything of the PMU written 0 and reading 0 (R1). On a part whose registers
 * keep a bit nobody may rely on, this is where it shows.
 */
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/vector.h"

static void state_cccrs(unsigned member)
{
    (void)member;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        expect_register(0, msr_read(MSR_CCCR(n)), "%s after it was written 0", PMC_COUNTER[n].cccr_name);
}

static void state_counters(unsigned member)
{
    (void)member;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        expect_register(0, msr_read(MSR_COUNTER(n)), "%s after it was written 0",
                        PMC_COUNTER[n].counter_name);
}

static void state_escrs(unsigned member)
{
    (void)member;
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        if (machine_cpu.model > PMC_ESCR[i].last_model)
            continue;
        expect_register(0, msr_read(PMC_ESCR[i].msr), "%s after it was written 0", PMC_ESCR[i].name);
    }
}

static void state_pebs(unsigned member)
{
    (void)member;
    expect_register(0, msr_read(MSR_PEBS_ENABLE), "MSR_PEBS_ENABLE after it was written 0");
    expect_register(0, msr_read(MSR_PEBS_MATRIX_VERT), "MSR_PEBS_MATRIX_VERT after it was written 0");
}

static const struct vector state_rows[] = {
    {"state.cccr", "all 18 CCCRs read 0", "R1", 0, false, 1000, state_cccrs, 0},
    {"state.counter", "all 18 counters read 0", "R1", 0, false, 1000, state_counters, 0},
    {"state.escr", "every ESCR of this model reads 0", "R1", 0, false, 1000, state_escrs, 0},
    {"state.pebs", "precise sampling and its tags are off", "R61", 0, false, 1000, state_pebs, 0},
};
VECTOR_GROUP(state);
