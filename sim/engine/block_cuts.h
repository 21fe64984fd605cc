/*
 * A way around a limit of libunicorn 2.0.1: its translator has 512 temporaries for a block of straight-line
 * code and leaks two for every x87 register instruction, so that a block of more than about 230 of them
 * overruns the table and crashes. Long x87 runs of the loaded image are therefore cut: libunicorn ends a
 * block at an exit address, and stops there each time.
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

/* Find where the code at ram[start..end) has to be cut. At most BLOCK_CUTS_MAX cuts are made. */
void block_cuts_find(struct block_cuts *cuts, const uint8_t *ram, uint32_t start, uint32_t end);

/* Is this address a cut? */
bool block_cuts_has(const struct block_cuts *cuts, uint32_t address);

/* Tell an engine all cuts but the one where it goes on now (any other address: all of them). */
void block_cuts_apply(const struct block_cuts *cuts, uc_engine *uc, uint32_t resume_at);

#endif
