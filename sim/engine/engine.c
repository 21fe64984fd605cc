#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HOST_HUGE_PAGE (1u << 21)

bool engine_init(struct engine *engine)
{
    engine->decoder = decoder_new();
    /* Large pages of the host, where it has them, take a fifth of the time to get. */
    engine->cache = aligned_alloc(HOST_HUGE_PAGE, sizeof *engine->cache);
    if (engine->cache) {
        madvise(engine->cache, sizeof *engine->cache, MADV_HUGEPAGE);
        memset(engine->cache, 0, sizeof *engine->cache);
    }
    engine->decoded = calloc(1, sizeof *engine->decoded);
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
