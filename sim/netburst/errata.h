/* Errata of the counters that strike at certain moments: E1, E2, E9, E20. */
#ifndef SIM_NETBURST_ERRATA_H
#define SIM_NETBURST_ERRATA_H

#include "state.h"

/* What a write of value really loads into counter n (E1). */
uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value);

/* Logical processor lp accessed counter n, whose input is open meanwhile: add its event's value (E1). */
void nbpmu_add_at_access(struct nbpmu *pmu, unsigned n, unsigned lp);

/* Counters that run and select an event of retirement, as a bit mask (E20). */
uint32_t nbpmu_retiring(const struct nbpmu *pmu);

/* A write of a CCCR or an ESCR, before which these were retiring, may have enabled others (E20). */
void nbpmu_count_early(struct nbpmu *pmu, uint32_t retiring_before);

/* The value of this clock with those of a counter's early counts that come in it (E20). */
unsigned nbpmu_with_early_counts(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value);

/* Did the latest clock carry into bit 32 of this counter, so that a stop now would lose it (E2)? */
bool nbpmu_carry_at_risk(const struct nbpmu *pmu, const struct nbpmu_counter *counter);

/* After a write to the CCCR of counter n: when it disabled the counter, perhaps lose a carry (E2). */
void nbpmu_lose_carry(struct nbpmu *pmu, unsigned n, bool was_running);

/* Does this overflow of counter n leave OVF as it is (E9)? */
bool nbpmu_leaves_unflagged(struct nbpmu *pmu, unsigned n);

#endif
