/*
 * What p4sim knows of a block of code: a piece of straight-line code that libunicorn translated as a whole.
 */
#ifndef SIM_ENGINE_BLOCK_H
#define SIM_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"
#include "sim/events/block_events.h"

#define BLOCK_INSTRUCTIONS 200u /* at most */

struct block {
    uint32_t address, bytes; /* linear; no bytes: nothing is known */
    uint64_t generation;     /* blocks_doubt(): it was sound at this one, */
    uint64_t mode_tag;       /* and in this mode with these traces */
    uint64_t code;           /* a hash of its bytes when libunicorn translated it */
    uint64_t events;         /* that its instructions may post */
    uint32_t twelfths;       /* of a clock, that it takes without the penalty of its branch */
    struct block_work work;  /* of its instructions */
    struct block *successor; /* in the loop engine: the block that came after it last */
    uint64_t run;            /* of the loop engine, in which it may be executed */
    bool barred;             /* what it did could not be accounted as a whole */
    bool microcoded;         /* some of it comes from the microcode ROM, */
    bool fp;                 /* and some has uops of the FLAME block */
    uint8_t tc_mode;         /* of its last instruction */
    struct insn *branch;     /* at its end; null: it goes on behind its last byte */
};

/* FNV-1a of the code bytes. */
uint64_t block_hash(const uint8_t *code, uint32_t bytes);

/*
 * Look up the instructions from block->address on in the instruction cache, and add up what they cost: as far
 * as they are there and need not be executed by themselves, up to a branch, and no more than `most` bytes.
 * Fills in bytes and the members behind `code`; no bytes: there is not even one such instruction.
 * False if it may become longer, when an instruction that is not there has been built.
 */
bool block_measure(struct block *block, const struct processor *processor, uint32_t most);

/* Stores are compared with the code that runs in subpages of this size (F18). */
#define EXECUTED_SUBPAGE 1024u

/* Is one of the block's instructions in the subpage of this address? */
static inline bool block_is_near(const struct block *block, uint32_t address)
{
    uint32_t subpage = address / EXECUTED_SUBPAGE;
    return subpage >= block->address / EXECUTED_SUBPAGE &&
           subpage <= (block->address + block->bytes - 1) / EXECUTED_SUBPAGE;
}

#endif
