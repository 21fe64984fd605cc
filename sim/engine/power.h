/*
 * Where a logical processor begins: as the boot loader leaves it, after INIT, and after a SIPI.
 */
#ifndef SIM_ENGINE_POWER_H
#define SIM_ENGINE_POWER_H

#include <stdint.h>
#include "sim/cpu/processor.h"

/* Make it begin as a multiboot kernel expects (flat segments, EAX, EBX): the boot processor. */
void processor_boot(struct processor *processor, uint32_t entry, uint32_t eax, uint32_t ebx);

/* INIT: local APIC reset, wait for SIPI. The PMU's registers keep their values (R1). */
void processor_receive_init(struct processor *processor);
/* SIPI: begin in real mode at page * 1000H; ignored unless the processor waits for it. */
void processor_receive_sipi(struct processor *processor, uint8_t page);

/* Empty both TLBs. CR0 may have changed. */
void processor_flush_translations(struct processor *processor);

#endif
