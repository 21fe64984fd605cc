/*
 * What the multiboot loader handed over (version 1 or 2), copied at once: afterwards nothing of the loader's
 * memory is needed any more.
 */
#ifndef KERNEL_FIRMWARE_MULTIBOOT_H
#define KERNEL_FIRMWARE_MULTIBOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_LINE_MAX 1024 /* a longer line is cut there, and multiboot_boot_line_cut() says so */

#define MULTIBOOT_NAME_MAX 60

/* Read the information at address, in place of any read before. False when magic is neither multiboot's. Call
 * it first. */
bool multiboot_read(uint32_t magic, uint32_t address);

/* The boot line, "" when there was none. */
const char *multiboot_boot_line(void);
/* True when it was longer than BOOT_LINE_MAX: its end is missing. */
bool multiboot_boot_line_cut(void);

/* What the loader calls itself, "" when it does not tell; cut to MULTIBOOT_NAME_MAX characters. */
const char *multiboot_loader_name(void);

/* Which multiboot it spoke: 1 or 2; 0 before multiboot_read(). */
unsigned multiboot_version(void);

/* The ACPI root pointer as multiboot 2 copies it (tag 15, else 14), or null; *length in bytes. */
const uint8_t *multiboot_rsdp(size_t *length);

/* The loader's description of the linear framebuffer that it left on (multiboot 1, or tag 8 of multiboot 2):
 * its bytes from the address to the last colour mask, laid out in the same way by both versions; or null. */
#define MULTIBOOT_FRAMEBUFFER_BYTES 30u
const uint8_t *multiboot_framebuffer(void);

/* True when the loader ran under UEFI (multiboot 2 tells): there are no BIOS areas to believe. */
bool multiboot_under_uefi(void);

/* Address of UEFI's system table, and of how many bytes its pointers are: 4 or 8. 0 (and 4) when the loader
 * tells none, or one that is not below 4 GB. */
uint32_t multiboot_efi_system_table(unsigned *pointer_bytes);

/* The BIOS's number of the drive that we were loaded from. False when the loader does not tell one: UEFI,
 * network. */
bool multiboot_boot_drive(uint8_t *drive);

#endif
