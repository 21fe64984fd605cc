#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include "blocks.h"

bool engine_init(struct engine *engine, bool blocks)
{
    engine->decoder = decoder_new();
    engine->cache =
        aligned_alloc(sizeof(struct insn), sizeof *engine->cache); /* each in one line of the host's */
    if (engine->cache)
        memset(engine->cache, 0, sizeof *engine->cache);
    engine->decoded = calloc(1, sizeof *engine->decoded);
    return engine->decoder && engine->cache && engine->decoded && (!blocks || blocks_init(engine));
}

void engine_free(struct engine *engine)
{
    decoder_free(engine->decoder);
    free(engine->cache);
    free(engine->decoded);
    free(engine->blocks);
}

void engine_empty_trace_caches(struct engine *engine)
{
    for (unsigned i = 0; i < engine->processor_count; i++)
        engine->processors[i].mode_tag += INSN_TAG_TRACE;
}
