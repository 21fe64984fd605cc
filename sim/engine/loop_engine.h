/*
 * The engine that executes whole blocks (loops.h): its hooks, and what it has done since it took over.
 */
#ifndef SIM_ENGINE_LOOP_ENGINE_H
#define SIM_ENGINE_LOOP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include "block.h"
#include "sim/cpu/processor.h"
#include "sim/events/block_events.h"

#define LOOP_BLOCKS 4096u      /* that it knows */
#define LOOP_STORES 4096u      /* that can be undone */
#define LOOP_HEATS  4096u      /* addresses whose jumps back are counted */
#define LOOP_CODE   (1u << 15) /* bytes that it translates before it is renewed */

struct loop_store {
    uint32_t address;
    uint8_t bytes, old[8];
};

/* A block that was executed, from which on the twelfths of a clock were over, and how it ended. */
struct loop_visit {
    const struct block *block;
    unsigned earlier;
    uint64_t penalty; /* clocks */
    struct branch_outcome outcome;
};

#define LOOP_LAST 4u /* blocks, within which a clock passes: they have as many instructions or more */

struct loops {
    uc_engine *uc;                   /* null until it is needed */
    uc_context *from, *to;           /* the processor's state when it takes over and when it gives back */
    struct block block[LOOP_BLOCKS]; /* as libunicorn translated them */
    int16_t heat[LOOP_HEATS];
    uint64_t stop_clock; /* of the processor when a loop was found worthwhile */

    struct translation translation;

    uint64_t run; /* how often it took over */
    /* Since it took over: */
    struct processor *processor;
    struct block *current;      /* the block that executes */
    uint64_t spent, budget;     /* twelfths of a clock that passed, and that may pass */
    bool counts;                /* events of blocks are counted, */
    uint64_t counted;           /* and those that are must not occur otherwise */
    struct block_counts events; /* in all, without those of the last blocks: */
    struct loop_visit last[LOOP_LAST];
    unsigned visits; /* in all */
    uint64_t instructions;
    uint8_t tc_mode;     /* of the last one, */
    struct insn *branch; /* and the branch that ended it */
    bool leaving;        /* it stops before the block at left_at */
    bool failed;         /* it has to be undone */
    uint32_t left_at;

    /* What is restored when it failed. */
    struct predictor predictor;
    struct random random;
    uint32_t ram_store;
    struct loop_store undo[LOOP_STORES];
    unsigned stores;
};

/* Open the engine over this memory. False when libunicorn refuses; close it then, too. */
bool loop_engine_open(struct loops *loops, uint8_t *ram);
void loop_engine_close(struct loops *loops);

/* These bytes of code have changed: drop what was translated of them. */
void loop_engine_drop(struct loops *loops, uint32_t address, size_t bytes);

#endif
