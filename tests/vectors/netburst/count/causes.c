#include "causes.h"

#include "kernel/x86/cpu.h"
#include "pmc/netburst/event.h"
#include "pmc/netburst/regs.h"
#include "tests/suite/expect.h"
#include "tests/suite/stimulus.h"

#define MASK(bit) (1u << (bit))

static void prepare_pages(void)
{
    if (!paging_on())
        skip_now("no page-size extension, so no 4 KB pages to walk for");
    work_page_region = PAGING_REGION;
}

static void prepare_uncached(void)
{
    stimulus_prepare(STIMULUS_UNCACHED_READS);
}

/* ---- Upstream events ---- */

static const struct upstream IOQ_IN_EVEN = {.event = EVENT_IOQ_ALLOCATION,
                                            .filter = CCCR_COMPARE | CCCR_EDGE};
static const struct upstream BSQ_IN_EVEN = {.event = EVENT_BSQ_ALLOCATION,
                                            .filter = CCCR_COMPARE | CCCR_EDGE};
static const struct upstream TAGGED_PACKED_SP = {.event = EVENT_PACKED_SP_UOP,
                                                 .mask = FIRM_ALL,
                                                 .counter = {8, 10},
                                                 .escr = ESCR_TAG_ENABLE |
                                                         ESCR_TAG_VALUE(EXECUTION_NBOGUS_ALL)};

/* ---- The rows ---- */

#define RANDOM     2000 /* branches: more than a predictor of these parts learns by heart */
#define MANY_PAGES 960  /* more than any DTLB holds, because the frame's warm-up has touched them, too */

#define BSQ_LINE_READ 0x308Cu /* reads of 8 chunks, write-back memory, cacheable */

/* Columns of a row: expected counts and floor. */
#define TENTH(expected)   (expected), ((expected) / 10)
#define EXACTLY(expected) (expected), (expected)
#define CALLS             200, 190 /* some occur between the starts and the stops of the two ESCRs */

