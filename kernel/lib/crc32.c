/* By nibbles: a table of 16 entries, made by the compiler, is fast enough for a log. */
#include "lib.h"

#define POLYNOMIAL  0xEDB88320u /* 04C11DB7H, its bits reflected */
#define STEP(value) ((value) >> 1 ^ ((value)&1 ? POLYNOMIAL : 0))
#define ENTRY(n)    STEP(STEP(STEP(STEP((uint32_t)(n)))))

static const uint32_t TABLE[16] = {ENTRY(0),  ENTRY(1),  ENTRY(2),  ENTRY(3), ENTRY(4),  ENTRY(5),
                                   ENTRY(6),  ENTRY(7),  ENTRY(8),  ENTRY(9), ENTRY(10), ENTRY(11),
                                   ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15)};

uint32_t crc32_update(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *byte = data;

    crc = ~crc;
    for (; n > 0; n--, byte++) {
        crc = TABLE[(crc ^ *byte) & 15] ^ crc >> 4;
        crc = TABLE[(crc ^ *byte >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}
