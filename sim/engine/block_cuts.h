/*
 * A way around a limit of libunicorn 2.0.1. Its translator has 512 temporaries for a block of straight-line
 * code and leaks two for every x87 register instruction, so that a block of more than about 230 such
 * instructions overruns the table and crashes. Therefore long runs of x87 instructions in the loaded image
 * are cut: their middle is made an exit address of libunicorn, which ends the block there and stops each
 * time.
 */
#ifndef SIM_ENGINE_BLOCK_CUTS_H
#define SIM_ENGINE_BLOCK_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unicorn/unicorn.h>

#define BLOCK_CUTS_MAX 512

struct block_cuts {
    uint64_t address[BLOCK_CUTS_MAX];
    size_t count;
};

/* Find where the code at ram[start..end) has to be cut, in at most BLOCK_CUTS_MAX places. */
void block_cuts_find(struct block_cuts *cuts, const uint8_t *ram, uint32_t start, uint32_t end);

/* Is this address a cut? */
bool block_cuts_has(const struct block_cuts *cuts, uint32_t address);

/* Make the cuts exit addresses of uc, all but the one at resume_at, where it is about to resume. */
void block_cuts_apply(const struct block_cuts *cuts, uc_engine *uc, uint32_t resume_at);

#endif
