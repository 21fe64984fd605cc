/* What an ESCR selects, and whether an occurrence belongs to it (R7, R9, R15). */
#ifndef SIM_NETBURST_MATCH_H
#define SIM_NETBURST_MATCH_H

#include "state.h"

/* Can an occurrence of its event give this ESCR a value other than 0? */
bool nbpmu_can_count(const struct nbpmu *pmu, int escr_index);

/* Work out what the value of the ESCR at address msr selects. */
void nbpmu_decode(struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
void nbpmu_drop_posts(struct nbpmu *pmu);

/* Does a mask of IOQ_allocation select an occurrence with these bits, by the equation of models 2 and later
 * or by that of earlier ones? */
bool nbpmu_ioq_matches(bool groups_are_anded, unsigned mask, unsigned bits);

#endif
