#include "engine.h"

#include <stdlib.h>
#include <string.h>

bool engine_init(struct engine *engine)
{
    engine->decoder = decoder_new();
    engine->cache =
        aligned_alloc(sizeof(struct insn), sizeof *engine->cache); /* each in one line of the host's */
    if (engine->cache)
        memset(engine->cache, 0, sizeof *engine->cache);
    return engine->decoder && engine->cache;
}

void engine_free(struct engine *engine)
{
    decoder_free(engine->decoder);
    free(engine->cache);
}

void engine_empty_trace_caches(struct engine *engine)
{
    for (unsigned i = 0; i < engine->processor_count; i++)
        engine->processors[i].mode_tag += INSN_TAG_TRACE;
}
