/*
 * Blocks that the instruction hook counts down (blocks.h) although events of them are counted: what several
 * of them did is kept, and the PMU takes it at once (nbpmu_block.h).
 *
 * It is asked beforehand whether it takes any events of BLOCK_EVENTS until a core clock to come. Where it
 * does not take what is kept after all, that is posted instruction by instruction, which is as good: all of
 * it lies before that clock, so no counter overflows.
 */
#ifndef SIM_ENGINE_COUNTED_H
#define SIM_ENGINE_COUNTED_H

#include <stdbool.h>
#include <stdint.h>
#include "visit.h"

#define COUNTED_VISITS 128u

struct counted {
    uint64_t end;     /* core clock until which the PMU takes the events; 0: it is to be asked */
    unsigned refused; /* blocks until it is asked again, since it did not */
    bool block;       /* the block that is counted down is one of these */
    uint64_t spent;   /* twelfths of a clock since core->clock: those of the processor, and of the visits */
    unsigned visits;
    struct visit visit[COUNTED_VISITS]; /* that the PMU has not seen */
};

/* May this block, of whose events these are counted, be counted down? Then it is the one that is. */
bool counted_begin(struct processor *processor, const struct block *block, uint64_t heard);

/* That block has executed, and the processor goes on at next. */
void counted_end(struct processor *processor, uint32_t next);

/* Let the PMU see all visits. Between blocks, nothing is kept afterwards. */
void counted_settle(struct processor *processor);

/* As counted_settle(), and what the PMU was asked holds no longer: its registers, or whose turn it is, may
 * change. Does nothing where no blocks are known (blocks.h). */
void counted_stop(struct processor *processor);

#endif
