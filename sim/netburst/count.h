/* The PMI of a counter (R45 to R49). */
#ifndef SIM_NETBURST_COUNT_H
#define SIM_NETBURST_COUNT_H

#include "state.h"

/* Raise the PMI of counter n. Returns the logical processors that get it. */
unsigned nbpmu_raise_pmi(struct nbpmu *pmu, unsigned n);

#endif
