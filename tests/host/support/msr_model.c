/* pmc/msr.h over the PMU model (msr_model.h). */
#include "host_test.h"
#include "msr_model.h"
#include "pmc/msr.h"

#define VECTOR_GP 13

static struct nbpmu *current;

void msr_model_use(struct nbpmu *pmu)
{
    current = pmu;
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    return nbpmu_has_msr(msr) && nbpmu_rdmsr(current, 0, msr, value) ? NO_FAULT : VECTOR_GP;
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    return nbpmu_has_msr(msr) && nbpmu_wrmsr(current, 0, msr, value) ? NO_FAULT : VECTOR_GP;
}

uint64_t msr_read(uint32_t msr)
{
    uint64_t value = 0;
    assert_int_equal(msr_try_read(msr, &value), NO_FAULT);
    return value;
}

void msr_write(uint32_t msr, uint64_t value)
{
    assert_int_equal(msr_try_write(msr, value), NO_FAULT);
}
