/* The table of causes: which work causes what of an event, how often at least, and the source of that. */
#include "causes.h"

#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"
#include "pmc/netburst/event.h"
#include "pmc/netburst/regs.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/stimulus.h"

#define MASK(bit) (1u << (bit))

#define RANDOM     2000 /* branches: more than a predictor of these parts learns by heart */
#define MANY_PAGES 960  /* more than any DTLB holds, because the frame's warm-up has touched them, too */
#define LINE       64u
#define PAGE       4096u

/* ---- Preparations ---- */

static void prepare_pages(void)
{
    if (!paging_on())
        skip_now("no page-size extension, so no 4 KB pages to walk for");
    work_page_region = PAGING_REGION;
}

static void prepare_stored_pages(void)
{
    prepare_pages();
    for (unsigned i = 0; i < MANY_PAGES; i++)
        work_page_contents[i] = *(const volatile uint32_t *)(uintptr_t)(PAGING_REGION + i * 4096u);
}

static void prepare_uncached(void)
{
    stimulus_prepare(STIMULUS_UNCACHED_READS);
}

static void need_write_back(uint32_t address)
{
    if (!memory_is_write_back(address))
        skip_now("memory is not write-back by the MTRRs (firmware)");
}

static void go_through(uint32_t at, uint32_t step, uint32_t bytes)
{
    work_lines_at = at;
    work_lines_step = step;
    work_lines_mask = bytes - LINE;
}

/* Memory that nobody stores to: a line each in many pages, so that none is fetched ahead. */
static void prepare_far_lines(void)
{
    need_write_back(PAGING_REGION);
    go_through(PAGING_REGION, PAGE + LINE, PAGING_REGION_PAGES * PAGE);
}

/* More lines than a first level holds, fewer than the smallest second level does. */
static void prepare_near_lines(void)
{
    need_write_back(PAGING_REGION);
    go_through(PAGING_REGION, LINE, WORK_LINES_OWN);
}

static void prepare_own(uint32_t bytes)
{
    need_write_back((uint32_t)(uintptr_t)work_lines_own);
    work_prepare_sse();
    go_through((uint32_t)(uintptr_t)work_lines_own, LINE, bytes);
}

static void prepare_own_lines(void)
{
    prepare_own(WORK_LINES_OWN);
}

/* Fewer lines than the work has occurrences. */
static void prepare_few_own_lines(void)
{
    prepare_own(PAGE / 2);
}

static void prepare_type(unsigned type)
{
    need_write_back(paging_page());
    const char *why = paging_on_as(type);

    if (why)
        skip_now("%s", why);
    work_prepare_sse();
    go_through(paging_page(), LINE, PAGE);
}

static void prepare_uc(void)
{
    prepare_type(MEMORY_UC);
}

static void prepare_wc(void)
{
    prepare_type(MEMORY_WC);
}

static void prepare_wt(void)
{
    prepare_type(MEMORY_WT);
}

static void prepare_wp(void)
{
    prepare_type(MEMORY_WP);
}

static void prepare_uncached_code(void)
{
    memcpy((void *)(uintptr_t)paging_page(), work_code, (size_t)(work_code_end - work_code));
    work_code_page = paging_page();
    prepare_type(MEMORY_UC);
}

static void prepare_fetches(void)
{
    if (!paging_on())
        skip_now("no page-size extension, so no pages to translate");
}

static void finish_mmx_and_paging(void)
{
    paging_off();
    work_finish_mmx();
}

static void prepare_spin(void)
{
    companion_spin();
    work_watched = companion_word();
}

static void fill_cold_lines(void)
{
    for (unsigned line = 0; line < 2; line++) {
        for (unsigned i = 0; i < WORK_COLD; i++)
            work_cold_room[line][i] = work_cold_copy;
        work_cold_room[line][WORK_COLD] = work_cold_exit;
    }
}

static void prepare_cold_beside_spin(void)
{
    fill_cold_lines();
    companion_spin();
}

static void prepare_building_beside(void)
{
    fill_cold_lines();
    companion_repeat(&work_cold_beside, WORK_COLD);
}

/* ---- Upstream events ---- */

static const struct upstream IOQ_IN_EVEN = {.event = EVENT_IOQ_ALLOCATION,
                                            .filter = CCCR_COMPARE | CCCR_EDGE};
static const struct upstream BSQ_IN_EVEN = {.event = EVENT_BSQ_ALLOCATION,
                                            .filter = CCCR_COMPARE | CCCR_EDGE};
#define TAG(bits) (ESCR_TAG_ENABLE | ESCR_TAG_VALUE(bits))

static const struct upstream TAGGED_PACKED_SP = {
    .event = EVENT_PACKED_SP_UOP, .mask = FIRM_ALL, .counter = {8, 10}, .escr = TAG(EXECUTION_NBOGUS_ALL)};
#define TAGGED(id, mask_)                                                        \
    {                                                                            \
        .event = EVENT_##id, .mask = (mask_), .counter = {8, 10}, .escr = TAG(1) \
    }
