/* Which processors this board has, by CPUID and by the firmware's tables. */
#ifndef KERNEL_SMP_TOPOLOGY_H
#define KERNEL_SMP_TOPOLOGY_H

#include "smp.h"

/* A BIOS set-up for old systems hides the leaf of CPUID that tells two cores from two threads: show it again.
 * Before anything asks for it. */
void cpuid_lift_limit(void);
/* True when there was something to lift. */
bool cpuid_was_limited(void);

/* Fill topology. On the boot processor, after multiboot_read(). */
void topology_read(struct topology *topology);

#endif
