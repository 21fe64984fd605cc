/*
 * The 47 event classes of pmu-rules 4: where each is selected, whether it is thread independent (Table 19-34)
 * and how its occurrences add up (R9). The comment above each group says what one occurrence is. And the
 * names and write masks of the ESCRs.
 */
#include "event_table.h"
#include "state.h"

#define BIT(b)          (1u << (b))
#define BITS(high, low) FIELD_MASK(high, low)

/* Columns: name, even ESCR of the pair, event select, is counted on the even ESCR, on the odd one, thread
 * independent, level members, weight, members. */
#define BOTH true, true
#define ODD  false, true
#define EVEN true, false
#define TS   false
#define TI   true

static const struct nbpmu_event_info EVENT[NBPMU_EVENTS] = {
    [NBPMU_NO_EVENT] = {.name = "no_event"},

    /* One look-up, replay, walk, or second-level cache reference each. */
    [NBPMU_BPU_FETCH_REQUEST] = {"BPU_fetch_request", MSR_BPU_ESCR0, 0x03, BOTH, TS, 0, 1, BIT(0)},
    [NBPMU_ITLB_REFERENCE] = {"ITLB_reference", MSR_ITLB_ESCR0, 0x18, BOTH, TS, 0, 1, BITS(2, 0)},
    [NBPMU_MOB_LOAD_REPLAY] = {"MOB_load_replay", MSR_MOB_ESCR0, 0x03, BOTH, TS, 0, 1, BIT(1) | BITS(5, 3)},
    [NBPMU_PAGE_WALK_TYPE] = {"page_walk_type", MSR_PMH_ESCR0, 0x01, BOTH, TI, 0, 1, BITS(1, 0)},
    [NBPMU_BSQ_CACHE_REFERENCE] = {"BSQ_cache_reference", MSR_BSU_ESCR0, 0x0C, BOTH, TS, 0, 1, BITS(11, 0)},

    /* One transaction put into the queue; for the "active entries" events, one entry held in this clock. */
    [NBPMU_IOQ_ALLOCATION] = {"IOQ_allocation", MSR_FSB_ESCR0, 0x03, BOTH, TS, 0, 1,
                              BITS(11, 0) | BITS(15, 13)},
    [NBPMU_IOQ_ACTIVE_ENTRIES] = {"IOQ_active_entries", MSR_FSB_ESCR0, 0x1A, ODD, TS, 0, 1,
                                  BITS(11, 0) | BITS(15, 13)},
    [NBPMU_BSQ_ALLOCATION] = {"BSQ_allocation", MSR_BSU_ESCR0, 0x05, EVEN, TS, 0, 1,
                              BITS(3, 0) | BITS(13, 5)},
    [NBPMU_BSQ_ACTIVE_ENTRIES] = {"bsq_active_entries", MSR_BSU_ESCR0, 0x06, ODD, TS, 0, 1,
                                  BITS(3, 0) | BITS(13, 5)},

    /* A state of this clock: a bus line asserted; some logical processor not halted. */
    [NBPMU_FSB_DATA_ACTIVITY] = {"FSB_data_activity", MSR_FSB_ESCR0, 0x17, BOTH, TI, 0x3F, 1, BITS(5, 0)},
    [NBPMU_GLOBAL_POWER_EVENTS] = {"global_power_events", MSR_FSB_ESCR0, 0x13, BOTH, TS, BIT(0), 1, BIT(0)},

    /* Routed at FSB select 6 and treated as TI (both unconfirmed); nothing is known to produce them. */
    [NBPMU_B2B_CYCLES] = {"b2b_cycles", MSR_FSB_ESCR0, 0x16, BOTH, TI, 0, 1, BITS(6, 1)},
    [NBPMU_BNR] = {"bnr", MSR_FSB_ESCR0, 0x08, BOTH, TI, 0, 1, BITS(2, 0)},
    [NBPMU_SNOOP] = {"snoop", MSR_FSB_ESCR0, 0x06, BOTH, TI, 0, 1, BIT(2) | BITS(7, 6)},
    [NBPMU_RESPONSE] = {"response", MSR_FSB_ESCR0, 0x04, BOTH, TI, 0, 1, BITS(2, 1) | BITS(9, 8)},

    /* The mode that both trace-cache threads are in during this clock. */
    [NBPMU_TC_DELIVER_MODE] = {"TC_deliver_mode", MSR_TC_ESCR0, 0x01, BOTH, TI, 0xFF, 1, BITS(7, 0)},
    /* One flush, which counts twice. */
    [NBPMU_TC_MISC] = {"TC_misc", MSR_TC_ESCR0, 0x06, BOTH, TS, 0, 2, BIT(4)},
    /* One switch to the microcode ROM; one uop written; one retired branch. */
    [NBPMU_TC_MS_XFER] = {"tc_ms_xfer", MSR_MS_ESCR0, 0x05, BOTH, TS, 0, 1, BIT(0)},
    [NBPMU_UOP_QUEUE_WRITES] = {"uop_queue_writes", MSR_MS_ESCR0, 0x09, BOTH, TS, 0, 1, BITS(2, 0)},
    [NBPMU_RETIRED_BRANCH_TYPE] = {"retired_branch_type", MSR_TBPU_ESCR0, 0x04, BOTH, TS, 0, 1, BITS(4, 0)},
    [NBPMU_RETIRED_MISPRED_BRANCH_TYPE] = {"retired_mispred_branch_type", MSR_TBPU_ESCR0, 0x05, BOTH, TS, 0,
                                           1, BITS(4, 0)},

    /* One cancelled request, evicted buffer, completed split access, replay, assist or executed uop. */
    [NBPMU_MEMORY_CANCEL] = {"memory_cancel", MSR_DAC_ESCR0, 0x02, BOTH, TS, 0, 1, BITS(3, 2)},
    [NBPMU_WC_BUFFER] = {"WC_Buffer", MSR_DAC_ESCR0, 0x05, BOTH, TI, 0, 1, BITS(2, 0)},
    [NBPMU_MEMORY_COMPLETE] = {"memory_complete", MSR_SAAT_ESCR0, 0x08, BOTH, TS, 0, 1, BITS(3, 0)},
    [NBPMU_LOAD_PORT_REPLAY] = {"load_port_replay", MSR_SAAT_ESCR0, 0x04, BOTH, TS, 0, 1, BIT(1)},
    [NBPMU_STORE_PORT_REPLAY] = {"store_port_replay", MSR_SAAT_ESCR0, 0x05, BOTH, TS, 0, 1, BIT(1)},
    [NBPMU_SSE_INPUT_ASSIST] = {"SSE_input_assist", MSR_FIRM_ESCR0, 0x34, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_PACKED_SP_UOP] = {"packed_SP_uop", MSR_FIRM_ESCR0, 0x08, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_PACKED_DP_UOP] = {"packed_DP_uop", MSR_FIRM_ESCR0, 0x0C, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_SCALAR_SP_UOP] = {"scalar_SP_uop", MSR_FIRM_ESCR0, 0x0A, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_SCALAR_DP_UOP] = {"scalar_DP_uop", MSR_FIRM_ESCR0, 0x0E, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_64BIT_MMX_UOP] = {"64bit_MMX_uop", MSR_FIRM_ESCR0, 0x02, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_128BIT_MMX_UOP] = {"128bit_MMX_uop", MSR_FIRM_ESCR0, 0x1A, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_X87_FP_UOP] = {"x87_FP_uop", MSR_FIRM_ESCR0, 0x04, BOTH, TI, 0, 1, BIT(15)},
    [NBPMU_X87_SIMD_MOVES_UOP] = {"x87_SIMD_moves_uop", MSR_FIRM_ESCR0, 0x2E, BOTH, TI, 0, 1, BITS(4, 3)},

    /* A clock in which the allocator is stalled (SBFULL). */
    [NBPMU_RESOURCE_STALL] = {"resource_stall", MSR_ALF_ESCR0, 0x01, BOTH, TS, BIT(5), 1, BIT(5)},
    /* Tags only: an occurrence adds nothing (R15). */
    [NBPMU_UOP_TYPE] = {"uop_type", MSR_RAT_ESCR0, 0x02, BOTH, TS, 0, 0, BITS(2, 1)},

    /* One retired uop, instruction, branch or tagged uop; one assist; machine_clear CLEAR is a state. */
    [NBPMU_UOPS_RETIRED] = {"uops_retired", MSR_CRU_ESCR0, 0x01, BOTH, TS, 0, 1, BITS(1, 0)},
    [NBPMU_INSTR_RETIRED] = {"instr_retired", MSR_CRU_ESCR0, 0x02, BOTH, TS, 0, 1, BITS(3, 0)},
    [NBPMU_MISPRED_BRANCH_RETIRED] = {"mispred_branch_retired", MSR_CRU_ESCR0, 0x03, BOTH, TS, 0, 1, BIT(0)},
    [NBPMU_INSTR_COMPLETED] = {"instr_completed", MSR_CRU_ESCR0, 0x07, BOTH, TS, 0, 1, BITS(1, 0)},
    [NBPMU_MACHINE_CLEAR] = {"machine_clear", MSR_CRU_ESCR2, 0x02, BOTH, TS, BIT(0), 1,
                             BIT(0) | BIT(2) | BIT(6)},
    [NBPMU_X87_ASSIST] = {"x87_assist", MSR_CRU_ESCR2, 0x03, BOTH, TS, 0, 1, BITS(4, 0)},
    [NBPMU_BRANCH_RETIRED] = {"branch_retired", MSR_CRU_ESCR2, 0x06, BOTH, TS, 0, 1, BITS(3, 0)},
    [NBPMU_FRONT_END_EVENT] = {"front_end_event", MSR_CRU_ESCR2, 0x08, BOTH, TS, 0, 1, BITS(1, 0)},
    [NBPMU_REPLAY_EVENT] = {"replay_event", MSR_CRU_ESCR2, 0x09, BOTH, TS, 0, 1, BITS(1, 0)},
    [NBPMU_EXECUTION_EVENT] = {"execution_event", MSR_CRU_ESCR2, 0x0C, BOTH, TS, 0, 1, BITS(7, 0)},
};

