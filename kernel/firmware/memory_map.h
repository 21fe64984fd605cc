/*
 * The map of physical memory that the loader handed over, and access to the memory that firmware tables point
 * to. multiboot.c fills the map.
 */
#ifndef KERNEL_FIRMWARE_MEMORY_MAP_H
#define KERNEL_FIRMWARE_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Forget all ranges. */
void memory_map_clear(void);

/* Add a range of bytes, RAM or reserved. Its part above FEC00000H is left out, and so is a range that wraps
 * at 64 bits or does not fit in the table. */
void memory_map_add(uint64_t base, uint64_t length, bool ram);

/* True when no range was kept. */
bool memory_map_empty(void);

/*
 * Complete a map that names RAM alone, as that of iPXE does: add the memory from the end of RAM up to the
 * next multiple of 16 MB as reserved, because a BIOS keeps its ACPI tables there. Does nothing when the map
 * names reserved memory.
 */
void memory_map_add_firmware(void);

/* All RAM that was added, in KB. */
uint64_t memory_map_ram_kb(void);

/* True when any byte of [begin, begin + length) is RAM. */
bool memory_map_touches_ram(uint64_t begin, uint64_t length);

/*
 * Returns a pointer for reading when all of [address, address + length) lies below 1 MB or within one range
 * of the map, else null. Everything that firmware's tables point to goes through this.
 */
const uint8_t *phys_ptr(uint32_t address, uint32_t length);

/* Returns a 4 KB page of free RAM below 640 KB, for the start-up code of the other logical processor, or 0.
 */
uint32_t memory_map_low_page(void);

/* Returns so many bytes (a power of two, at least 4096) of free RAM, aligned to their number, above that page
 * and below 640 KB, or 0. */
uint32_t memory_map_low_area(uint32_t bytes);

#endif
