/*
 * The naive statement, first part: which ESCR a counter is routed to, and what value that ESCR shows in a
 * clock (pmu-rules 2.2, 4; R7 to R15).
 */
#include "naive.h"

/* pmu-rules 2.2, typed from the table. */
static const uint32_t ROUTE[][8] = {
    {MSR_BPU_ESCR0, MSR_IS_ESCR0, MSR_MOB_ESCR0, MSR_ITLB_ESCR0, MSR_PMH_ESCR0, MSR_IX_ESCR0, MSR_FSB_ESCR0,
     MSR_BSU_ESCR0},
    {MSR_BPU_ESCR1, MSR_IS_ESCR1, MSR_MOB_ESCR1, MSR_ITLB_ESCR1, MSR_PMH_ESCR1, MSR_IX_ESCR1, MSR_FSB_ESCR1,
     MSR_BSU_ESCR1},
    {MSR_MS_ESCR0, MSR_TC_ESCR0, MSR_TBPU_ESCR0},
    {MSR_MS_ESCR1, MSR_TC_ESCR1, MSR_TBPU_ESCR1},
    {MSR_FLAME_ESCR0, MSR_FIRM_ESCR0, MSR_SAAT_ESCR0, MSR_U2L_ESCR0, 0, MSR_DAC_ESCR0},
    {MSR_FLAME_ESCR1, MSR_FIRM_ESCR1, MSR_SAAT_ESCR1, MSR_U2L_ESCR1, 0, MSR_DAC_ESCR1},
    {MSR_IQ_ESCR0, MSR_ALF_ESCR0, MSR_RAT_ESCR0, MSR_SSU_ESCR0, MSR_CRU_ESCR0, MSR_CRU_ESCR2, MSR_CRU_ESCR4},
    {MSR_IQ_ESCR1, MSR_ALF_ESCR1, MSR_RAT_ESCR1, 0, MSR_CRU_ESCR1, MSR_CRU_ESCR3, MSR_CRU_ESCR5},
};
static const uint8_t SET_OF[PMC_COUNTERS] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 6, 7};

#define TS     false
#define TI     true
#define EVEN   1
#define ODD    2
#define BOTH   3
#define ALL_15 0x8000 /* mask bit 15, ALL */