const struct nbpmu_event_info *nbpmu_event_info(enum nbpmu_event event)
{
    return &EVENT[event];
}

/* Tables 19-31 and 19-33 select these by their mask bits and do not ask for tag enable. */
bool nbpmu_tags_by_mask(enum nbpmu_event event)
{
    return event == NBPMU_UOP_TYPE || event == NBPMU_MOB_LOAD_REPLAY || event == NBPMU_LOAD_PORT_REPLAY ||
           event == NBPMU_STORE_PORT_REPLAY;
}

const char *nbpmu_event_name(enum nbpmu_event event)
{
    return event < NBPMU_EVENTS ? EVENT[event].name : "no_event";
}

enum nbpmu_event nbpmu_event_of(uint32_t escr_msr, unsigned select)
{
    /* R7: select 0 is no event, and the row of NBPMU_NO_EVENT is not searched. */
    for (int event = NBPMU_NO_EVENT + 1; event < NBPMU_EVENTS; event++) {
        const struct nbpmu_event_info *info = &EVENT[event];
        bool even = info->on0 && escr_msr == info->escr0;
        bool odd = info->on1 && escr_msr == info->escr0 + 1;
        if (info->select == select && (even || odd))
            return (enum nbpmu_event)event;
    }
    return NBPMU_NO_EVENT;
}

