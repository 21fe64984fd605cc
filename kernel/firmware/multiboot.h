/*
 * The information that the multiboot loader handed over, version 1 or 2. It is copied at once, so that the
 * loader's memory may be overwritten afterwards.
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

/* The boot line; "" when there was none. */
const char *multiboot_boot_line(void);

/* True when the boot line was longer than BOOT_LINE_MAX, so that its end is missing. */
bool multiboot_boot_line_cut(void);

/* The name of the loader, cut to MULTIBOOT_NAME_MAX characters; "" when the loader does not give it. */
const char *multiboot_loader_name(void);

/* Version of multiboot: 1 or 2; 0 before multiboot_read(). */
unsigned multiboot_version(void);

/* The ACPI root pointer as multiboot 2 copies it (tag 15, else 14), or null; *length in bytes. */
const uint8_t *multiboot_rsdp(size_t *length);

/* The loader's description of the linear framebuffer that it left on (multiboot 1, or tag 8 of multiboot 2):
 * its bytes from the address to the last colour mask, laid out in the same way by both versions; or null. */
#define MULTIBOOT_FRAMEBUFFER_BYTES 30u
const uint8_t *multiboot_framebuffer(void);

/* True when the loader ran under UEFI, which only multiboot 2 reports. BIOS calls and BIOS data are not valid
 * then. */
bool multiboot_under_uefi(void);

/* Address of the UEFI system table, and the size of its pointers in bytes, 4 or 8. Returns 0 (and 4) when the
 * loader names none, or one above 4 GB. */
uint32_t multiboot_efi_system_table(unsigned *pointer_bytes);

/* The BIOS number of the boot drive. False when the loader does not give one, as under UEFI or from the
 * network. */
bool multiboot_boot_drive(uint8_t *drive);

#endif
