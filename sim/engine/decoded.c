#include "decoded.h"

#include "engine.h"

/* Spread addresses over the entries of the second cache: 2^32 by the golden ratio, and the upper 16 bits of
 * the product. */
#define SPREAD       2654435761u
#define SPREAD_SHIFT 16

_Static_assert(UINT32_MAX >> SPREAD_SHIFT == INSN_CACHE_ENTRIES - 1, "the upper bits number the entries");

void decoded_fetch(const struct processor *processor, struct insn *insn, uint32_t address)
{
    struct engine *engine = processor->engine;
    struct insn *kept = &engine->decoded->entry[address * SPREAD >> SPREAD_SHIFT];
    uint64_t tag = address | (processor->mode_tag & INSN_TAG_PLACE);
    const uint8_t *code = engine->ram + address;

    if (!insn_is_current(kept, tag, code) || kept->length > sizeof kept->bytes) {
        decode_instruction(engine->decoder, kept, code, address, tag & INSN_TAG_16BIT);
        timing_price(processor->timing, kept);
    }
    *insn = *kept;
}
