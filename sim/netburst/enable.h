/* Who counts: ENABLE, cascades, power (R33, R36 to R40, R44). */
#ifndef SIM_NETBURST_ENABLE_H
#define SIM_NETBURST_ENABLE_H

#include "state.h"

/* Was this counter started by another one? */
static inline bool nbpmu_linked(const struct nbpmu_counter *counter)
{
    return counter->linked[LINK_CASCADE] || counter->linked[LINK_CASCNT];
}

/* The CCCR bit that asks for this link. */
uint32_t nbpmu_link_bit(enum nbpmu_link link);

/* Does OVF of x, as it is now, start the counters that x starts? OVF written by software does, but for the
 * variant written_ovf_no_cascade (R30). */
bool nbpmu_ovf_starts(const struct nbpmu *pmu, const struct nbpmu_counter *x);

/* Recompute everything derived; called after register writes and OVF changes. */
void nbpmu_refresh(struct nbpmu *pmu);

/* Is this ESCR powered: is a counter enabled that can select it or the other ESCR of its pair (R44)? */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index);

/* The counters whose ENABLE is set and works. */
uint32_t nbpmu_enabled_counters(const struct nbpmu *pmu);

#endif
