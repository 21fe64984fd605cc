/*
 * The system table has two forms, with pointers of 4 and of 8 bytes, because a 64-bit UEFI starts this 32-bit
 * kernel too.
 */
#include "firmware.h"
#include "kernel/lib/lib.h"

#define SIGNATURE       "IBI SYST"
#define SIGNATURE_BYTES 8u

/* Offsets for pointers of this many bytes. Before these fields lie the header (24 bytes), FirmwareVendor,
 * FirmwareRevision (padded to a pointer), the three consoles with their handles, RuntimeServices and
 * BootServices. */
#define HEADER_BYTES       24u
#define COUNT_AT(bytes)    (HEADER_BYTES + 10 * (bytes)) /* NumberOfTableEntries */
#define TABLE_AT(bytes)    (HEADER_BYTES + 11 * (bytes)) /* ConfigurationTable */
#define SYSTEM_SIZE(bytes) (HEADER_BYTES + 12 * (bytes))

#define MOST_TABLES 256u

/* Read a pointer or UINTN of the given width; 0 when it does not fit in 32 bits. */
static uint32_t word(const uint8_t *at, unsigned bytes)
{
    return bytes == 8 && load32le(at + 4) != 0 ? 0 : load32le(at);
}

uint32_t efi_configuration(const uint8_t guid[EFI_GUID_BYTES])
{
    unsigned bytes;
    uint32_t address = multiboot_efi_system_table(&bytes);
    const uint8_t *system = address > 0 ? phys_ptr(address, SYSTEM_SIZE(bytes)) : NULL;

    if (system == NULL || memcmp(system, SIGNATURE, SIGNATURE_BYTES) != 0)
        return 0;
    uint32_t count = word(system + COUNT_AT(bytes), bytes), table = word(system + TABLE_AT(bytes), bytes);
    const uint32_t size = EFI_GUID_BYTES + bytes;
    for (uint32_t i = 0; i < count && i < MOST_TABLES; i++) {
        const uint8_t *entry = phys_ptr(table + i * size, size);
        if (entry == NULL)
            return 0;
        if (memcmp(entry, guid, EFI_GUID_BYTES) == 0)
            return word(entry + EFI_GUID_BYTES, bytes);
    }
    return 0;
}
