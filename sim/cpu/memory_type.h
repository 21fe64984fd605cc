/*
 * Which memory accesses go to the bus uncached: MTRRs and the PCD/PWT bits of the page tables.
 */
#ifndef SIM_CPU_MEMORY_TYPE_H
#define SIM_CPU_MEMORY_TYPE_H

#include <stdbool.h>
#include "processor.h"

/*
 * Is the memory type at this linear address UC for the processor as it stands (SDM 11.5.2, Table 11-7, the
 * PAT at its reset value)? With MTRRs disabled, as at power-up, memory counts as write-back: the BIOS of a
 * board has set them up so, and the kernel starts after it.
 */
bool memory_type_is_uncached(const struct processor *processor, uint32_t linear);

#endif
