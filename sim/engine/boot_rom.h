/*
 * A page of ROM at the top of memory, one for each processor: a GDT with flat segments, and the instructions
 * that lead from protected mode to the real-mode state in which a SIPI starts a processor. libunicorn cannot
 * start in real mode by itself.
 */
#ifndef SIM_ENGINE_BOOT_ROM_H
#define SIM_ENGINE_BOOT_ROM_H

#include <stdint.h>

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

/* Make BOOT_ROM_TO_REAL end at offset 0 of this real-mode segment. */
void boot_rom_set_segment(uint8_t *rom, uint16_t segment);

#endif
