/* The PMI of a counter (R45 to R49). */
#ifndef SIM_NETBURST_COUNT_H
#define SIM_NETBURST_COUNT_H

#include "state.h"

/* Raise the PMI of counter n. Returns the logical processors that get it. */
unsigned nbpmu_raise_pmi(struct nbpmu *pmu, unsigned n);

/* Raises a counter that has CASCADE or bit 11 no PMI on this part (E3)? */
bool nbpmu_has_e3(const struct nbpmu_part *part);

/* Does OVF_PMI_T1 do something on this part? Without Hyper-Threading only bit 26 works (R45), and 0F44H has
 * no OVF_PMI_T1 (E5). */
bool nbpmu_has_pmi_t1(const struct nbpmu_part *part);

#endif
