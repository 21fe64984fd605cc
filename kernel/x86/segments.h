/* A TSS and a stack for code at CPL 1 to 3 for each processor, and the index of the executing processor. */
#ifndef KERNEL_X86_SEGMENTS_H
#define KERNEL_X86_SEGMENTS_H

#include <stdint.h>

#define PROCESSORS 2

/* Indices of processors: the boot processor and the AP, whichever of them is LP0. */
#define CPU_BOOT 0u
#define CPU_AP   1u

/* Build this processor's TSS descriptor and load TR. May be called again after an INIT. */
void segments_load(unsigned cpu);

/* The index of the processor executing the call, from TR; works at CPL 3 too. */
unsigned cpu_index(void);

/* Top of this processor's stack for outer rings. */
uint32_t ring_stack_top(unsigned cpu);
/* The field of this processor's TSS that holds the stack for traps from an outer ring. */
uint32_t *tss_esp0(unsigned cpu);

#endif
