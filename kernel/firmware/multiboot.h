/*
 * What the multiboot loader handed over (version 1 or 2), copied at once: afterwards nothing of the loader's
 * memory is needed any more.
 */
#ifndef KERNEL_FIRMWARE_MULTIBOOT_H
#define KERNEL_FIRMWARE_MULTIBOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/console/framebuffer.h"

#define BOOT_LINE_MAX 1024 /* a longer line is cut there, and loader_boot_line_cut() says so */

#define LOADER_NAME_MAX 60

/* Read the information at address, in place of any read before. False when magic is neither multiboot's. Call
 * it first. */
bool loader_read(uint32_t magic, uint32_t address);

/* The boot line, "" when there was none. */
const char *loader_boot_line(void);
/* True when it was longer than BOOT_LINE_MAX: its end is missing. */
bool loader_boot_line_cut(void);

/* What the loader calls itself, "" when it does not tell; cut to LOADER_NAME_MAX characters. */
const char *loader_name(void);

/* Which multiboot it spoke: 1 or 2; 0 before loader_read(). */
unsigned loader_version(void);

/* All the RAM that it told of, in KB. */
uint64_t loader_memory_kb(void);

/* The ACPI root pointer as multiboot 2 copies it (tag 15, else 14), or null; *length in bytes. */
const uint8_t *loader_rsdp(size_t *length);

/* The linear framebuffer (multiboot 1, or tag 8 of multiboot 2) that the loader left on, or null when there
 * is none or it is not usable (framebuffer.h, or it overlaps what the memory map calls RAM). */
const struct framebuffer *loader_framebuffer(void);

/* True when the loader ran under UEFI (multiboot 2 tells): there are no BIOS areas to believe. */
bool loader_under_uefi(void);

/* Address of UEFI's system table, and of how many bytes its pointers are: 4 or 8. 0 (and 4) when the loader
 * tells none, or one that is not below 4 GB. */
uint32_t loader_efi_system_table(unsigned *pointer_bytes);

/*
 * Physical memory for reading: a pointer when all of [address, address + length) lies below 1 MB or within
 * one range of the loader's memory map (without a map: below the top of memory the loader told; of a map that
 * names RAM alone: also above its top, up to the next 16 MB), else null. Everything firmware's tables point
 * to goes through this.
 */
const uint8_t *physical(uint32_t address, uint32_t length);

/* The BIOS's number of the drive that we were loaded from. False when the loader does not tell one: UEFI,
 * network. */
bool loader_boot_drive(uint8_t *drive);

/* A 4 KB page of free RAM below 640 KB for the start-up code of LP1, or 0. */
uint32_t loader_low_page(void);

/* bytes (a power of two, 4 KB at least) of free RAM above that page and below 640 KB, on a boundary of as
 * many; or 0. */
uint32_t loader_low_area(uint32_t bytes);

#endif
