/* Who is on this board: CPUID and firmware's tables together. */
#ifndef KERNEL_TOPOLOGY_H
#define KERNEL_TOPOLOGY_H

#include "smp.h"

/* Fill topology. On the boot processor, after loader_read(). */
void topology_read(struct topology *topology);

#endif
