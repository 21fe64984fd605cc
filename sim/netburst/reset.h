/* Life of a PMU model: what power-up and RESET have in common (R1). */
#ifndef SIM_NETBURST_RESET_H
#define SIM_NETBURST_RESET_H

#include "state.h"

/* All ESCRs 0. */
void nbpmu_clear_escrs(struct nbpmu *pmu);

#endif
