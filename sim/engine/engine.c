/*
 * What all logical processors of a machine share: decoder, caches of decoded instructions, and the map of
 * the code that libunicorn has translated.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HOST_HUGE_PAGE (1u << 21)

/* Large pages of the host, where it has them, take a fifth of the time to get. */
static struct insn_cache *cache_new(void)
{
    struct insn_cache *cache = aligned_alloc(HOST_HUGE_PAGE, sizeof *cache);
    if (cache) {
        madvise(cache, sizeof *cache, MADV_HUGEPAGE);
        memset(cache, 0, sizeof *cache);
    }
    return cache;
}

bool engine_init(struct engine *engine)
{
    engine->decoder = decoder_new();
    engine->cache = cache_new();
    engine->decoded = cache_new();
    return engine->decoder && engine->cache && engine->decoded;
}

void engine_free(struct engine *engine)
{
    decoder_free(engine->decoder);
    free(engine->cache);
    free(engine->decoded);
}

void engine_empty_trace_caches(struct engine *engine)
{
    for (unsigned i = 0; i < engine->processor_count; i++)
        engine->processors[i].mode_tag += INSN_TAG_TRACE;
}

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