static const struct upstream TAGGED_PACKED_DP = TAGGED(PACKED_DP_UOP, FIRM_ALL);
static const struct upstream TAGGED_SCALAR_SP = TAGGED(SCALAR_SP_UOP, FIRM_ALL);
static const struct upstream TAGGED_SCALAR_DP = TAGGED(SCALAR_DP_UOP, FIRM_ALL);
static const struct upstream TAGGED_MMX_64 = TAGGED(64BIT_MMX_UOP, FIRM_ALL);
static const struct upstream TAGGED_MMX_128 = TAGGED(128BIT_MMX_UOP, FIRM_ALL);
static const struct upstream TAGGED_X87 = TAGGED(X87_FP_UOP, FIRM_ALL);
static const struct upstream TAGGED_MOVES = TAGGED(X87_SIMD_MOVES_UOP, MOVES_ALLP0 | MOVES_ALLP2);

/* Whether uop_type needs tag enable is open; with it, it tags by either reading. */
#define TAGGED_IN_FRONT(mask_)                                                        \
    {                                                                                 \
        .event = EVENT_UOP_TYPE, .mask = (mask_), .counter = {13, 15}, .escr = TAG(1) \
    }
static const struct upstream TAGGED_LOADS = TAGGED_IN_FRONT(UOP_TYPE_TAGLOADS);
static const struct upstream TAGGED_STORES = TAGGED_IN_FRONT(UOP_TYPE_TAGSTORES);

/* Table 19-33. By which of the two ESCRs split stores are tagged is printed both ways. */
static const struct upstream REPLAYED_SPLIT_LOADS = {.event = EVENT_LOAD_PORT_REPLAY,
                                                     .mask = LOAD_REPLAY_SPLIT_LD,
                                                     .counter = {10, 10},
                                                     .replays = PEBS_REPLAY_SPLIT,
                                                     .matrix = PEBS_MATRIX_LOADS};
static const struct upstream REPLAYED_SPLIT_STORES = {.event = EVENT_STORE_PORT_REPLAY,
                                                      .mask = STORE_REPLAY_SPLIT_ST,
                                                      .counter = {8, 10},
                                                      .both = true,
                                                      .replays = PEBS_REPLAY_SPLIT,
                                                      .matrix = PEBS_MATRIX_STORES};
static const struct upstream REPLAYED_BY_MOB = {.event = EVENT_MOB_LOAD_REPLAY,
                                                .mask = MOB_REPLAY_TAGGED,
                                                .counter = {0, 2},
                                                .replays = PEBS_REPLAY_MOB,
                                                .matrix = PEBS_MATRIX_LOADS};
#define REPLAYED(replays_, matrix_)                                      \
    {                                                                    \
        .event = NO_UPSTREAM, .replays = (replays_), .matrix = (matrix_) \
    }
static const struct upstream MISSED_DTLB_LOADS = REPLAYED(PEBS_REPLAY_DTLB, PEBS_MATRIX_LOADS);
static const struct upstream MISSED_DTLB_STORES = REPLAYED(PEBS_REPLAY_DTLB, PEBS_MATRIX_STORES);
static const struct upstream MISSED_DTLB = REPLAYED(PEBS_REPLAY_DTLB, PEBS_MATRIX_LOADS | PEBS_MATRIX_STORES);
static const struct upstream MISSED_1ST_LEVEL = REPLAYED(PEBS_REPLAY_1ST_LEVEL, PEBS_MATRIX_LOADS);
static const struct upstream TAGGED_BRANCHES = REPLAYED(PEBS_TAGGED_BRANCHES, PEBS_MATRIX_BRANCHES);
static const struct upstream MISSED_2ND_LEVEL = REPLAYED(PEBS_REPLAY_2ND_LEVEL, PEBS_MATRIX_LOADS);

/* ---- The rows ---- */

/*
 * Transactions: few, since the time of each differs, and of the work with it. Of another memory type there
 * are a few more, because the same number would be the same work to the witnesses (witness.h).
 */
#define BUS          60
#define BUS_AS(type) (BUS + 4 * MEMORY_##type)

/* Values of the event mask of IOQ_allocation: default request type, direction, memory type, OWN. */
#define IOQ_OF(direction, memory) (MASK(0) | MASK(direction) | MASK(memory) | MASK(13))
enum { READ = 5, WRITE, UC, WC, WT, WP, WB };

/* Of BSQ_allocation: request type, length in chunks, flags, memory type. The manual does not say how the
 * flags combine, so those of a row are the first ones that are tried (CAUSE_FLAGS). */
#define BSQ_OF(type, length, flags, memory) ((type) | (length) << 2 | (flags) | (memory) << 11)
enum { BSQ_READ, BSQ_OWN, BSQ_WRITE, BSQ_WRITE_BACK };
enum { CHUNK = 1, WHOLE_LINE = 3 };
#define PORT    MASK(5)
#define CACHE   MASK(7)
#define SPLIT   MASK(8)
#define DEMAND  MASK(9)
#define ORDERED MASK(10)

