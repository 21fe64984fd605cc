/*
 * What the readers of the firmware's tables (ACPI, SMBIOS, EFI) share. Portable C: the host tests compile
 * these files over a memory of their own.
 *
 * Nothing in the tables can be trusted: every pointer goes through phys_ptr() (memory_map.h), every length is
 * checked against the memory that it lies in, and every table has a checksum.
 */
#ifndef KERNEL_FIRMWARE_TABLES_H
#define KERNEL_FIRMWARE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when all bytes add up to 0, modulo 256. */
bool checksum_good(const uint8_t *bytes, size_t length);

/* Base of the extended BIOS data area, whose segment is the word at 40EH; 0 when it is not between 500H and
 * 640 KB. */
uint32_t ebda_base(void);

#endif
