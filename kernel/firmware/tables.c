/* What the readers of ACPI, SMBIOS and EFI tables share: checksums, and the extended BIOS data area. */
#include "firmware.h"
#include "kernel/lib/lib.h"

#define EBDA_LOWEST 0x500u
#define LOW_END     0xA0000u

bool checksum_good(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (; length > 0; length--)
        sum = (uint8_t)(sum + *bytes++);
    return sum == 0;
}

uint32_t ebda_base(void)
{
    const uint8_t *segment = phys_ptr(BDA_EBDA_SEGMENT, 2);
    uint32_t base = segment != NULL ? (uint32_t)load16le(segment) << 4 : 0;

    return base >= EBDA_LOWEST && base < LOW_END ? base : 0;
}
