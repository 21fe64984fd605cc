#include "blocks.h"

#include <stdlib.h>
#include "engine.h"
#include "sim/events/retire.h"

#define MOST_BYTES 1024u /* of a block */

bool blocks_init(struct engine *engine)
{
    engine->blocks = calloc(1, sizeof *engine->blocks);
    blocks_doubt_all(engine); /* so that no generation is 0, which stands for a block that was not measured */
    return engine->blocks != NULL;
}

void blocks_doubt(struct engine *engine, uint32_t address)
{
    if (engine->blocks)
        engine->blocks->generation[address / BLOCK_PAGE % BLOCK_PAGES]++;
}

void blocks_doubt_all(struct engine *engine)
{
    for (unsigned page = 0; engine->blocks && page < BLOCK_PAGES; page++)
        engine->blocks->generation[page]++;
}

uint64_t blocks_generation(const struct blocks *blocks, const struct block *block)
{
    uint32_t last = block->address + block->bytes - 1;
    return blocks->generation[block->address / BLOCK_PAGE % BLOCK_PAGES] +
           blocks->generation[last / BLOCK_PAGE % BLOCK_PAGES];
}

const struct block *blocks_find(const struct processor *processor, uint32_t address)
{
    struct blocks *blocks = processor->engine->blocks;
    if (!blocks || processor->ram_writable)
        return NULL;
    struct block *block = &blocks->block[address % BLOCKS];
    if (block->address == address && block->generation == blocks_generation(blocks, block) &&
        block->mode_tag == processor->mode_tag)
        return block->bytes ? block : NULL;
    if (address > RAM_SIZE - MOST_BYTES)
        return NULL;
    block->address = address;
    block->generation = block_measure(block, processor, MOST_BYTES) ? blocks_generation(blocks, block) : 0;
    block->mode_tag = processor->mode_tag;
    return block->bytes ? block : NULL;
}

void blocks_settle(struct processor *processor)
{
    const struct block *block = processor->block;
    struct engine *engine = processor->engine;
    if (!processor->ahead)
        return;
    uint32_t address = block->address;
    struct insn *insn = insn_slot(engine->cache, address);
    unsigned before = block->work.instructions - processor->ahead;
    uint64_t clocks = 0;
    for (unsigned i = 0; i < before; i++) {
        clocks += retire_clocks(processor, insn);
        retire_twelfths(processor, insn);
        if (core_active_events(processor->core))
            processor->tc_mode = retire_tc_mode(insn);
        address += insn->length;
        insn = insn_slot(engine->cache, address);
    }
    core_pass_unseen(processor->core, clocks);
    engine->instructions += before + 1;
    processor->pending = insn;
    processor->shadow = processor->shadow && !before;
    processor->ahead = 0;
}
