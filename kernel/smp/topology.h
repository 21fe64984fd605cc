/* Which processors this board has, by CPUID and by the firmware's tables. */
#ifndef KERNEL_SMP_TOPOLOGY_H
#define KERNEL_SMP_TOPOLOGY_H

#include "smp.h"

/* Undo a BIOS setting that hides the CPUID leaf by which two cores differ from two threads. Call it before
 * anything reads that leaf. */
void cpuid_lift_limit(void);
/* True when cpuid_lift_limit() found the leaf hidden. */
bool cpuid_was_limited(void);

/* Fill topology. On the boot processor, after multiboot_read(). */
void topology_read(struct topology *topology);

#endif
