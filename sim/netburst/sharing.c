/*
 * One set of registers for both logical processors (R5): a sound PMU does not ask who reads or writes, so
 * here are only the faults of one that does.
 */
#include "private.h"

#define REGISTER_0 MSR_COUNTER(0) /* faults of one register count from here */

bool nbpmu_loses_write(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n = msr - MSR_COUNTER(0);
    return nbpmu_faulty(pmu, FAULT_LP1_WRITES_LOST) ||
           nbpmu_faulty_at(pmu, FAULT_LP1_WRITE_LOST, msr - REGISTER_0) ||
           (nbpmu_faulty_at(pmu, FAULT_LP1_PRESET_LOST, n) && (pmu->running & (1u << n)));
}

static uint64_t content(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned counter = msr - MSR_COUNTER(0), cccr = msr - MSR_CCCR(0), escr = msr - MSR_BSU_ESCR0;
    if (counter < PMC_COUNTERS) {
        return pmu->counter[counter].value;
    }
    if (cccr < PMC_COUNTERS) {
        return pmu->counter[cccr].cccr;
    }
    return escr < ESCR_INDICES ? pmu->escr[escr].value : 0;
}

uint64_t nbpmu_written_by(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    unsigned n = msr - MSR_CCCR(0);
    if (nbpmu_faulty_at(pmu, FAULT_LP1_READS_OLD, msr - REGISTER_0)) {
        pmu->fault_old = content(pmu, msr);
    } else if (lp == 1 && nbpmu_faulty_at(pmu, FAULT_LP1_OVF_STANDS, n)) {
        value |= pmu->counter[n].cccr & CCCR_OVF;
    }
    return value;
}

uint64_t nbpmu_read_by_lp1(struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    unsigned n = msr - MSR_CCCR(0);
    if (nbpmu_faulty(pmu, FAULT_LP1_READS_ZERO)) {
        return 0;
    }
    if (nbpmu_faulty_at(pmu, FAULT_LP1_READS_OLD, msr - REGISTER_0)) {
        return pmu->fault_old;
    }
    if (nbpmu_faulty(pmu, FAULT_LP1_READ_CLEARS_OVF) && n < PMC_COUNTERS) {
        pmu->counter[n].cccr &= ~CCCR_OVF;
        nbpmu_refresh(pmu);
    }
    return value;
}
