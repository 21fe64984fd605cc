/*
 * Which events and clocks count by privilege level and logical processor, and the value that an ESCR presents
 * to its counters (R8 to R14).
 */
#ifndef SIM_NETBURST_QUALIFY_H
#define SIM_NETBURST_QUALIFY_H

#include "state.h"

/* Is the bit set that stands for logical processor lp at this privilege level (R12; R11 without
 * Hyper-Threading)? */
bool nbpmu_causer_counts(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);

/* May this ESCR count an event caused by lp at cpl? Always true for thread-independent events. */
bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);

/* The same for each cause: bit NBPMU_CAUSE(lp, cpl) of the result. */
#define NBPMU_CAUSE(lp, cpl) (2 * (lp) + ((cpl) > 0))
uint8_t nbpmu_causes(const struct nbpmu *pmu, const struct nbpmu_escr *escr);

/* Does the state of this clock let a thread-independent event of this ESCR count (R13)? */
bool nbpmu_state_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr);

/* Value 0..15 that the ESCR presents in this clock (R8-R10, R12, R13). */
unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
unsigned nbpmu_active_count(const struct nbpmu *pmu);

#endif
