/* When clocks pass for the counters (R42). */
#ifndef SIM_NETBURST_CLOCK_H
#define SIM_NETBURST_CLOCK_H

#include "state.h"

/* Do the counters run with this number of active logical processors (R42)? */
bool nbpmu_clocked(const struct nbpmu *pmu, unsigned active);

#endif
