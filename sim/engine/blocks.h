/*
 * Blocks of code that are accounted as a whole.
 *
 * Where no counted event, timer, interrupt or end of a turn can come before the end of a block, the
 * instruction hook only counts its instructions down, and what the block costs is added up at its end. Who
 * has to know sooner how far the processor is calls blocks_settle().
 */
#ifndef SIM_ENGINE_BLOCKS_H
#define SIM_ENGINE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include "block.h"

struct engine;
struct processor;

#define BLOCKS      8192u /* that are known, by address */
#define BLOCK_PAGE  4096u
#define BLOCK_PAGES 256u /* of code that may be in doubt; those 1 MB apart are in doubt together */

struct blocks {
    struct block block[BLOCKS];
    uint64_t generation[BLOCK_PAGES]; /* how often blocks_doubt() was called, and once more */
};

/* Prepare for blocks; without this call every instruction is executed by itself. False when out of memory. */
bool blocks_init(struct engine *engine);

/* The code at this address has changed, or is not in the instruction cache any more: what is known of blocks
 * there is to be checked before it is used. */
void blocks_doubt(struct engine *engine, uint32_t address);
/* The same of all blocks. */
void blocks_doubt_all(struct engine *engine);
/* A number that grows with each doubt of this block; never 0. */
uint64_t blocks_generation(const struct blocks *blocks, const struct block *block);

/* The block that starts at this address, as far as it can be accounted as a whole; null: it cannot. */
const struct block *blocks_find(const struct processor *processor, uint32_t address);

/*
 * Somebody wants to know, in the middle of a block that the instruction hook counts down, how far the
 * processor is: account the instructions before the one that executes, which becomes the pending one. Does
 * nothing between blocks.
 */
void blocks_settle(struct processor *processor);

#endif