/* clang-format off */
const struct naive_event NAIVE_EVENTS[] = {
    {NBPMU_BPU_FETCH_REQUEST,           MSR_BPU_ESCR0,  0x03, 0x0001, TS, 0, BOTH},
    {NBPMU_ITLB_REFERENCE,              MSR_ITLB_ESCR0, 0x18, 0x0007, TS, 0, BOTH},
    {NBPMU_MOB_LOAD_REPLAY,             MSR_MOB_ESCR0,  0x03, 0x003A, TS, 0, BOTH},
    {NBPMU_PAGE_WALK_TYPE,              MSR_PMH_ESCR0,  0x01, 0x0003, TI, 0, BOTH},
    {NBPMU_BSQ_CACHE_REFERENCE,         MSR_BSU_ESCR0,  0x0C, 0x0FFF, TS, 0, BOTH},
    {NBPMU_IOQ_ALLOCATION,              MSR_FSB_ESCR0,  0x03, 0xEFFF, TS, 0, BOTH},
    {NBPMU_IOQ_ACTIVE_ENTRIES,          MSR_FSB_ESCR0,  0x1A, 0xEFFF, TS, 0, ODD},
    {NBPMU_FSB_DATA_ACTIVITY,           MSR_FSB_ESCR0,  0x17, 0x003F, TI, 0x003F, BOTH},
    {NBPMU_BSQ_ALLOCATION,              MSR_BSU_ESCR0,  0x05, 0x3FEF, TS, 0, EVEN},
    {NBPMU_BSQ_ACTIVE_ENTRIES,          MSR_BSU_ESCR0,  0x06, 0x3FEF, TS, 0, ODD},
    {NBPMU_GLOBAL_POWER_EVENTS,         MSR_FSB_ESCR0,  0x13, 0x0001, TS, 0x0001, BOTH},
    {NBPMU_B2B_CYCLES,                  MSR_FSB_ESCR0,  0x16, 0x007E, TI, 0, BOTH},
    {NBPMU_BNR,                         MSR_FSB_ESCR0,  0x08, 0x0007, TI, 0, BOTH},
    {NBPMU_SNOOP,                       MSR_FSB_ESCR0,  0x06, 0x00C4, TI, 0, BOTH},
    {NBPMU_RESPONSE,                    MSR_FSB_ESCR0,  0x04, 0x0306, TI, 0, BOTH},
    {NBPMU_TC_DELIVER_MODE,             MSR_TC_ESCR0,   0x01, 0x00FF, TI, 0x00FF, BOTH},
    {NBPMU_TC_MISC,                     MSR_TC_ESCR0,   0x06, 0x0010, TS, 0, BOTH},
    {NBPMU_TC_MS_XFER,                  MSR_MS_ESCR0,   0x05, 0x0001, TS, 0, BOTH},
    {NBPMU_UOP_QUEUE_WRITES,            MSR_MS_ESCR0,   0x09, 0x0007, TS, 0, BOTH},
    {NBPMU_RETIRED_BRANCH_TYPE,         MSR_TBPU_ESCR0, 0x04, 0x001F, TS, 0, BOTH},
    {NBPMU_RETIRED_MISPRED_BRANCH_TYPE, MSR_TBPU_ESCR0, 0x05, 0x001F, TS, 0, BOTH},
    {NBPMU_MEMORY_CANCEL,               MSR_DAC_ESCR0,  0x02, 0x000C, TS, 0, BOTH},
    {NBPMU_WC_BUFFER,                   MSR_DAC_ESCR0,  0x05, 0x0007, TI, 0, BOTH},
    {NBPMU_MEMORY_COMPLETE,             MSR_SAAT_ESCR0, 0x08, 0x000F, TS, 0, BOTH},
    {NBPMU_LOAD_PORT_REPLAY,            MSR_SAAT_ESCR0, 0x04, 0x0002, TS, 0, BOTH},
    {NBPMU_STORE_PORT_REPLAY,           MSR_SAAT_ESCR0, 0x05, 0x0002, TS, 0, BOTH},
    {NBPMU_SSE_INPUT_ASSIST,            MSR_FIRM_ESCR0, 0x34, ALL_15, TI, 0, BOTH},
    {NBPMU_PACKED_SP_UOP,               MSR_FIRM_ESCR0, 0x08, ALL_15, TI, 0, BOTH},
    {NBPMU_PACKED_DP_UOP,               MSR_FIRM_ESCR0, 0x0C, ALL_15, TI, 0, BOTH},
    {NBPMU_SCALAR_SP_UOP,               MSR_FIRM_ESCR0, 0x0A, ALL_15, TI, 0, BOTH},
    {NBPMU_SCALAR_DP_UOP,               MSR_FIRM_ESCR0, 0x0E, ALL_15, TI, 0, BOTH},
    {NBPMU_64BIT_MMX_UOP,               MSR_FIRM_ESCR0, 0x02, ALL_15, TI, 0, BOTH},
    {NBPMU_128BIT_MMX_UOP,              MSR_FIRM_ESCR0, 0x1A, ALL_15, TI, 0, BOTH},
    {NBPMU_X87_FP_UOP,                  MSR_FIRM_ESCR0, 0x04, ALL_15, TI, 0, BOTH},
    {NBPMU_X87_SIMD_MOVES_UOP,          MSR_FIRM_ESCR0, 0x2E, 0x0018, TI, 0, BOTH},
    {NBPMU_RESOURCE_STALL,              MSR_ALF_ESCR0,  0x01, 0x0020, TS, 0x0020, BOTH},
    {NBPMU_UOP_TYPE,                    MSR_RAT_ESCR0,  0x02, 0x0006, TS, 0, BOTH},
    {NBPMU_UOPS_RETIRED,                MSR_CRU_ESCR0,  0x01, 0x0003, TS, 0, BOTH},
    {NBPMU_INSTR_RETIRED,               MSR_CRU_ESCR0,  0x02, 0x000F, TS, 0, BOTH},
    {NBPMU_MISPRED_BRANCH_RETIRED,      MSR_CRU_ESCR0,  0x03, 0x0001, TS, 0, BOTH},
    {NBPMU_INSTR_COMPLETED,             MSR_CRU_ESCR0,  0x07, 0x0003, TS, 0, BOTH},
    {NBPMU_MACHINE_CLEAR,               MSR_CRU_ESCR2,  0x02, 0x0045, TS, 0x0001, BOTH},
    {NBPMU_X87_ASSIST,                  MSR_CRU_ESCR2,  0x03, 0x001F, TS, 0, BOTH},
    {NBPMU_BRANCH_RETIRED,              MSR_CRU_ESCR2,  0x06, 0x000F, TS, 0, BOTH},
    {NBPMU_FRONT_END_EVENT,             MSR_CRU_ESCR2,  0x08, 0x0003, TS, 0, BOTH},
    {NBPMU_REPLAY_EVENT,                MSR_CRU_ESCR2,  0x09, 0x0003, TS, 0, BOTH},
    {NBPMU_EXECUTION_EVENT,             MSR_CRU_ESCR2,  0x0C, 0x00FF, TS, 0, BOTH},
    {NBPMU_NO_EVENT, 0, 0, 0, TS, 0, 0},
};
/* clang-format on */