/* Columns of a row: expected counts and floor. */
#define TENTH(expected)   (expected), ((expected) / 10)
#define EXACTLY(expected) (expected), (expected)
#define CALLS             200, 190 /* some occur between the starts and the stops of the two ESCRs */

/* A transaction is allocated once, and is active for some clocks. */
#define IOQ(mask, work, n, prepare, finish)                                                                  \
    {EVENT_IOQ_ALLOCATION,                                                                                   \
     NEED_SSE2,                                                                                              \
     CAUSE_VALUE | CAUSE_EDGE,                                                                               \
     mask,                                                                                                   \
     0,                                                                                                      \
     &work,                                                                                                  \
     n,                                                                                                      \
     TENTH(n),                                                                                               \
     NULL,                                                                                                   \
     prepare,                                                                                                \
     finish,                                                                                                 \
     "Table 19-28: each is a transaction"},                                                                  \
    {                                                                                                        \
        EVENT_IOQ_ACTIVE_ENTRIES, NEED_SSE2, CAUSE_VALUE | CAUSE_CLOCKS, mask, 0, &work, n, TENTH(10 * (n)), \
            &IOQ_IN_EVEN, prepare, finish, "Table 19-28: each is active for 10 clocks"                       \
    }
#define BSQ(mask, work, n, flags, prepare, finish)                                                        \
    {EVENT_BSQ_ALLOCATION,                                                                                \
     NEED_SSE2,                                                                                           \
     (flags) | CAUSE_FLAGS | CAUSE_VALUE | CAUSE_EDGE,                                                    \
     mask,                                                                                                \
     0,                                                                                                   \
     &work,                                                                                               \
     n,                                                                                                   \
     TENTH(n),                                                                                            \
     NULL,                                                                                                \
     prepare,                                                                                             \
     finish,                                                                                              \
     "Table 19-28: each is a request"},                                                                   \
    {                                                                                                     \
        EVENT_BSQ_ACTIVE_ENTRIES, NEED_SSE2, (flags) | CAUSE_FLAGS | CAUSE_VALUE | CAUSE_CLOCKS, mask, 0, \
            &work, n, TENTH(10 * (n)), &BSQ_IN_EVEN, prepare, finish,                                     \
            "Table 19-28: each is active for 10 clocks"                                                   \
    }
#define FSB(bit, work, clocks, prepare)                                                                   \
    {                                                                                                     \
        EVENT_FSB_DATA_ACTIVITY, NEED_SSE2, CAUSE_CLOCKS, MASK(bit), 0, &work, BUS, TENTH(BUS *(clocks)), \
            NULL, prepare, NULL, "Table 19-28: a whole line each"                                         \
    }
#define MODE(bit, flags, work, n, clocks, prepare, finish)                                                   \
    {                                                                                                        \
        EVENT_TC_DELIVER_MODE, (flags) ? NEED_SIBLING : 0,                                                   \
            (flags) | CAUSE_MODES | CAUSE_VALUE | CAUSE_CLOCKS, MASK(bit), 0, &work, n, TENTH(clocks), NULL, \
            prepare, finish, "Table 19-28; 6 uops a clock at most"                                           \
    }

#define FIRM(id, work, prepare, finish)                                                             \
    {                                                                                               \
        EVENT_##id, NEED_SSE2, 0, FIRM_ALL, 0, &work, 200, TENTH(200), NULL, prepare, finish, "F11" \
    }

