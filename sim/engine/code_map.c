#include "code_map.h"

#include "engine.h"

void code_map_note(struct engine *engine, uint32_t address, unsigned bytes)
{
    for (uint32_t at = address; at < address + bytes && at < RAM_SIZE; at++)
        engine->code_map[at / 8] |= (uint8_t)(1u << at % 8);
}

bool code_map_has(const struct engine *engine, uint32_t address, size_t bytes)
{
    const uint8_t *map = &engine->code_map[address / 8];
    unsigned bits = map[0] | (unsigned)map[1] << 8;
    return bits >> address % 8 & ((1u << bytes) - 1);
}
