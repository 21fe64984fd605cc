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

/* A page of ROM at the top of memory, one for each processor: a GDT with flat segments, and the instructions
 * that lead from protected mode to the real-mode state in which a SIPI starts a processor. libunicorn cannot
 * start in real mode by itself. */

#define BOOT_ROM_BASE 0xFFFFF000u
#define BOOT_ROM_SIZE 0x1000u

/* Selectors of the ROM's GDT. */
#define BOOT_ROM_CODE32 0x08u
#define BOOT_ROM_CODE16 0x10u
#define BOOT_ROM_DATA16 0x18u
#define BOOT_ROM_DATA32 0x20u

#define BOOT_ROM_GDT       (BOOT_ROM_BASE + 0x80) /* physical address and limit of the GDT */
#define BOOT_ROM_GDT_LIMIT (5 * 8 - 1)
#define BOOT_ROM_TO_REAL   BOOT_ROM_BASE /* entry, flat 32-bit code */

/* Fill a page of BOOT_ROM_SIZE bytes. */
void boot_rom_fill(uint8_t *rom);

#endif