/* clang-format off */
const struct cause CAUSE[] = {
    /* event, needs, flags, caused, excluded, workload, n, expected and floor, upstream, prepare, finish, source */
    {EVENT_BPU_FETCH_REQUEST, 0, 0, MASK(0), 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6: no trace is left"},
    {EVENT_ITLB_REFERENCE, 0, CAUSE_VALUE, MASK(0) | MASK(1) | MASK(2), 0, &work_self_modify, 40, TENTH(40), NULL, prepare_fetches, paging_off, "SDM 11.6: no trace is left"},
    {EVENT_ITLB_REFERENCE, 0, CAUSE_CPL0, MASK(1), 0, &work_fetch_again, 20, TENTH(20), NULL, prepare_fetches, paging_off, "SDM 4.10.4, 11.6: neither trace nor translation is left"},
    {EVENT_ITLB_REFERENCE, 0, 0, MASK(0), MASK(1) | MASK(2), &work_self_modify, 40, TENTH(40), NULL, prepare_fetches, paging_off, "SDM 11.6: no trace is left"},
    {EVENT_ITLB_REFERENCE, NEED_SSE2, 0, MASK(2), 0, &work_uncached_code, 200, TENTH(200), NULL, prepare_uncached_code, paging_off, "SDM 11.3: no cache holds it"},
    {EVENT_MOB_LOAD_REPLAY, 0, 0, MASK(1), 0, &work_late_address, 200, TENTH(200), NULL, NULL, NULL, "Table 19-28: NO_STA"},
    {EVENT_MOB_LOAD_REPLAY, 0, 0, MASK(3), 0, &work_late_data, 200, TENTH(200), NULL, NULL, NULL, "Table 19-28: NO_STD"},
    {EVENT_MOB_LOAD_REPLAY, 0, 0, MASK(5), 0, &work_upper_half, 240, TENTH(240), NULL, NULL, work_finish_mmx, "Table 19-28: UNALGN_ADDR"},
    {EVENT_MOB_LOAD_REPLAY, 0, CAUSE_VALUE, MASK(1) | MASK(3) | MASK(4) | MASK(5), 0, &work_partial_load, 240, TENTH(240), NULL, NULL, work_finish_mmx, "Table 19-28: PARTIAL_DATA"},
    {EVENT_PAGE_WALK_TYPE, 0, 0, MASK(0), 0, &work_touch_pages, MANY_PAGES, TENTH(900), NULL, prepare_pages, paging_off, "Table 19-28: more pages than a DTLB holds"},
    {EVENT_PAGE_WALK_TYPE, 0, CAUSE_CPL0, MASK(1), 0, &work_fetch_again, 20, TENTH(20), NULL, prepare_fetches, paging_off, "SDM 4.10.4, 11.6: neither trace nor translation is left"},
    {EVENT_BSQ_CACHE_REFERENCE, NEED_SSE2, 0, MASK(8), 0, &work_line_load, BUS, TENTH(BUS), NULL, prepare_far_lines, NULL, "SDM 11.5.5: CLFLUSH empties every level"},
    {EVENT_BSQ_CACHE_REFERENCE, NEED_SSE2, 0, MASK(1), 0, &work_load, 2048, TENTH(1024), NULL, prepare_near_lines, NULL, "SDM 11.4: held by one cache, unmodified"},
    {EVENT_BSQ_CACHE_REFERENCE, NEED_SSE2, 0, MASK(2), 0, &work_load_stored, 2048, TENTH(1024), NULL, prepare_own_lines, NULL, "SDM 11.4: modified"},
    IOQ(IOQ_OF(READ, UC), work_uncached_load, BUS, prepare_uncached, paging_off),
    IOQ(IOQ_OF(WRITE, UC), work_store, BUS, prepare_uc, paging_off),
    IOQ(IOQ_OF(WRITE, WC), work_store, BUS_AS(WC), prepare_wc, paging_off),
    IOQ(IOQ_OF(READ, WT), work_line_load, BUS_AS(WT), prepare_wt, paging_off),
    IOQ(IOQ_OF(WRITE, WT), work_store, BUS_AS(WT), prepare_wt, paging_off),
    IOQ(IOQ_OF(READ, WP), work_line_load, BUS_AS(WP), prepare_wp, paging_off),
    IOQ(IOQ_OF(WRITE, WP), work_store, BUS_AS(WP), prepare_wp, paging_off),
    IOQ(IOQ_OF(READ, WB), work_line_load, BUS, prepare_far_lines, NULL),
    IOQ(IOQ_OF(WRITE, WB), work_line_store, BUS, prepare_few_own_lines, NULL),
    FSB(0, work_line_write, 4, prepare_few_own_lines), /* DRDY_DRV */
    FSB(1, work_line_load, 4, prepare_far_lines),  /* DRDY_OWN */
    FSB(3, work_line_write, 2, prepare_few_own_lines), /* DBSY_DRV */
    FSB(4, work_line_load, 2, prepare_far_lines),  /* DBSY_OWN */
    BSQ(BSQ_OF(BSQ_READ, WHOLE_LINE, CACHE | DEMAND, MEMORY_WB), work_line_load, BUS, 0, prepare_far_lines, NULL),
    BSQ(BSQ_OF(BSQ_OWN, WHOLE_LINE, CACHE | DEMAND | ORDERED, MEMORY_WB), work_line_store, BUS, 0, prepare_few_own_lines, NULL),
    BSQ(BSQ_OF(BSQ_WRITE_BACK, WHOLE_LINE, CACHE | DEMAND, MEMORY_WB), work_line_store, BUS, 0, prepare_few_own_lines, NULL),
    BSQ(BSQ_OF(BSQ_WRITE, WHOLE_LINE, DEMAND, MEMORY_WC), work_line_write, BUS_AS(WC), 0, prepare_wc, paging_off),
    BSQ(BSQ_OF(BSQ_WRITE, CHUNK, DEMAND, MEMORY_WC), work_store_8, BUS_AS(WC), 0, prepare_wc, finish_mmx_and_paging),
    BSQ(BSQ_OF(BSQ_READ, CHUNK, DEMAND | ORDERED, MEMORY_UC), work_uncached_load, BUS, 0, prepare_uncached, paging_off),
    BSQ(BSQ_OF(BSQ_READ, CHUNK, SPLIT | DEMAND | ORDERED, MEMORY_UC), work_load_chunks, BUS, 0, prepare_uc, paging_off),
    BSQ(BSQ_OF(BSQ_WRITE, CHUNK, DEMAND | ORDERED, MEMORY_UC), work_store, BUS, 0, prepare_uc, paging_off),
    BSQ(BSQ_OF(BSQ_READ, WHOLE_LINE, CACHE | DEMAND, MEMORY_WT), work_line_load, BUS_AS(WT), 0, prepare_wt, paging_off),
    BSQ(BSQ_OF(BSQ_WRITE, CHUNK, DEMAND, MEMORY_WT), work_store, BUS_AS(WT), 0, prepare_wt, paging_off),
    BSQ(BSQ_OF(BSQ_READ, WHOLE_LINE, CACHE | DEMAND, MEMORY_WP), work_line_load, BUS_AS(WP), 0, prepare_wp, paging_off),
    BSQ(BSQ_OF(BSQ_WRITE, CHUNK, DEMAND, MEMORY_WP), work_store, BUS_AS(WP), 0, prepare_wp, paging_off),
    BSQ(BSQ_OF(BSQ_READ, CHUNK, PORT | DEMAND | ORDERED, MEMORY_UC), work_port_read, BUS, CAUSE_CPL0, NULL, NULL),
    {EVENT_GLOBAL_POWER_EVENTS, 0, CAUSE_CLOCKS, GLOBAL_POWER_RUNNING, 0, &work_loop, 3000, TENTH(1000), NULL, NULL, NULL, "Table 19-28: a clock for 6 uops at most"},
    MODE(2, 0, work_loop, 3000, 1000, NULL, NULL),                                       /* DI */
    MODE(5, 0, work_self_modify, 40, 40, NULL, NULL),                                    /* BI */
    MODE(6, CAUSE_ONCE | CAUSE_ON_SIBLING, work_loop, 3000, 1000, NULL, NULL),           /* ID */
    MODE(7, CAUSE_ONCE | CAUSE_ON_SIBLING, work_self_modify, 40, 40, NULL, NULL),        /* IB */
    MODE(0, CAUSE_ONCE, work_loop, 3000, 500, prepare_spin, companion_end),              /* DD */
    MODE(3, CAUSE_ONCE, work_cold, WORK_COLD, WORK_COLD / 12, prepare_cold_beside_spin, companion_end),        /* BD */
    MODE(1, CAUSE_ONCE, work_loop, 6000, 500, prepare_building_beside, companion_end),          /* DB */
    MODE(4, CAUSE_ONCE, work_cold, WORK_COLD, WORK_COLD / 12, prepare_building_beside, companion_end),    /* BB */
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
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_CALL | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_RETURN, &work_random_call, RANDOM / 4, TENTH(RANDOM / 20), NULL, NULL, NULL, "Table 19-28: half of them are random"},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 0, 0, BRANCH_TYPE_RETURN | BRANCH_TYPE_INDIRECT, BRANCH_TYPE_CALL, &work_random_return, RANDOM / 4, TENTH(RANDOM / 20), NULL, NULL, NULL, "Table 19-28: half of them are random"},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, 0, 0, 0, BRANCH_TYPE_CALL, &work_call, 200, TENTH(0), NULL, NULL, NULL, "Table 19-28"},
    {EVENT_MEMORY_CANCEL, 0, 0, MASK(3), 0, &work_alias_load, 200, TENTH(200), NULL, NULL, NULL, "F19"},
    {EVENT_WC_BUFFER, NEED_SSE2, 0, MASK(0) | MASK(1), 0, &work_store, BUS_AS(WC), TENTH(BUS), NULL, prepare_wc, paging_off, "F20: more lines than buffers"},
    {EVENT_MEMORY_COMPLETE, 0, 0, MEMORY_COMPLETE_LSC, MEMORY_COMPLETE_SSC, &work_split_load, 200, TENTH(200), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_MEMORY_COMPLETE, 0, 0, MEMORY_COMPLETE_SSC, MEMORY_COMPLETE_LSC, &work_split_store, 200, TENTH(200), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_LOAD_PORT_REPLAY, 0, 0, LOAD_REPLAY_SPLIT_LD, 0, &work_split_load, 240, TENTH(240), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_STORE_PORT_REPLAY, 0, 0, STORE_REPLAY_SPLIT_ST, 0, &work_split_store, 240, TENTH(240), NULL, NULL, NULL, "Table 19-28: each crosses a line"},
    {EVENT_SSE_INPUT_ASSIST, NEED_SSE2, 0, FIRM_ALL, 0, &work_packed_sp, 200, TENTH(200), NULL, work_prepare_denormals, work_prepare_sse, "Table 19-28: denormal operands"},
    {EVENT_SSE_INPUT_ASSIST, NEED_SSE2, 0, 0, FIRM_ALL, &work_packed_sp, 200, TENTH(0), NULL, work_prepare_sse, NULL, "Table 19-28: denormal operands"},
    FIRM(PACKED_SP_UOP, work_packed_sp, work_prepare_sse, NULL),
    FIRM(PACKED_DP_UOP, work_packed_dp, work_prepare_sse, NULL),
    FIRM(SCALAR_SP_UOP, work_scalar_sp, work_prepare_sse, NULL),
    FIRM(SCALAR_DP_UOP, work_scalar_dp, work_prepare_sse, NULL),
    FIRM(64BIT_MMX_UOP, work_mmx_64, NULL, work_finish_mmx),
    FIRM(128BIT_MMX_UOP, work_mmx_128, work_prepare_sse, NULL),
    FIRM(X87_FP_UOP, work_x87, work_prepare_fp, NULL),
    {EVENT_X87_SIMD_MOVES_UOP, NEED_SSE2, 0, MOVES_ALLP0, MOVES_ALLP2, &work_move_xmm, 200, TENTH(200), NULL, work_prepare_sse, NULL, "Table 19-32"},
    {EVENT_X87_SIMD_MOVES_UOP, NEED_SSE2, 0, MOVES_ALLP0, MOVES_ALLP2, &work_move_x87, 200, TENTH(200), NULL, work_prepare_fp, work_finish_fp, "Table 19-32"},
    {EVENT_X87_SIMD_MOVES_UOP, NEED_SSE2, 0, MOVES_ALLP2, MOVES_ALLP0, &work_load_xmm, 200, TENTH(200), NULL, work_prepare_sse, NULL, "Table 19-32"},
    {EVENT_RESOURCE_STALL, NEED_SSE2 | NEED_EXTENDED_CASCADE, CAUSE_CLOCKS, RESOURCE_STALL_SBFULL, 0, &work_store, 100, TENTH(1000), NULL, prepare_uc, paging_off, "18.15.5.7; F20: more stores than the buffer holds"},
    {EVENT_UOPS_RETIRED, 0, 0, UOPS_RETIRED_NBOGUS, 0, &work_nop, 500, EXACTLY(500), NULL, NULL, NULL, "F10: a uop for each"},
    {EVENT_INSTR_RETIRED, 0, 0, INSTR_RETIRED_NTAG, INSTR_RETIRED_TAG, &work_nop, 200, EXACTLY(200), NULL, NULL, NULL, "F8"},
    {EVENT_INSTR_RETIRED, NEED_SSE2, 0, INSTR_RETIRED_TAG, 0, &work_packed_sp, 200, TENTH(200), &TAGGED_PACKED_SP, work_prepare_sse, NULL, "Table 19-29: NBOGUSTAG; F11"},
    {EVENT_MISPRED_BRANCH_RETIRED, 0, 0, MASK(0), 0, &work_random_branch, RANDOM, TENTH(RANDOM / 10), NULL, NULL, NULL, "Table 19-29: half of them are random"},
    {EVENT_INSTR_COMPLETED, NEED_INSTR_COMPLETED, 0, INSTR_COMPLETED_NBOGUS, 0, &work_nop, 200, EXACTLY(200), NULL, NULL, NULL, "F9"},
    {EVENT_MACHINE_CLEAR, 0, 0, MACHINE_CLEAR_SMCLEAR, 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6; F18"},
    {EVENT_MACHINE_CLEAR, 0, CAUSE_EDGE, MASK(0), 0, &work_self_modify, 40, TENTH(40), NULL, NULL, NULL, "SDM 11.6; F18"},
    {EVENT_MACHINE_CLEAR, NEED_SIBLING, CAUSE_ONCE, MASK(2), 0, &work_await, 200, TENTH(200), NULL, prepare_spin, companion_end, "PAUSE: the end of a loop that waits violates the order"},
    {EVENT_X87_ASSIST, 0, 0, X87_ASSIST_FPSU, X87_ASSIST_ALL & ~X87_ASSIST_FPSU, &work_stack_fault, 200, TENTH(200), NULL, work_prepare_fp, NULL, "Table 19-29: each underflows"},
    {EVENT_X87_ASSIST, 0, 0, X87_ASSIST_FPSO, X87_ASSIST_ALL & ~X87_ASSIST_FPSO, &work_push, 200, TENTH(200), NULL, work_prepare_full_stack, work_finish_fp, "Table 19-29: each overflows"},
    {EVENT_X87_ASSIST, 0, 0, X87_ASSIST_POAO, X87_ASSIST_ALL & ~X87_ASSIST_POAO, &work_x87_product, 200, TENTH(200), NULL, work_prepare_overflow, work_finish_fp, "Table 19-29: each result overflows"},
    {EVENT_X87_ASSIST, 0, 0, X87_ASSIST_POAU, X87_ASSIST_ALL & ~X87_ASSIST_POAU, &work_x87_product, 200, TENTH(200), NULL, work_prepare_underflow, work_finish_fp, "Table 19-29: each result underflows"},
    {EVENT_X87_ASSIST, 0, 0, X87_ASSIST_PREA, X87_ASSIST_FPSU | X87_ASSIST_FPSO | X87_ASSIST_POAO, &work_x87_product, 200, TENTH(200), NULL, work_prepare_denormal, work_finish_fp, "Table 19-29: each operand is denormal"},
    {EVENT_BRANCH_RETIRED, 0, CAUSE_VALUE, BRANCH_RETIRED_ALL, 0, &work_loop, 240, EXACTLY(240), NULL, NULL, NULL, "F9"},
    {EVENT_BRANCH_RETIRED, 0, 0, BRANCH_RETIRED_ALL, 0, &work_random_branch, RANDOM, TENTH(RANDOM / 10), NULL, NULL, NULL, "Table 19-29: half of them are random"},
    {EVENT_FRONT_END_EVENT, 0, 0, FRONT_END_NBOGUS, 0, &work_split_load, 200, TENTH(200), &TAGGED_LOADS, NULL, NULL, "Table 19-31: loads; F13"},
    {EVENT_FRONT_END_EVENT, 0, 0, FRONT_END_NBOGUS, 0, &work_split_store, 200, TENTH(200), &TAGGED_STORES, NULL, NULL, "Table 19-31: stores; F13"},
    {EVENT_REPLAY_EVENT, 0, 0, REPLAY_NBOGUS, 0, &work_split_load, 200, TENTH(200), &REPLAYED_SPLIT_LOADS, NULL, NULL, "Table 19-33: split loads; F35"},
    {EVENT_REPLAY_EVENT, 0, 0, REPLAY_NBOGUS, 0, &work_split_store, 200, TENTH(200), &REPLAYED_SPLIT_STORES, NULL, NULL, "Table 19-33: split stores; F35"},
    {EVENT_REPLAY_EVENT, 0, 0, REPLAY_NBOGUS, 0, &work_partial_load, 200, TENTH(200), &REPLAYED_BY_MOB, NULL, work_finish_mmx, "Table 19-33: MOB; F35"},
    {EVENT_REPLAY_EVENT, 0, 0, REPLAY_NBOGUS, 0, &work_touch_pages, MANY_PAGES, TENTH(900), &MISSED_DTLB_LOADS, prepare_pages, paging_off, "Table 19-33: loads that miss the DTLB; F35"},
    {EVENT_REPLAY_EVENT, 0, 0, REPLAY_NBOGUS, 0, &work_store_pages, MANY_PAGES, TENTH(900), &MISSED_DTLB_STORES, prepare_stored_pages, paging_off, "Table 19-33: stores that miss the DTLB; F35"},
    {EVENT_REPLAY_EVENT, 0, 0, REPLAY_NBOGUS, 0, &work_touch_pages, MANY_PAGES, TENTH(900), &MISSED_DTLB, prepare_pages, paging_off, "Table 19-33: all that miss the DTLB; F35"},
    {EVENT_REPLAY_EVENT, NEED_SSE2, 0, REPLAY_NBOGUS, 0, &work_load, 2048, TENTH(1024), &MISSED_1ST_LEVEL, prepare_near_lines, NULL, "Table 19-33: loads that miss the first level; F35"},
    {EVENT_REPLAY_EVENT, NEED_SSE2, 0, REPLAY_NBOGUS, 0, &work_read_burst, 6, 96, 1, &MISSED_2ND_LEVEL, work_prepare_sse, NULL, "Table 19-33: loads that miss the second level; F17"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_packed_dp, 200, TENTH(200), &TAGGED_PACKED_DP, work_prepare_sse, NULL, "Table 19-32: packed_DP; F11"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_scalar_sp, 200, TENTH(200), &TAGGED_SCALAR_SP, work_prepare_sse, NULL, "Table 19-32: scalar_SP; F11"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_scalar_dp, 200, TENTH(200), &TAGGED_SCALAR_DP, work_prepare_sse, NULL, "Table 19-32: scalar_DP; F11"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_mmx_64, 200, TENTH(200), &TAGGED_MMX_64, NULL, work_finish_mmx, "Table 19-32: 64bit_MMX; F11"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_mmx_128, 200, TENTH(200), &TAGGED_MMX_128, work_prepare_sse, NULL, "Table 19-32: 128bit_MMX; F11"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_x87, 200, TENTH(200), &TAGGED_X87, work_prepare_fp, NULL, "Table 19-32: X87_FP; F11"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, CAUSE_VALUE, EXECUTION_NBOGUS(0), 0, &work_load_xmm, 200, TENTH(200), &TAGGED_MOVES, work_prepare_sse, NULL, "Table 19-32: X87_SIMD_memory_moves"},
    {EVENT_EXECUTION_EVENT, NEED_SSE2, 0, EXECUTION_NBOGUS_ALL, 0, &work_packed_sp, 200, TENTH(200), &TAGGED_PACKED_SP, work_prepare_sse, NULL, "Table 19-32; F11"},
};
/* clang-format on */
const size_t CAUSES = COUNT_OF(CAUSE);

