/*
 * The memory operand of an instruction at store buffer, data TLB, cache line and bus, with the events of
 * each. Only explicit operands count: the stack accesses of PUSH, CALL and similar instructions cause no
 * events.
 */
#ifndef SIM_EVENTS_MEMORY_H
#define SIM_EVENTS_MEMORY_H

#include "post.h"

/* What happened to an access, for tagging. Uncached and locked accesses are never tagged. */
#define ACCESS_LOAD              (1u << 0)
#define ACCESS_STORE             (1u << 1)
#define ACCESS_SPLIT_LOAD        (1u << 2) /* crossed a cache line */
#define ACCESS_SPLIT_STORE       (1u << 3)
#define ACCESS_PARTIAL_DATA      (1u << 4) /* a load got only some of its bytes from the last store */
#define ACCESS_DTLB_MISSED_LOAD  (1u << 5)
#define ACCESS_DTLB_MISSED_STORE (1u << 6)

/* Events that depend on the operand. */
#define MEMORY_ACCESS_EVENTS                                                                              \
    (EVENT_BIT(NBPMU_MEMORY_COMPLETE) | EVENT_BIT(NBPMU_LOAD_PORT_REPLAY) |                               \
     EVENT_BIT(NBPMU_STORE_PORT_REPLAY) | EVENT_BIT(NBPMU_MOB_LOAD_REPLAY) |                              \
     EVENT_BIT(NBPMU_MEMORY_CANCEL) | EVENT_BIT(NBPMU_RESOURCE_STALL) | EVENT_BIT(NBPMU_PAGE_WALK_TYPE) | \
     EVENT_BIT(NBPMU_IOQ_ALLOCATION) | EVENT_BIT(NBPMU_IOQ_ACTIVE_ENTRIES) |                              \
     EVENT_BIT(NBPMU_BSQ_CACHE_REFERENCE) | EVENT_BIT(NBPMU_BSQ_ALLOCATION) |                             \
     EVENT_BIT(NBPMU_BSQ_ACTIVE_ENTRIES) | EVENT_BIT(NBPMU_FSB_DATA_ACTIVITY) |                           \
     EVENT_BIT(NBPMU_FRONT_END_EVENT) | EVENT_BIT(NBPMU_REPLAY_EVENT))

/* The linear address of the operand, before the instruction changes the registers it is made of. */
uint32_t memory_operand(const struct processor *processor, const struct insn *insn);

/*
 * The instruction accesses its operand at processor->operand: post the events of that for the next clock. A
 * store waits while the store buffer is full, and clocks pass meanwhile. Returns a set of ACCESS_ bits.
 */
unsigned memory_access(struct processor *processor, const struct insn *insn);

#endif
