/*
 * The event table, to be read beside SDM Tables 19-28 (non-retirement), 19-29 and 19-30 (at-retirement) and
 * 19-34 (thread specific or independent).
 *
 * A row cannot express this: IOQ_allocation works on FSB_ESCR1 from CPUID 0F27H on only (PMC_E10) and its
 * masks combine differently on models 0 and 1 (PMC_E12); IOQ_active_entries and bsq_active_entries need the
 * allocation event of the other side programmed with the same mask; load_port_replay as a replay tag needs
 * SAAT_ESCR1; TC_misc counts each occurrence twice; uop_type only tags and never counts (R15).
 */
#include <stddef.h>
#include "event.h"
#include "regs.h"

/* clang-format off */

#define ALL_MODELS  ((1u << 0) | (1u << 1) | (1u << 2) | (1u << 3) | (1u << 4) | (1u << 6))
#define FROM_MODEL3 ((1u << 3) | (1u << 4) | (1u << 6))

/* Members of the event masks, M(bit, name); M_34 for those that Table 19-34 alone names. */

#define TCMISS(M, M_34) M(0, TCMISS)
#define ITLB(M, M_34) M(0, HIT) M(1, MISS) M(2, HIT_UC)
#define MOB_REPLAY(M, M_34) M(1, NO_STA) M(3, NO_STD) M(4, PARTIAL_DATA) M(5, UNALGN_ADDR)
#define PAGE_WALK(M, M_34) M(0, DTMISS) M(1, ITMISS)
#define BSQ_CACHE(M, M_34) M(0, RD_2ndL_HITS) M(1, RD_2ndL_HITE) M(2, RD_2ndL_HITM) M(3, RD_3rdL_HITS) \
    M(4, RD_3rdL_HITE) M(5, RD_3rdL_HITM) M_34(6, WR_2ndL_HIT) M_34(7, WR_3rdL_HIT) M(8, RD_2ndL_MISS) \
    M(9, RD_3rdL_MISS) M(10, WR_2ndL_MISS) M_34(11, WR_3rdL_MISS)
/* bits 4:0 are one field, the request type; 00001B is the default */
#define IOQ(M, M_34) M(0, TYPE_BIT0) M(1, TYPE_BIT1) M(2, TYPE_BIT2) M(3, TYPE_BIT3) M(4, TYPE_BIT4) \
    M(5, ALL_READ) M(6, ALL_WRITE) M(7, MEM_UC) M(8, MEM_WC) M(9, MEM_WT) M(10, MEM_WP) M(11, MEM_WB) \
    M(13, OWN) M(14, OTHER) M(15, PREFETCH)
#define FSB_DATA(M, M_34) M(0, DRDY_DRV) M(1, DRDY_OWN) M(2, DRDY_OTHER) M(3, DBSY_DRV) M(4, DBSY_OWN) \
    M(5, DBSY_OTHER)
/* bits 1:0, 3:2 and 13:11 are fields: request type, length in chunks, memory type */
#define BSQ(M, M_34) M(0, REQ_TYPE0) M(1, REQ_TYPE1) M(2, REQ_LEN0) M(3, REQ_LEN1) M(5, REQ_IO_TYPE) \
    M(6, REQ_LOCK_TYPE) M(7, REQ_CACHE_TYPE) M(8, REQ_SPLIT_TYPE) M(9, REQ_DEM_TYPE) M(10, REQ_ORD_TYPE) \
    M(11, MEM_TYPE0) M(12, MEM_TYPE1) M(13, MEM_TYPE2)
