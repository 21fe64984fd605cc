/* Which ESCR a counter reaches (R17). */
#ifndef SIM_NETBURST_ROUTING_H
#define SIM_NETBURST_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

bool nbpmu_counter_reaches(unsigned counter, uint32_t escr_msr);

#endif