#define FIRM(id, work, prepare, finish) \
    {EVENT_##id, NEED_SSE2, 0, FIRM_ALL, 0, &work, 200, TENTH(200), NULL, prepare, finish, "F11"}

/* clang-format off */
const struct cause CAUSE[] = {
    /* event, needs, flags, caused, excluded, workload, n, expected and floor, upstream, prepare, finish, source */
    {EVENT_BPU_FETCH_REQUEST, 0, 0, MASK(0), 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6: no trace is left"},
    {EVENT_ITLB_REFERENCE, 0, CAUSE_VALUE, MASK(0) | MASK(1) | MASK(2), 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6: no trace is left"},
    {EVENT_ITLB_REFERENCE, 0, 0, 0, MASK(1) | MASK(2), &work_self_modify, 40, TENTH(0), NULL, NULL, NULL, "Table 19-28"},
    {EVENT_MOB_LOAD_REPLAY, 0, 0, MASK(4), 0, &work_partial_load, 240, TENTH(240), NULL, NULL, work_finish_mmx, "Table 19-28: PARTIAL_DATA"},
    {EVENT_MOB_LOAD_REPLAY, 0, CAUSE_VALUE, MASK(1) | MASK(3) | MASK(4) | MASK(5), 0, &work_partial_load, 240, TENTH(240), NULL, NULL, work_finish_mmx, "Table 19-28: PARTIAL_DATA"},
    {EVENT_PAGE_WALK_TYPE, 0, 0, MASK(0), 0, &work_touch_pages, MANY_PAGES, TENTH(900), NULL, prepare_pages, paging_off, "Table 19-28: more pages than a DTLB holds"},
    {EVENT_IOQ_ALLOCATION, 0, CAUSE_VALUE | CAUSE_EDGE, IOQ_UNCACHED_READ, 0, &work_uncached_load, 240, TENTH(240), NULL, prepare_uncached, paging_off, "Table 19-28: each is a transaction"},
    {EVENT_IOQ_ACTIVE_ENTRIES, 0, CAUSE_VALUE | CAUSE_CLOCKS, IOQ_UNCACHED_READ, 0, &work_uncached_load, 240, TENTH(2400), &IOQ_IN_EVEN, prepare_uncached, paging_off, "Table 19-28: each is active for some clocks"},
    {EVENT_BSQ_ALLOCATION, NEED_SSE2, CAUSE_VALUE | CAUSE_EDGE, BSQ_LINE_READ, 0, &work_read_burst, 6, TENTH(96), NULL, work_prepare_sse, NULL, "Table 19-28"},
    {EVENT_BSQ_ACTIVE_ENTRIES, NEED_SSE2, CAUSE_VALUE | CAUSE_CLOCKS, BSQ_LINE_READ, 0, &work_read_burst, 6, TENTH(960), &BSQ_IN_EVEN, work_prepare_sse, NULL, "Table 19-28"},
    {EVENT_GLOBAL_POWER_EVENTS, 0, CAUSE_CLOCKS, GLOBAL_POWER_RUNNING, 0, &work_loop, 3000, TENTH(1000), NULL, NULL, NULL, "Table 19-28: a clock for 6 uops at most"},
    {EVENT_TC_MISC, 0, 0, MASK(4), 0, &work_self_modify, 40, TENTH(80), NULL, NULL, NULL, "SDM 11.6: each flushes the trace cache"},
    {EVENT_TC_MS_XFER, 0, 0, TC_MS_XFER_CISC, 0, &work_cpuid_leaf_0, 100, TENTH(100), NULL, NULL, NULL, "Table 19-28; F15"},
    {EVENT_UOP_QUEUE_WRITES, 0, CAUSE_VALUE, MASK(0) | MASK(1) | MASK(2), 0, &work_nop, 240, TENTH(240), NULL, NULL, NULL, "Table 19-28: a uop for each"},
    {EVENT_UOP_QUEUE_WRITES, 0, 0, MASK(1), 0, &work_loop, 400, TENTH(800), NULL, NULL, NULL, "Table 19-28: a uop for each"},
    {EVENT_UOP_QUEUE_WRITES, 0, 0, MASK(0), 0, &work_self_modify, 40, TENTH(200), NULL, NULL, NULL, "SDM 11.6: each is built again"},
    {EVENT_UOP_QUEUE_WRITES, 0, 0, MASK(2), 0, &work_cpuid_leaf_0, 100, TENTH(100), NULL, NULL, NULL, "Table 19-28; F16: one of each at least"},
    {EVENT_RETIRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_CONDITIONAL, 0, &work_loop, 240, EXACTLY(240), NULL, NULL, NULL, "Table 19-28"},
    {EVENT_RETIRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_CALL, BRANCH_TYPE_RETURN, &work_call, 200, CALLS, NULL, NULL, NULL, "Table 19-28"},
    {EVENT_RETIRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_CALL | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_RETURN, &work_indirect_call, 200, CALLS, NULL, NULL, NULL, "Table 19-28"},
    {EVENT_RETIRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_CONDITIONAL | BRANCH_TYPE_RETURN | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_CALL, &work_return, 200, CALLS, NULL, NULL, NULL, "Table 19-28"},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_CONDITIONAL, BRANCH_TYPE_CALL | BRANCH_TYPE_RETURN, &work_random_branch, RANDOM, TENTH(RANDOM / 10), NULL, NULL, NULL, "Table 19-28: half of them are random"},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 0, 0, 0, BRANCH_TYPE_CALL, &work_call, 200, TENTH(0), NULL, NULL, NULL, "Table 19-28"},
    {EVENT_MEMORY_COMPLETE, 0, 0, MEMORY_COMPLETE_LSC, MEMORY_COMPLETE_SSC, &work_split_load, 200, TENTH(200), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_MEMORY_COMPLETE, 0, 0, MEMORY_COMPLETE_SSC, MEMORY_COMPLETE_LSC, &work_split_store, 200, TENTH(200), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_LOAD_PORT_REPLAY, 0, 0, LOAD_REPLAY_SPLIT_LD, 0, &work_split_load, 240, TENTH(240), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_STORE_PORT_REPLAY, 0, 0, STORE_REPLAY_SPLIT_ST, 0, &work_split_store, 240, TENTH(240), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    FIRM(PACKED_SP_UOP, work_packed_sp, work_prepare_sse, NULL),
    FIRM(PACKED_DP_UOP, work_packed_dp, work_prepare_sse, NULL),
    FIRM(SCALAR_SP_UOP, work_scalar_sp, work_prepare_sse, NULL),
    FIRM(SCALAR_DP_UOP, work_scalar_dp, work_prepare_sse, NULL),
    FIRM(64BIT_MMX_UOP, work_mmx_64, NULL, work_finish_mmx),
    FIRM(128BIT_MMX_UOP, work_mmx_128, work_prepare_sse, NULL),
    FIRM(X87_FP_UOP, work_x87, work_prepare_fp, NULL),
    {EVENT_UOPS_RETIRED, 0, 0, UOPS_RETIRED_NBOGUS, 0, &work_nop, 500, EXACTLY(500), NULL, NULL, NULL, "F10: a uop for each"},
    {EVENT_INSTR_RETIRED, 0, 0, INSTR_RETIRED_NTAG, INSTR_RETIRED_TAG, &work_nop, 200, EXACTLY(200), NULL, NULL, NULL, "F8"},
    {EVENT_MISPRED_BRANCH_RETIRED, 0, 0, MASK(0), 0, &work_random_branch, RANDOM, TENTH(RANDOM / 10), NULL, NULL, NULL, "Table 19-29: half of them are random"},
    {EVENT_INSTR_COMPLETED, NEED_INSTR_COMPLETED, 0, INSTR_COMPLETED_NBOGUS, 0, &work_nop, 200, EXACTLY(200), NULL, NULL, NULL, "F9"},
    {EVENT_MACHINE_CLEAR, 0, 0, MACHINE_CLEAR_SMCLEAR, 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6; F18"},
    {EVENT_MACHINE_CLEAR, 0, CAUSE_EDGE, MASK(0), 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6; F18"},
    {EVENT_X87_ASSIST, 0, 0, X87_ASSIST_FPSU, MASK(1) | MASK(2) | MASK(3) | MASK(4), &work_stack_fault, 200, TENTH(200), NULL, work_prepare_fp, NULL, "Table 19-29: each underflows"},
    {EVENT_BRANCH_RETIRED, 0, CAUSE_VALUE, BRANCH_RETIRED_ALL, 0, &work_loop, 240, EXACTLY(240), NULL, NULL, NULL, "F9"},
    {EVENT_BRANCH_RETIRED, 0, 0, BRANCH_RETIRED_ALL, 0, &work_random_branch, RANDOM, TENTH(RANDOM / 10), NULL, NULL, NULL, "Table 19-29: half of them are random"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, 0, EXECUTION_NBOGUS_ALL, 0, &work_packed_sp, 200, TENTH(200), &TAGGED_PACKED_SP, work_prepare_sse, NULL, "Table 19-32; F11"},
};
/* clang-format on */
const size_t CAUSES = COUNT_OF(CAUSE);
