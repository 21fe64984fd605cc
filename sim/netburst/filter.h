/* The filter of a CCCR: threshold, COMPLEMENT and edge (R21 to R26). */
#ifndef SIM_NETBURST_FILTER_H
#define SIM_NETBURST_FILTER_H

#include "state.h"

/* Does a value pass threshold and COMPLEMENT of the counter's CCCR (R22)? */
bool nbpmu_passes_threshold(const struct nbpmu_counter *counter, unsigned value);

/* State of the edge filter of a counter that starts (R25). */
void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter);

#endif
