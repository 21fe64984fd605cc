/*
 * What the memory operand of an instruction meets: store buffer, data TLB, line and bus, and the events of
 * that. Only explicit memory operands: the stack accesses of PUSH, CALL and their kin are not looked at.
 */
#ifndef SIM_EVENTS_MEMORY_H
#define SIM_EVENTS_MEMORY_H

#include "post.h"

/* What happened to an access, for tagging. Uncached and locked accesses have none of it. */
#define ACCESS_LOAD              (1u << 0)
#define ACCESS_STORE             (1u << 1)
#define ACCESS_SPLIT_LOAD        (1u << 2) /* crossed a cache line */
#define ACCESS_SPLIT_STORE       (1u << 3)
#define ACCESS_PARTIAL_DATA      (1u << 4) /* a load that got only some of its bytes from the last store */
#define ACCESS_DTLB_MISSED_LOAD  (1u << 5)
#define ACCESS_DTLB_MISSED_STORE (1u << 6)

/* Events that need to know the operand. */
#define MEMORY_ACCESS_EVENTS                                                                              \
    (EVENT_BIT(NBPMU_MEMORY_COMPLETE) | EVENT_BIT(NBPMU_LOAD_PORT_REPLAY) |                               \
     EVENT_BIT(NBPMU_STORE_PORT_REPLAY) | EVENT_BIT(NBPMU_MOB_LOAD_REPLAY) |                              \
     EVENT_BIT(NBPMU_MEMORY_CANCEL) | EVENT_BIT(NBPMU_RESOURCE_STALL) | EVENT_BIT(NBPMU_PAGE_WALK_TYPE) | \
     EVENT_BIT(NBPMU_IOQ_ALLOCATION) | EVENT_BIT(NBPMU_IOQ_ACTIVE_ENTRIES) |                              \
     EVENT_BIT(NBPMU_BSQ_ALLOCATION) | EVENT_BIT(NBPMU_BSQ_ACTIVE_ENTRIES) |                              \
     EVENT_BIT(NBPMU_FSB_DATA_ACTIVITY) | EVENT_BIT(NBPMU_FRONT_END_EVENT) | EVENT_BIT(NBPMU_REPLAY_EVENT))

/* The linear address of the operand, before the instruction changes the registers it is made of. */
uint32_t memory_operand(const struct processor *processor, const struct insn *insn);

/*
 * The instruction accesses its operand at processor->operand: post what happens, as the next clock's
 * occurrences. A store that finds the store buffer full waits first, which lets clocks pass. Returns a set of
 * ACCESS_ bits.
 */
unsigned memory_access(struct processor *processor, const struct insn *insn);

#endif