#define RUNNING(M, M_34) M(0, RUNNING)
#define B2B(M, M_34) M(1, BIT1) M(2, BIT2) M(3, BIT3) M(4, BIT4) M(5, BIT5) M(6, BIT6)
#define BNR(M, M_34) M(0, BIT0) M(1, BIT1) M(2, BIT2)
#define SNOOP(M, M_34) M(2, BIT2) M(6, BIT6) M(7, BIT7)
#define RESPONSE(M, M_34) M(1, BIT1) M(2, BIT2) M(8, BIT8) M(9, BIT9)
/* first letter logical processor 0, second 1: Deliver, Build, Inactive */
#define TC_MODE(M, M_34) M(0, DD) M(1, DB) M(2, DI) M(3, BD) M(4, BB) M(5, BI) M(6, ID) M(7, IB)
#define FLUSH(M, M_34) M(4, FLUSH)
#define CISC(M, M_34) M(0, CISC)
#define UOP_QUEUE(M, M_34) M(0, FROM_TC_BUILD) M(1, FROM_TC_DELIVER) M(2, FROM_ROM)
#define BRANCH_TYPE(M, M_34) M_34(0, UNCONDITIONAL) M(1, CONDITIONAL) M(2, CALL) M(3, RETURN) M(4, INDIRECT)
#define CANCEL(M, M_34) M(2, ST_RB_FULL) M(3, 64K_CONF)
#define WCB(M, M_34) M(0, WCB_EVICTS) M(1, WCB_FULL_EVICT) M_34(2, WCB_HITM_EVICT)
#define COMPLETE(M, M_34) M(0, LSC) M(1, SSC) M_34(2, USC) M_34(3, ULC)
#define SPLIT_LD(M, M_34) M(1, SPLIT_LD)
#define SPLIT_ST(M, M_34) M(1, SPLIT_ST)
#define ALL(M, M_34) M(15, ALL)
#define ALLP(M, M_34) M(3, ALLP0) M(4, ALLP2)
#define SBFULL(M, M_34) M(5, SBFULL)
#define TAGS(M, M_34) M(1, TAGLOADS) M(2, TAGSTORES)
#define BOGUS(M, M_34) M(0, NBOGUS) M(1, BOGUS)
#define NBOGUS(M, M_34) M(0, NBOGUS)
#define RETIRED(M, M_34) M(0, NBOGUSNTAG) M(1, NBOGUSTAG) M(2, BOGUSNTAG) M(3, BOGUSTAG)
#define CLEAR(M, M_34) M(0, CLEAR) M(2, MOCLEAR) M(6, SMCLEAR)
#define ASSIST(M, M_34) M(0, FPSU) M(1, FPSO) M(2, POAO) M(3, POAU) M(4, PREA)
#define BRANCHES(M, M_34) M(0, MMNP) M(1, MMNM) M(2, MMTP) M(3, MMTM)
#define EXECUTION(M, M_34) M(0, NBOGUS0) M(1, NBOGUS1) M(2, NBOGUS2) M(3, NBOGUS3) M(4, BOGUS0) M(5, BOGUS1) \
    M(6, BOGUS2) M(7, BOGUS3)

/* The pair of ESCRs of a unit; an event that exists on one side only has 0 in place of the other. */
#define PAIR(unit)  { MSR_##unit##_ESCR0, MSR_##unit##_ESCR1 }
#define CRU23       { MSR_CRU_ESCR2, MSR_CRU_ESCR3 }
#define ONLY0(unit) { MSR_##unit##_ESCR0, 0 }
#define ONLY1(unit) { 0, MSR_##unit##_ESCR1 }

