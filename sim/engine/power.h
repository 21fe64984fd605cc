/*
 * The states in which a logical processor starts: after the boot loader, after INIT, after a SIPI.
 */
#ifndef SIM_ENGINE_POWER_H
#define SIM_ENGINE_POWER_H

#include <stdint.h>
#include "sim/cpu/processor.h"

/* Start the boot processor at entry in the state that multiboot promises: flat segments, EAX and EBX as
 * given. */
void processor_boot(struct processor *processor, uint32_t entry, uint32_t eax, uint32_t ebx);

/* INIT: local APIC reset, wait for SIPI. The PMU's registers keep their values (R1). */
void processor_receive_init(struct processor *processor);
/* SIPI: begin in real mode at page * 1000H; ignored unless the processor waits for it. */
void processor_receive_sipi(struct processor *processor, uint8_t page);

/* Empty both TLBs, and check whether paging was switched on or off. */
void processor_flush_translations(struct processor *processor);

#endif
