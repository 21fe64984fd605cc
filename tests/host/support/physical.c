#include "physical.h"

#include <string.h>
#include "kernel/firmware/memory_map.h"

uint8_t memory[TOP];

const uint8_t *physical(uint32_t address, uint32_t length)
{
    return address < TOP && length <= TOP - address ? memory + address : NULL;
}

void clear_memory(void)
{
    memset(memory, 0, sizeof(memory));
}

void put(uint32_t at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        memory[at + i] = (uint8_t)(value >> 8 * i);
}

void seal(uint32_t at, uint32_t length, uint32_t sum_at)
{
    uint8_t sum = 0;

    memory[sum_at] = 0;
    for (uint32_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + memory[at + i]);
    memory[sum_at] = (uint8_t)-sum;
}
