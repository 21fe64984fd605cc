#include "physical.h"

#include <string.h>
#include "kernel/firmware/firmware.h"

uint8_t image_memory[IMAGE_TOP];

const uint8_t *phys_ptr(uint32_t address, uint32_t length)
{
    return address < IMAGE_TOP && length <= IMAGE_TOP - address ? image_memory + address : NULL;
}

void image_clear(void)
{
    memset(image_memory, 0, sizeof image_memory);
}

void image_put(uint32_t at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        image_memory[at + i] = (uint8_t)(value >> 8 * i);
}

void image_fix_checksum(uint32_t at, uint32_t length, uint32_t sum_at)
{
    uint8_t sum = 0;

    image_memory[sum_at] = 0;
    for (uint32_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + image_memory[at + i]);
    image_memory[sum_at] = (uint8_t)-sum;
}
