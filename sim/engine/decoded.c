#include "decoded.h"

#include <string.h>
#include "engine.h"

/* Spread addresses over the entries of the second cache: 2^32 by the golden ratio, and the upper 16 bits of
 * the product. */
#define SPREAD       2654435761u
#define SPREAD_SHIFT 16

_Static_assert(UINT32_MAX >> SPREAD_SHIFT == INSN_CACHE_ENTRIES - 1, "the upper bits number the entries");

/* Is it the instruction with these first bytes? That is unknown of a longer one. */
static bool has_bytes(const struct insn *insn, uint64_t bytes)
{
    return insn->length <= sizeof bytes && (bytes & insn->mask) == insn->bytes;
}

void decoded_fetch(const struct processor *processor, struct insn *insn, uint32_t address)
{
    struct engine *engine = processor->engine;
    struct insn *kept = &engine->decoded->entry[address * SPREAD >> SPREAD_SHIFT];
    uint64_t tag = address | (processor->mode_tag & INSN_TAG_PLACE), bytes;

    memcpy(&bytes, engine->ram + address, sizeof bytes);
    if (kept->tag != tag || !has_bytes(kept, bytes)) {
        decode(engine->decoder, kept, engine->ram + address, address, tag & INSN_TAG_16BIT);
        timing_price(processor->timing, kept);
    }
    *insn = *kept;
}