#define EVENTS(EVENT) \
    /*    event                        select cccr ESCRs        models      T    class members */ \
    /* BPU block, counters 0-3 */ \
    EVENT("BPU_fetch_request",           0x03, 0, PAIR(BPU),   ALL_MODELS,  'S', 'V', TCMISS) \
    EVENT("ITLB_reference",              0x18, 3, PAIR(ITLB),  ALL_MODELS,  'S', 'V', ITLB) \
    EVENT("MOB_load_replay",             0x03, 2, PAIR(MOB),   ALL_MODELS,  'S', 'V', MOB_REPLAY) \
    EVENT("page_walk_type",              0x01, 4, PAIR(PMH),   ALL_MODELS,  'I', 'V', PAGE_WALK) \
    EVENT("BSQ_cache_reference",         0x0C, 7, PAIR(BSU),   ALL_MODELS,  'S', '-', BSQ_CACHE) \
    EVENT("IOQ_allocation",              0x03, 6, PAIR(FSB),   ALL_MODELS,  'S', 'N', IOQ) \
    EVENT("IOQ_active_entries",          0x1A, 6, ONLY1(FSB),  ALL_MODELS,  'S', '-', IOQ) \
    EVENT("FSB_data_activity",           0x17, 6, PAIR(FSB),   ALL_MODELS,  'I', '-', FSB_DATA) \
    EVENT("BSQ_allocation",              0x05, 7, ONLY0(BSU),  ALL_MODELS,  'S', '-', BSQ) \
    EVENT("bsq_active_entries",          0x06, 7, ONLY1(BSU),  ALL_MODELS,  'S', '-', BSQ) \
    EVENT("global_power_events",         0x13, 6, PAIR(FSB),   ALL_MODELS,  'S', 'R', RUNNING) \
    /* The manual prints CCCR select 3 for these four, which selects the ITLB's ESCRs; only 6 selects FSB_ESCR0/1. */ \
    EVENT("b2b_cycles",                  0x16, 6, PAIR(FSB),   ALL_MODELS,  '?', '-', B2B) \
    EVENT("bnr",                         0x08, 6, PAIR(FSB),   ALL_MODELS,  '?', '-', BNR) \
    EVENT("snoop",                       0x06, 6, PAIR(FSB),   ALL_MODELS,  '?', '-', SNOOP) \
    EVENT("response",                    0x04, 6, PAIR(FSB),   ALL_MODELS,  '?', '-', RESPONSE) \
    /* MS block, counters 4-7 */ \
    EVENT("TC_deliver_mode",             0x01, 1, PAIR(TC),    ALL_MODELS,  'I', '-', TC_MODE) \
    EVENT("TC_misc",                     0x06, 1, PAIR(TC),    ALL_MODELS,  'S', 'V', FLUSH) \
    EVENT("tc_ms_xfer",                  0x05, 0, PAIR(MS),    ALL_MODELS,  'S', 'N', CISC) \
    EVENT("uop_queue_writes",            0x09, 0, PAIR(MS),    ALL_MODELS,  'S', '-', UOP_QUEUE) \
    EVENT("retired_branch_type",         0x04, 2, PAIR(TBPU),  ALL_MODELS,  'S', 'N', BRANCH_TYPE) \
    EVENT("retired_mispred_branch_type", 0x05, 2, PAIR(TBPU),  ALL_MODELS,  'S', '-', BRANCH_TYPE) \
    /* FLAME block, counters 8-11 */ \
    EVENT("memory_cancel",               0x02, 5, PAIR(DAC),   ALL_MODELS,  'S', '-', CANCEL) \
    EVENT("WC_Buffer",                   0x05, 5, PAIR(DAC),   ALL_MODELS,  'I', '-', WCB) \
    EVENT("memory_complete",             0x08, 2, PAIR(SAAT),  ALL_MODELS,  'S', 'N', COMPLETE) \
    EVENT("load_port_replay",            0x04, 2, PAIR(SAAT),  ALL_MODELS,  'S', 'V', SPLIT_LD) \
    EVENT("store_port_replay",           0x05, 2, PAIR(SAAT),  ALL_MODELS,  'S', '-', SPLIT_ST) \
    EVENT("SSE_input_assist",            0x34, 1, PAIR(FIRM),  ALL_MODELS,  'I', '-', ALL) \
    EVENT("packed_SP_uop",               0x08, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("packed_DP_uop",               0x0C, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("scalar_SP_uop",               0x0A, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("scalar_DP_uop",               0x0E, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("64bit_MMX_uop",               0x02, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("128bit_MMX_uop",              0x1A, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("x87_FP_uop",                  0x04, 1, PAIR(FIRM),  ALL_MODELS,  'I', 'N', ALL) \
    EVENT("x87_SIMD_moves_uop",          0x2E, 1, PAIR(FIRM),  ALL_MODELS,  'I', '-', ALLP) \
    /* IQ block, counters 12-17 */ \
    EVENT("resource_stall",              0x01, 1, PAIR(ALF),   ALL_MODELS,  'S', '-', SBFULL) \
    EVENT("uop_type",                    0x02, 2, PAIR(RAT),   ALL_MODELS,  'S', '-', TAGS) \
    EVENT("uops_retired",                0x01, 4, PAIR(CRU),   ALL_MODELS,  'S', '-', BOGUS) \
    EVENT("instr_retired",               INSTR_RETIRED_SELECT, INSTR_RETIRED_CCCR_SELECT, \
                                              PAIR(CRU),   ALL_MODELS,  'S', 'X', RETIRED) \
    EVENT("mispred_branch_retired",      0x03, 4, PAIR(CRU),   ALL_MODELS,  'S', 'V', NBOGUS) \
    EVENT("instr_completed",             0x07, 4, PAIR(CRU),   FROM_MODEL3, 'S', 'X', BOGUS) \
    EVENT("machine_clear",               0x02, 5, CRU23,       ALL_MODELS,  'S', 'N', CLEAR) \
    EVENT("x87_assist",                  0x03, 5, CRU23,       ALL_MODELS,  'S', 'N', ASSIST) \
    EVENT("branch_retired",              BRANCH_RETIRED_SELECT, BRANCH_RETIRED_CCCR_SELECT, \
                                              CRU23,       ALL_MODELS,  'S', 'X', BRANCHES) \
    EVENT("front_end_event",             0x08, 5, CRU23,       ALL_MODELS,  'S', '-', BOGUS) \
    EVENT("replay_event",                0x09, 5, CRU23,       ALL_MODELS,  'S', '-', BOGUS) \
    EVENT("execution_event",             0x0C, 5, CRU23,       ALL_MODELS,  'S', '-', EXECUTION)

#define BIT(bit, name)          | 1u << (bit)
#define NO_BIT(bit, name)
#define ROW(name, select, cccr, escr, models, thread, class, members) \
    { name, select, cccr, escr, models, thread, class, 0 members(BIT, BIT), 0 members(NO_BIT, BIT) },
const struct pmc_event PMC_EVENT[PMC_EVENTS] = { EVENTS(ROW) };

#define NAME(bit, name)         [bit] = #name,
#define NAMES(name, select, cccr, escr, models, thread, class, members) { members(NAME, NAME) },
const char *const PMC_EVENT_MEMBER[PMC_EVENTS][16] = { EVENTS(NAMES) };

/* clang-format on */
