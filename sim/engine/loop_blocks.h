/*
 * Which blocks the engine of loops.h may execute, and what they add up to.
 */
#ifndef SIM_ENGINE_LOOP_BLOCKS_H
#define SIM_ENGINE_LOOP_BLOCKS_H

#include <stdint.h>
#include "loop_engine.h"

/* The current block has executed, if there is one, and this one is next: it becomes the current one, or the
 * engine stops before it. */
void loop_blocks_next(struct loops *loops, uint32_t address, uint32_t bytes);

/* The current block has executed, and next comes after it. */
void loop_blocks_account(struct loops *loops, uint32_t next);

/* The events of a block that was executed are added to the others. */
void loop_blocks_add(struct loops *loops, const struct loop_visit *visit);

#endif
