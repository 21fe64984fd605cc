/*
 * What the translator of a libunicorn engine fetches, and where it has to stop (translation.h says why).
 *
 * Blocks are cut before an address by making it one of libunicorn's exit addresses. RAM is mapped without the
 * right to execute (ram_stores.h), so that libunicorn asks a hook about each fetch.
 */
#ifndef SIM_ENGINE_FETCHES_H
#define SIM_ENGINE_FETCHES_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"

#define FETCHES_BLOCK 384u /* a block is cut after so many bytes */
#define FETCHES_INSN  16u  /* the next instruction starts within so many bytes */

/*
 * The translator fetches size bytes. False: the fetch must be refused, because these bytes are the second of
 * CALL FAR or JMP FAR with a register; translation->refused is their address.
 */
bool fetches_note(struct translation *translation, struct engine *engine, uint32_t address, unsigned size);

/* Is the block, of which that was a part, so long that it must be cut? */
bool fetches_too_long(const struct translation *translation);

/* The block ends before whichever of these addresses the next instruction starts at: up to FETCHES_INSN. */
void fetches_cut(struct translation *translation, uc_engine *uc, uint32_t first, uint32_t last);
/* As fetches_cut(), behind what was fetched last. */
void fetches_cut_here(struct translation *translation, uc_engine *uc);

/* The block that is being cut is translated, or will not be: remove the exit addresses. Does nothing without
 * any. */
void fetches_end_cut(struct translation *translation, uc_engine *uc);

/* What is fetched next begins a block. */
void fetches_end_block(struct translation *translation);

/* A kind of hook: about each fetch from RAM. False when libunicorn refuses. */
typedef bool fetches_hook_fn(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                             void *context);
/* Install it in a new engine, which can have exit addresses from now on. False when libunicorn refuses. */
bool fetches_install(uc_engine *uc, fetches_hook_fn *hook, void *context);

#endif
