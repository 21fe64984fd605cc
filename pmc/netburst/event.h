/*
 * The event table: all 47 documented NetBurst events (SDM Tables 19-28 to 19-30, 19-34; pmu-rules 4).
 */
#ifndef PMC_NETBURST_EVENT_H
#define PMC_NETBURST_EVENT_H

#include <stdint.h>

/* One row for each event class; its ESCRs are those of one unit, and the counters follow from the map. */
struct pmc_event {
    const char *name;    /* the manual's: "instr_retired" */
    uint8_t select;      /* ESCR[30:25] */
    uint8_t cccr_select; /* CCCR[15:13]; for b2b_cycles, bnr, snoop, response see event.c */
    uint16_t escr[2];    /* ESCR address on side 0 and side 1; 0 when the event does not exist there */
    uint16_t models;     /* bit m: exists on model m (0-4, 6) */
    char thread;         /* 'S' thread specific, 'I' thread independent, '?' not in Table 19-34 */
    /* 'X' exact, 'N' near-exact, 'R' relation, 'V' invariant, '-' never (pmu-rules 8.3) */
    char class;
    uint16_t members; /* the bits of the event mask that have a meaning */
    uint16_t
        only_19_34; /* of these, named only in Table 19-34, not in the event's own entry: may not exist */
};

#define PMC_EVENTS 47

/* Index into PMC_EVENT; the order of pmu-rules 4. */
enum pmc_event_id {
    EVENT_BPU_FETCH_REQUEST,
    EVENT_ITLB_REFERENCE,
    EVENT_MOB_LOAD_REPLAY,
    EVENT_PAGE_WALK_TYPE,
    EVENT_BSQ_CACHE_REFERENCE,
    EVENT_IOQ_ALLOCATION,
    EVENT_IOQ_ACTIVE_ENTRIES,
    EVENT_FSB_DATA_ACTIVITY,
    EVENT_BSQ_ALLOCATION,
    EVENT_BSQ_ACTIVE_ENTRIES,
    EVENT_GLOBAL_POWER_EVENTS,
    EVENT_B2B_CYCLES,
    EVENT_BNR,
    EVENT_SNOOP,
    EVENT_RESPONSE,
    EVENT_TC_DELIVER_MODE,
    EVENT_TC_MISC,
    EVENT_TC_MS_XFER,
    EVENT_UOP_QUEUE_WRITES,
    EVENT_RETIRED_BRANCH_TYPE,
    EVENT_RETIRED_MISPRED_BRANCH_TYPE,
    EVENT_MEMORY_CANCEL,
    EVENT_WC_BUFFER,
    EVENT_MEMORY_COMPLETE,
    EVENT_LOAD_PORT_REPLAY,
    EVENT_STORE_PORT_REPLAY,
    EVENT_SSE_INPUT_ASSIST,
    EVENT_PACKED_SP_UOP,
    EVENT_PACKED_DP_UOP,
    EVENT_SCALAR_SP_UOP,
    EVENT_SCALAR_DP_UOP,
    EVENT_64BIT_MMX_UOP,
    EVENT_128BIT_MMX_UOP,
    EVENT_X87_FP_UOP,
    EVENT_X87_SIMD_MOVES_UOP,
    EVENT_RESOURCE_STALL,
    EVENT_UOP_TYPE,
    EVENT_UOPS_RETIRED,
    EVENT_INSTR_RETIRED,
    EVENT_MISPRED_BRANCH_RETIRED,
    EVENT_INSTR_COMPLETED,
    EVENT_MACHINE_CLEAR,
    EVENT_X87_ASSIST,
    EVENT_BRANCH_RETIRED,
    EVENT_FRONT_END_EVENT,
    EVENT_REPLAY_EVENT,
    EVENT_EXECUTION_EVENT,
};

extern const struct pmc_event PMC_EVENT[PMC_EVENTS];

/* The names of the bits of an event's mask: "NBOGUSNTAG"; bits that the manual leaves without a name are
 * "BIT2", "TYPE_BIT0". Null where there is no member. The image does not use them, so it does not hold them.
 */
extern const char *const PMC_EVENT_MEMBER[PMC_EVENTS][16];

/* Event mask values by the manual's member names, for composing programmings. */
#define INSTR_RETIRED_NBOGUS    0x0003 /* the two that follow */
#define INSTR_RETIRED_NTAG      0x0001 /* NBOGUSNTAG */
#define INSTR_RETIRED_TAG       0x0002 /* NBOGUSTAG */
#define INSTR_COMPLETED_NBOGUS  0x0001
#define BRANCH_RETIRED_ALL      0x000F /* MMNP + MMNM + MMTP + MMTM */
#define BRANCH_RETIRED_TAKEN    0x000C /* MMTP + MMTM */
#define BRANCH_RETIRED_UNTAKEN  0x0003 /* MMNP + MMNM */
#define BRANCH_TYPE_CONDITIONAL 0x0002
#define BRANCH_TYPE_CALL        0x0004
#define BRANCH_TYPE_RETURN      0x0008
#define BRANCH_TYPE_INDIRECT    0x0010
#define UOPS_RETIRED_NBOGUS     0x0001
#define UOP_QUEUE_FROM_DELIVER  0x0002
#define UOP_QUEUE_FROM_ROM      0x0004
#define FIRM_ALL                0x8000 /* the ALL member of the FIRM events */
#define GLOBAL_POWER_RUNNING    0x0001
#define MEMORY_COMPLETE_LSC     0x0001
#define MEMORY_COMPLETE_SSC     0x0002
#define TC_MS_XFER_CISC         0x0001
#define X87_ASSIST_FPSU         0x0001 /* x87 stack underflow */
#define X87_ASSIST_FPSO         0x0002 /* x87 stack overflow */
#define X87_ASSIST_POAO         0x0004 /* result overflow */
#define X87_ASSIST_POAU         0x0008 /* result underflow */
#define X87_ASSIST_PREA         0x0010 /* operand */
#define X87_ASSIST_ALL          0x001F
#define MOVES_ALLP0             0x0008 /* x87_SIMD_moves_uop: stores, and moves between registers */
#define MOVES_ALLP2             0x0010 /* loads */
#define MACHINE_CLEAR_SMCLEAR   0x0040
#define UOP_TYPE_TAGLOADS       0x0002
#define UOP_TYPE_TAGSTORES      0x0004
#define RESOURCE_STALL_SBFULL   0x0020
#define LOAD_REPLAY_SPLIT_LD    0x0002
#define STORE_REPLAY_SPLIT_ST   0x0002
#define MOB_REPLAY_TAGGED       0x0030 /* PARTIAL_DATA + UNALGN_ADDR (Table 19-33) */
#define FRONT_END_NBOGUS        0x0001
#define REPLAY_NBOGUS           0x0001
#define EXECUTION_NBOGUS(k)     (1u << (k)) /* k = 0 to 3: uops whose tag value has bit k */
#define EXECUTION_NBOGUS_ALL    0x000F

/* Selects of the two events that constant programmings are composed from; the rows of PMC_EVENT use them. */
#define INSTR_RETIRED_SELECT       0x02
#define INSTR_RETIRED_CCCR_SELECT  4 /* CRU_ESCR0/1 */
#define BRANCH_RETIRED_SELECT      0x06
#define BRANCH_RETIRED_CCCR_SELECT 5 /* CRU_ESCR2/3 */

#endif
