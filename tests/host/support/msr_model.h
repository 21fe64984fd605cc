/* pmc/msr.h over the PMU model: the library drives a simulated PMU. Link either this or msr_record. */
#ifndef TESTS_HOST_SUPPORT_MSR_MODEL_H
#define TESTS_HOST_SUPPORT_MSR_MODEL_H

#include "sim/netburst/nbpmu.h"

/* The PMU all accesses go to from now on. */
void msr_model_use(struct nbpmu *pmu);

#endif
