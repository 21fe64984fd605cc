/*
 * A block of code that was executed as a whole while events were counted: the PMU is to take what it did.
 */
#ifndef SIM_ENGINE_VISIT_H
#define SIM_ENGINE_VISIT_H

#include "block.h"

struct visit {
    const struct block *block;
    unsigned earlier; /* twelfths of a clock that were over before it */
    uint64_t penalty; /* clocks behind its branch */
    struct branch_outcome outcome;
};

/* Within so many blocks, or fewer, a clock passes: they have as many instructions or more. */
#define VISITS_OPEN 4u

/* The block has executed, and the processor went on at next. */
struct visit visit_end(struct processor *processor, const struct block *block, unsigned earlier,
                       uint32_t next);

/* Add its events to the others. */
void visit_add(struct block_counts *counts, const struct visit *visit);

/* The same for each of the last VISITS_OPEN visits, in their order, from nothing: afterwards `open` is what
 * was posted in them and waits for the next clock. */
void visit_add_open(struct block_counts *open, const struct processor *processor, const struct visit *visit);

/* Post its events instruction by instruction. It is the earliest of those that the PMU has not seen. */
void visit_replay(struct processor *processor, const struct visit *visit);

#endif
