/*
 * Which memory accesses go to the bus uncached: MTRRs and the PCD/PWT bits of the page tables.
 */
#ifndef SIM_CPU_MEMORY_TYPE_H
#define SIM_CPU_MEMORY_TYPE_H

#include <stdbool.h>
#include "processor.h"

/*
 * Is the memory type at this linear address UC, by the processor's present registers and page tables (SDM
 * 11.5.2, Table 11-7, with the PAT at its reset value)? While the MTRRs are disabled, as at power-up, memory
 * counts as write-back, since the kernel starts after a BIOS that has set the MTRRs up that way.
 */
bool memory_type_is_uncached(const struct processor *processor, uint32_t linear);

#endif
