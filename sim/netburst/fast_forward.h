/* Clocks that repeat the latest one pass by multiplication (R37, R42). */
#ifndef SIM_NETBURST_FAST_FORWARD_H
#define SIM_NETBURST_FAST_FORWARD_H

#include "state.h"

/* Apply the quiet clocks that the caller has taken, and end the quiet period. */
void nbpmu_sync(struct nbpmu *pmu);

/* How far a counter can advance from this value without a carry out of the bits below `bit`. */
uint64_t nbpmu_distance_to_carry_into(unsigned bit, uint64_t value);

/* How many clocks that repeat the latest increments can pass before a running counter overflows; at most
 * limit. */
uint64_t nbpmu_clocks_before_carry(const struct nbpmu *pmu, uint64_t limit);

/* Add the latest increments `clocks` times. */
void nbpmu_repeat_increments(struct nbpmu *pmu, uint64_t clocks);

/* Announce as many quiet clocks as can follow the latest clock. */
void nbpmu_extend_quiet_clocks(struct nbpmu *pmu);

/* Recompute the active events and which counters each ESCR and each clock concerns. */
void nbpmu_find_demand(struct nbpmu *pmu);

#endif