uint32_t naive_route(unsigned counter, unsigned select)
{
    return ROUTE[SET_OF[counter]][select];
}

bool naive_is_escr(uint32_t msr)
{
    bool gap = msr == 0x3BF || msr == 0x3C6 || msr == 0x3C7 || (msr >= 0x3CE && msr <= 0x3DF);

    return msr >= MSR_BSU_ESCR0 && msr <= MSR_CRU_ESCR5 && !gap;
}

static bool before_f27(const struct model_config *config)
{
    return config->part.model < 2 || (config->part.model == 2 && config->part.stepping < 7);
}

static bool exists(const struct model_config *config, const struct naive_event *row, bool odd)
{
    if (row->event == NBPMU_INSTR_COMPLETED && config->part.model < 3)
        return false; /* Table 19-30 */
    if ((row->event == NBPMU_IOQ_ALLOCATION || row->event == NBPMU_IOQ_ACTIVE_ENTRIES) &&
        config->part.model * 16 + config->part.stepping == 0x68)
        return false; /* 18.21 */
    if (row->event == NBPMU_IOQ_ALLOCATION && odd && before_f27(config))
        return false; /* E10 */
    return (row->sides & (odd ? ODD : EVEN)) != 0;
}

/* pmu-rules 4.1 and E12: the equations of the IOQ events. */
static bool ioq_matches(const struct model_config *config, unsigned mask, unsigned bits)
{
    unsigned common = mask & bits;
    bool type = (common & 0x001F) != 0, direction = (common & 0x0060) != 0, memory = (common & 0x0F80) != 0,
         agent = (common & 0x6000) != 0;

    if ((bits & 0x8000) != 0 && (mask & 0x8000) == 0)
        return false; /* a prefetch that is not asked for */
    if (config->part.model >= 2)
        return type && direction && memory && agent;
    return (type || direction || (memory && (mask & 0x0060) == 0)) && agent;
}

/* pmu-rules 4.1: type, length and memory type are codes; the rest are flags that must be there when asked
 * for. */
static bool bsq_matches(unsigned mask, unsigned bits)
{
    return ((mask ^ bits) & 0x380F) == 0 && (mask & 0x07E0 & ~bits) == 0;
}

static bool member_matches(const struct model_config *config, enum nbpmu_event event, unsigned mask,
                           unsigned bits)
{
    switch (event) {
    case NBPMU_IOQ_ALLOCATION:
    case NBPMU_IOQ_ACTIVE_ENTRIES:
        return ioq_matches(config, mask, bits);
    case NBPMU_BSQ_ALLOCATION:
    case NBPMU_BSQ_ACTIVE_ENTRIES:
        return bsq_matches(mask, bits);
    default:
        return (mask & bits) != 0;
    }
}

