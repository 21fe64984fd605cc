/*
 * The state that vectors start from: every register of the PMU was written 0 and must read 0 (R1, R61). On a
 * part whose registers keep a bit that no vector may rely on, this is where it shows.
 */
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/vector.h"

static void state_cccrs(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (pmc_has_register(&machine_cpu, MSR_CCCR(n)))
            expect_register(RULES(R3, R1), 0,
                            msr_read(MSR_CCCR(n)) & pmc_judged_bits(&machine_cpu, MSR_CCCR(n)),
                            "%s after it was written 0", PMC_COUNTER[n].cccr_name);
}

static void state_counters(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (pmc_has_register(&machine_cpu, MSR_COUNTER(n)))
            expect_register(RULES(R4, R1), 0, msr_read(MSR_COUNTER(n)), "%s after it was written 0",
                            PMC_COUNTER[n].counter_name);
}

static void state_escrs(void)
{
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        if (pmc_has_register(&machine_cpu, PMC_ESCR[i].msr))
            expect_register(RULES(R3, R1), 0, msr_read(PMC_ESCR[i].msr), "%s after it was written 0",
                            PMC_ESCR[i].name);
}

static void state_pebs(void)
{
    expect_register(R61, 0, msr_read(MSR_PEBS_ENABLE), "MSR_PEBS_ENABLE after it was written 0");
    expect_register(R61, 0, msr_read(MSR_PEBS_MATRIX_VERT), "MSR_PEBS_MATRIX_VERT after it was written 0");
}

static const struct vector state_rows[] = {
    CHECK("state.cccr", "all 18 CCCRs read 0", .run = state_cccrs),
    CHECK("state.counter", "all 18 counters read 0", .run = state_counters),
    CHECK("state.escr", "every ESCR of this model reads 0", .run = state_escrs),
    CHECK("state.pebs", "precise sampling and its tags are off", .run = state_pebs),
};
VECTOR_GROUP(state);
