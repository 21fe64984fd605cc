/* Per-processor tables: the TSS (stack for traps from outer rings), the stack of these, and who is executing.
 */
#ifndef KERNEL_X86_SEGMENTS_H
#define KERNEL_X86_SEGMENTS_H

#include <stdint.h>

#define PROCESSORS 2

/* Slots: the boot processor and its sibling, whichever of them is LP0. */
#define SLOT_BOOT    0u
#define SLOT_SIBLING 1u

/* Build this slot's TSS descriptor and load TR. May be called again after an INIT. */
void segments_load(unsigned slot);

/* The slot of the processor executing the call, from TR; works at CPL 3 too. */
unsigned processor_slot(void);

/* Top of the slot's stack for outer rings. */
uint32_t ring_stack_top(unsigned slot);
/* The field of the slot's TSS that holds the stack for traps from an outer ring. */
uint32_t *tss_esp0(unsigned slot);

#endif