enum nbpmu_event nbpmu_event_here(const struct nbpmu *pmu, uint32_t escr_msr, unsigned select)
{
    enum nbpmu_event event = nbpmu_event_of(escr_msr, select);
    /* Table 19-30: models 3, 4 and 6. */
    if (event == NBPMU_INSTR_COMPLETED && pmu->part.model < 3)
        return NBPMU_NO_EVENT;
    /* 18.21: a Xeon 7100 has no IOQ events. */
    if ((event == NBPMU_IOQ_ALLOCATION || event == NBPMU_IOQ_ACTIVE_ENTRIES) &&
        nbpmu_is_xeon_7100(&pmu->part))
        return NBPMU_NO_EVENT;
    /* E10: IOQ_allocation only by FSB_ESCR0 before 0F27H. */
    if (event == NBPMU_IOQ_ALLOCATION && escr_msr == MSR_FSB_ESCR1 && nbpmu_before_f27(&pmu->part))
        return NBPMU_NO_EVENT;
    return event;
}

/* ---- The ESCRs ---- */

struct escr_row {
    uint32_t msr;
    const char *name;
    uint32_t f43_mask;
};

static const struct escr_row ESCRS[PMC_ESCRS] = {
    {MSR_BSU_ESCR0, "BSU_ESCR0", 0x7FFFFFFF},     {MSR_BSU_ESCR1, "BSU_ESCR1", 0x7FFFFFFF},
    {MSR_FSB_ESCR0, "FSB_ESCR0", 0x3FFFFFFF},     {MSR_FSB_ESCR1, "FSB_ESCR1", 0x3FFFFFFF},
    {MSR_FIRM_ESCR0, "FIRM_ESCR0", 0x7FFFFFFF},   {MSR_FIRM_ESCR1, "FIRM_ESCR1", 0x7FFFFFFF},
    {MSR_FLAME_ESCR0, "FLAME_ESCR0", 0x7FFFFFFF}, {MSR_FLAME_ESCR1, "FLAME_ESCR1", 0x7FFFFFFF},
    {MSR_DAC_ESCR0, "DAC_ESCR0", 0x1E01FE0F},     {MSR_DAC_ESCR1, "DAC_ESCR1", 0x1E01FE0F},
    {MSR_MOB_ESCR0, "MOB_ESCR0", 0x7FFFFFFF},     {MSR_MOB_ESCR1, "MOB_ESCR1", 0x7FFFFFFF},
    {MSR_PMH_ESCR0, "PMH_ESCR0", 0x7FFFFFFF},     {MSR_PMH_ESCR1, "PMH_ESCR1", 0x7FFFFFFF},
    {MSR_SAAT_ESCR0, "SAAT_ESCR0", 0x7FFFFFFF},   {MSR_SAAT_ESCR1, "SAAT_ESCR1", 0x7FFFFFFF},
    {MSR_U2L_ESCR0, "U2L_ESCR0", 0x0E3FFE0F},     {MSR_U2L_ESCR1, "U2L_ESCR1", 0x0E3FFE0F},
    {MSR_BPU_ESCR0, "BPU_ESCR0", 0x1E03FFFF},     {MSR_BPU_ESCR1, "BPU_ESCR1", 0x1E03FFFF},
    {MSR_IS_ESCR0, "IS_ESCR0", 0x0E01FE0F},       {MSR_IS_ESCR1, "IS_ESCR1", 0x0E01FE0F},
    {MSR_ITLB_ESCR0, "ITLB_ESCR0", 0x70000E1F},   {MSR_ITLB_ESCR1, "ITLB_ESCR1", 0x70000E1F},
    {MSR_CRU_ESCR0, "CRU_ESCR0", 0x0E01FE0F},     {MSR_CRU_ESCR1, "CRU_ESCR1", 0x0E01FE0F},
    {MSR_IQ_ESCR0, "IQ_ESCR0", 0x00000000},       {MSR_IQ_ESCR1, "IQ_ESCR1", 0x00000000},
    {MSR_RAT_ESCR0, "RAT_ESCR0", 0x7FFFFFFF},     {MSR_RAT_ESCR1, "RAT_ESCR1", 0x7FFFFFFF},
    {MSR_SSU_ESCR0, "SSU_ESCR0", 0x7FFFFFFF},     {MSR_MS_ESCR0, "MS_ESCR0", 0x1E007E1F},
    {MSR_MS_ESCR1, "MS_ESCR1", 0x1E007E1F},       {MSR_TBPU_ESCR0, "TBPU_ESCR0", 0x0E01FE0F},
    {MSR_TBPU_ESCR1, "TBPU_ESCR1", 0x0E01FE0F},   {MSR_TC_ESCR0, "TC_ESCR0", 0x1E07FE0F},
    {MSR_TC_ESCR1, "TC_ESCR1", 0x1E07FE0F},       {MSR_IX_ESCR0, "IX_ESCR0", 0x0E01FE0F},
    {MSR_IX_ESCR1, "IX_ESCR1", 0x0E01FE0F},       {MSR_ALF_ESCR0, "ALF_ESCR0", 0x0FFFFE0F},
    {MSR_ALF_ESCR1, "ALF_ESCR1", 0x0FFFFE0F},     {MSR_CRU_ESCR2, "CRU_ESCR2", 0x1E0FFE0F},
    {MSR_CRU_ESCR3, "CRU_ESCR3", 0x1E0FFE0F},     {MSR_CRU_ESCR4, "CRU_ESCR4", 0x0E00FE0F},
    {MSR_CRU_ESCR5, "CRU_ESCR5", 0x0E00FE0F},
};

static const struct escr_row *find(uint32_t msr)
{
    if (msr < ESCRS[0].msr || msr > ESCRS[PMC_ESCRS - 1].msr)
        return NULL;
    for (size_t i = 0; i < PMC_ESCRS; i++)
        if (ESCRS[i].msr == msr)
            return &ESCRS[i];
    return NULL;
}

bool nbpmu_escr_exists(uint32_t msr)
{
    return find(msr) != NULL;
}

const char *nbpmu_escr_name(uint32_t msr)
{
    const struct escr_row *row = find(msr);
    return row ? row->name : "no ESCR";
}

uint32_t nbpmu_escr_f43_mask(uint32_t msr)
{
    const struct escr_row *row = find(msr);
    return row ? row->f43_mask : 0;
}
