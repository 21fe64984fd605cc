/* The library over the PMU model (tests/host/support/msr_model.h): a 0F43H with Hyper-Threading. */
#ifndef TESTS_HOST_PMC_IN_MODEL_H
#define TESTS_HOST_PMC_IN_MODEL_H

#include "pmc/netburst/cpu.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/model_drive.h"
#include "tests/host/support/msr_model.h"

static const struct pmc_cpu F43 = {.signature = 0xF43, .model = 4, .stepping = 3, .ht = true};
static struct nbpmu_part part;
static struct nbpmu *pmu;

FIXTURE(power_up)
{
    assert_true(nbpmu_part_of_signature(0x0F43, 2, &part));
    pmu = nbpmu_new(&part, NULL);
    msr_model_use(pmu);
    return pmu == NULL;
}

FIXTURE(power_down)
{
    nbpmu_free(pmu);
    return 0;
}

/* count clocks with one occurrence each, caused by lp at CPL 0. Returns the processors that got a PMI. */
static inline unsigned happen(enum nbpmu_event event, unsigned bit, unsigned lp, unsigned count)
{
    static const struct lp_state running[NBPMU_LPS] = {{true, 0}, {true, 0}};
    unsigned pmi = 0;
    while (count-- > 0) {
        drive_event(pmu, event, bit, lp, 0, 1);
        pmi |= drive_clocks(pmu, running, 1);
    }
    return pmi;
}

static inline unsigned retire(unsigned lp, unsigned count)
{
    return happen(NBPMU_INSTR_RETIRED, 0, lp, count);
}

/* A test with a model of its own. */
#define IN_MODEL(test) cmocka_unit_test_setup_teardown(test, power_up, power_down)

#endif
