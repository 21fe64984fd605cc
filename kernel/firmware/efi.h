/*
 * What UEFI leaves behind for those it has started: the configuration tables that its system table lists
 * (UEFI specification 4.3 and 4.6). Portable C: the host tests compile the same file.
 */
#ifndef KERNEL_FIRMWARE_EFI_H
#define KERNEL_FIRMWARE_EFI_H

#include <stdint.h>

#define EFI_GUID_BYTES 16

/*
 * Address of the configuration table with this GUID (as it lies in memory), read by phys_ptr() of
 * memory_map.h from the system table that the loader told; 0 when there is none, or it is not below 4 GB.
 */
uint32_t efi_configuration(const uint8_t guid[EFI_GUID_BYTES]);

#endif
