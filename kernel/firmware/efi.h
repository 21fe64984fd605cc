/*
 * The configuration tables of UEFI, which its system table lists (UEFI specification 4.3 and 4.6). Portable
 * C: the host tests compile this file too.
 */
#ifndef KERNEL_FIRMWARE_EFI_H
#define KERNEL_FIRMWARE_EFI_H

#include <stdint.h>

#define EFI_GUID_BYTES 16

/*
 * Returns the address of the configuration table with this GUID (its 16 bytes in the order of memory), or 0
 * when the loader named no system table, the table is not listed, or it lies above 4 GB.
 */
uint32_t efi_configuration(const uint8_t guid[EFI_GUID_BYTES]);

#endif
