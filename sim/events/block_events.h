/*
 * The events of whole blocks of instructions, added up for the PMU to take at once (nbpmu_block.h). They are
 * what retire() would post, instruction by instruction.
 */
#ifndef SIM_EVENTS_BLOCK_EVENTS_H
#define SIM_EVENTS_BLOCK_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "branch.h"
#include "post.h"

/* Events that do not depend on data, so that they can be added up. The branch events depend on where the
 * branch at the end of the block went. */
#define BLOCK_EVENTS                                                                                      \
    (EVENT_BIT(NBPMU_UOPS_RETIRED) | EVENT_BIT(NBPMU_UOP_QUEUE_WRITES) | EVENT_BIT(NBPMU_INSTR_RETIRED) | \
     EVENT_BIT(NBPMU_INSTR_COMPLETED) | EVENT_BIT(NBPMU_TC_MS_XFER) | EVENT_BIT(NBPMU_TC_DELIVER_MODE) |  \
     BRANCH_EVENTS)

#define BRANCH_OUTCOMES 4u  /* members of branch_retired: MMNP to MMTM */
#define BRANCH_TYPES    32u /* sets of members of retired_branch_type */

/* What instructions do, whatever their data. */
struct block_work {
    uint32_t uops, rom_uops; /* from the trace cache, and from the microcode ROM */
    uint32_t instructions;
    uint32_t retired;   /* instructions, as instr_retired counts them (E13) */
    uint32_t transfers; /* to the microcode ROM, as tc_ms_xfer counts them */
};

/* What happened how often. */
struct block_counts {
    struct block_work work;
    uint32_t outcome[BRANCH_OUTCOMES], type[BRANCH_TYPES], mispredicted_type[BRANCH_TYPES];
};

/* Are some of BLOCK_EVENTS counted, and do they depend on nothing else as the registers stand? */
bool block_events_allowed(const struct processor *processor);

/* Would the PMU take any number of BLOCK_EVENTS that can happen within so many clocks at once? If so, also
 * within fewer. */
bool block_events_fit(const struct processor *processor, uint64_t clocks);

/* Add an instruction. */
void block_work_add(struct block_work *work, const struct processor *processor, const struct insn *insn);
/* Add a block. */
void block_events_add(struct block_counts *counts, const struct block_work *work);
/* Add what its branch adds. */
void block_events_add_branch(struct block_counts *counts, const struct insn *insn,
                             struct branch_outcome outcome);
/*
 * Add an instruction to what has been posted since the last clock passed, and let its clocks pass. `earlier`
 * twelfths of a clock are over before it; a penalty in clocks follows it. Afterwards `open` is what waits for
 * the next clock.
 */
void block_events_pass(struct block_counts *open, const struct processor *processor, const struct insn *insn,
                       unsigned earlier, uint64_t penalty, const struct branch_outcome *outcome);

/*
 * Let clocks (1 or more) pass with these events, but for those in `open`, which are posted for the clock
 * after them. False if the PMU does not take them at once; then nothing has happened.
 */
bool block_events_take(struct processor *processor, uint64_t clocks, const struct block_counts *counts,
                       const struct block_counts *open);

#endif
