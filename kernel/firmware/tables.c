#include "tables.h"
#include "memory_map.h"
#include "multiboot.h"

#define BDA_EBDA_SEGMENT 0x40Eu
#define EBDA_LOWEST      0x500u
#define LOW_END          0xA0000u

bool checksum_good(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (; length > 0; length--)
        sum = (uint8_t)(sum + *bytes++);
    return sum == 0;
}

uint16_t field16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t field32(const uint8_t *at)
{
    return field16(at) | (uint32_t)field16(at + 2) << 16;
}

uint32_t ebda_base(void)
{
    const uint8_t *segment = physical(BDA_EBDA_SEGMENT, 2);
    uint32_t base = segment != 0 ? (uint32_t)field16(segment) << 4 : 0;

    return base >= EBDA_LOWEST && base < LOW_END ? base : 0;
}
