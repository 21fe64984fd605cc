/* One readable line for each visible change. */
#ifndef SIM_NETBURST_TRACE_H
#define SIM_NETBURST_TRACE_H

#include "state.h"

void nbpmu_tracef(const struct nbpmu *pmu, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nbpmu_trace_escr(const struct nbpmu *pmu, uint32_t msr);
void nbpmu_trace_cccr(const struct nbpmu *pmu, unsigned n);

#endif