/* R13: what the OS and USR bits of either thread ask for, against where both processors are. */
static bool independent_qualifies(const struct naive *naive, uint64_t escr,
                                  const struct lp_state lps[NBPMU_LPS])
{
    bool os = (escr & (ESCR_T0_OS | ESCR_T1_OS)) != 0, usr = (escr & (ESCR_T0_USR | ESCR_T1_USR)) != 0;

    if (os && usr)
        return lps[0].active || lps[1].active || !naive->config.variants.ti_halted_not_counted;
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++) {
        if (!lps[lp].active && naive->config.variants.ti_halted_cpl_ignored)
            continue;
        if (lps[lp].cpl == 0 ? os : usr)
            return true;
    }
    return false;
}

/* R11 to R14. */
static bool qualifies(const struct naive *naive, const struct naive_event *row, uint64_t escr, unsigned lp,
                      unsigned cpl, const struct lp_state lps[NBPMU_LPS])
{
    if (row->event == NBPMU_IOQ_ACTIVE_ENTRIES ||
        (row->event == NBPMU_IOQ_ALLOCATION && before_f27(&naive->config)))
        return true;
    if (naive->config.part.lps < 2)
        return (escr & (cpl == 0 ? ESCR_OS : ESCR_USR)) != 0;
    if (row->thread_independent)
        return independent_qualifies(naive, escr, lps);
    if (lp == 0)
        return (escr & (cpl == 0 ? ESCR_T0_OS : ESCR_T0_USR)) != 0;
    return (escr & (cpl == 0 ? ESCR_T1_OS : ESCR_T1_USR)) != 0;
}

/* pmu-rules 4.1: the two "active entries" events want the allocation event with the same mask in the even
 * ESCR. */
static bool companion_ready(const struct naive *naive, enum nbpmu_event event, uint64_t escr, uint32_t msr)
{
    uint64_t even = naive->escr[(msr & ~1u) - MSR_BSU_ESCR0];
    unsigned wanted = event == NBPMU_IOQ_ACTIVE_ENTRIES ? 0x03 : 0x05;

    if (event != NBPMU_IOQ_ACTIVE_ENTRIES && event != NBPMU_BSQ_ACTIVE_ENTRIES)
        return true;
    return ESCR_GET_EVENT_SELECT(even) == wanted && ESCR_GET_EVENT_MASK(even) == ESCR_GET_EVENT_MASK(escr);
}

static unsigned value_of(const struct naive *naive, const struct naive_event *row, uint64_t escr,
                         const struct lp_state lps[NBPMU_LPS])
{
    unsigned mask = (unsigned)ESCR_GET_EVENT_MASK(escr) & row->members, sum = 0;
    bool level = false;

    for (unsigned lp = 0;
         row->event == NBPMU_GLOBAL_POWER_EVENTS && lp < (naive->config.part.lps == 2 ? 2 : 1); lp++)
        if (lps[lp].active && (mask & 1) != 0 && qualifies(naive, row, escr, lp, lps[lp].cpl, lps))
            level = true;
    for (unsigned i = 0; i < naive->posts; i++) {
        const struct naive_post *post = &naive->post[i];

        if (mask == 0 /* R7 */ || post->event != row->event ||
            !member_matches(&naive->config, row->event, mask, post->bits) ||
            !qualifies(naive, row, escr, post->lp, post->cpl, lps))
            continue;
        if (row->level_members != 0 && (post->bits & mask & ~row->level_members) == 0)
            level = true; /* the mask asks for nothing but states of this occurrence */
        else
            sum += row->event == NBPMU_TC_MISC ? 2 * post->count : post->count;
    }
    sum += level;
    return sum > 15 ? 15 : sum; /* R10 */
}

unsigned naive_value(const struct naive *naive, uint32_t msr, const struct lp_state lps[NBPMU_LPS])
{
    uint64_t escr = naive->escr[msr - MSR_BSU_ESCR0];
    bool odd = (msr & 1) != 0;

    if (ESCR_GET_EVENT_SELECT(escr) == 0)
        return 0; /* R7 */
    for (const struct naive_event *row = NAIVE_EVENTS; row->event != NBPMU_NO_EVENT; row++)
        if (row->escr0 == (msr & ~1u) && row->select == ESCR_GET_EVENT_SELECT(escr) &&
            exists(&naive->config, row, odd) && row->event != NBPMU_UOP_TYPE /* R15 */ &&
            companion_ready(naive, row->event, escr, msr))
            return value_of(naive, row, escr, lps);
    return 0;
}