/* ---- What has no floor ---- */

#define NO_MEANING "the manual does not say what its bits count (10.9)"
#define NO_BOGUS   "no source says that a bogus uop retires"
#define TABLE_34   "Table 19-34 alone names it"
#define OTHERS     "what other agents of the bus do is not known"

/* clang-format off */
const struct open_cause OPEN_CAUSE[] = {
    {EVENT_MOB_LOAD_REPLAY,     MASK(4), "PARTIAL_DATA alone", NULL, "the load may also wait for another member's reason first"},
    {EVENT_BSQ_CACHE_REFERENCE, MASK(0), "RD_2ndL_HITS", NULL, "no other agent is known to share a line"},
    {EVENT_BSQ_CACHE_REFERENCE, MASK(3) | MASK(4) | MASK(5) | MASK(9), "RD_3rdL_HITS, HITE, HITM and MISS", NULL, "most parts have no third level"},
    {EVENT_BSQ_CACHE_REFERENCE, MASK(10), "WR_2ndL_MISS", NULL, "a store that misses counts as a read"},
    {EVENT_BSQ_CACHE_REFERENCE, MASK(6) | MASK(7) | MASK(11), "WR_2ndL_HIT, WR_3rdL_HIT and MISS", NULL, TABLE_34},
    {EVENT_IOQ_ALLOCATION,     0x001E, "of other request types", NULL, "no table lists them"},
    {EVENT_IOQ_ALLOCATION,     MASK(14), "OTHER", NULL, OTHERS},
    {EVENT_IOQ_ALLOCATION,     MASK(15), "PREFETCH", NULL, "when the part fetches ahead is not said"},
    {EVENT_IOQ_ACTIVE_ENTRIES, 0x001E, "of other request types", NULL, "no table lists them"},
    {EVENT_IOQ_ACTIVE_ENTRIES, MASK(14), "OTHER", NULL, OTHERS},
    {EVENT_IOQ_ACTIVE_ENTRIES, MASK(15), "PREFETCH", NULL, "when the part fetches ahead is not said"},
    {EVENT_FSB_DATA_ACTIVITY,  MASK(2) | MASK(5), "DRDY_OTHER and DBSY_OTHER", NULL, OTHERS},
    {EVENT_BSQ_ALLOCATION,     MASK(6), "REQ_LOCK_TYPE", NULL, "no mask of Table B-1 has it"},
    {EVENT_BSQ_ACTIVE_ENTRIES, MASK(6), "REQ_LOCK_TYPE", NULL, "no mask of Table B-1 has it"},
    {EVENT_B2B_CYCLES,      0x007E, "", NULL, NO_MEANING},
    {EVENT_BNR,             0x0007, "", NULL, NO_MEANING},
    {EVENT_SNOOP,           0x00C4, "", NULL, NO_MEANING},
    {EVENT_RESPONSE,        0x0306, "", NULL, NO_MEANING},
    {EVENT_RETIRED_BRANCH_TYPE, MASK(0), "UNCONDITIONAL", NULL, TABLE_34},
    {EVENT_RETIRED_MISPRED_BRANCH_TYPE, MASK(0), "UNCONDITIONAL", NULL, TABLE_34},
    {EVENT_MEMORY_CANCEL,   MASK(2), "ST_RB_FULL", NULL, "which requests a full buffer cancels is not said"},
    {EVENT_WC_BUFFER,       MASK(2), "WCB_HITM_EVICT", NULL, TABLE_34},
    {EVENT_MEMORY_COMPLETE, MASK(2) | MASK(3), "USC and ULC", NULL, TABLE_34},
    {EVENT_UOPS_RETIRED,    MASK(1), "BOGUS", NULL, NO_BOGUS},
    {EVENT_INSTR_RETIRED,   MASK(2) | MASK(3), "BOGUSNTAG and BOGUSTAG", NULL, NO_BOGUS},
    {EVENT_INSTR_COMPLETED, MASK(1), "BOGUS", NULL, NO_BOGUS},
    {EVENT_FRONT_END_EVENT, MASK(1), "BOGUS", &TAGGED_LOADS, NO_BOGUS},
    {EVENT_REPLAY_EVENT,    MASK(1), "BOGUS", &REPLAYED_SPLIT_LOADS, NO_BOGUS},
    {EVENT_REPLAY_EVENT,    REPLAY_NBOGUS, "of tagged mispredicted branches", &TAGGED_BRANCHES, "drivers differ in the bits of MSR_PEBS_ENABLE for it"},
    {EVENT_EXECUTION_EVENT, 0x00F0, "BOGUS0 to BOGUS3", &TAGGED_PACKED_SP, NO_BOGUS},
};
/* clang-format on */
const size_t OPEN_CAUSES = COUNT_OF(OPEN_CAUSE);
