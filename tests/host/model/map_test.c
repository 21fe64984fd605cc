/*
 * The model's map: routing (R17, pmu-rules 2.2), cascade partners (R34, R35) and the 47 events (pmu-rules 4),
 * each against tables typed here from docs/pmu-rules.md, and each event counted on every counter that can
 * reach it.
 */
#include "tests/host/support/model_kit.h"

/* pmu-rules 2.3, by ESCR: address, the counters that can select it, select. */
static const struct {
    uint32_t msr;
    uint32_t counters; /* bit n for counter n */
    unsigned select;
} ROUTES[] = {
    {0x3A0, 0x00003, 7}, {0x3A1, 0x0000C, 7}, {0x3A2, 0x00003, 6}, {0x3A3, 0x0000C, 6}, {0x3A4, 0x00300, 1},
    {0x3A5, 0x00C00, 1}, {0x3A6, 0x00300, 0}, {0x3A7, 0x00C00, 0}, {0x3A8, 0x00300, 5}, {0x3A9, 0x00C00, 5},
    {0x3AA, 0x00003, 2}, {0x3AB, 0x0000C, 2}, {0x3AC, 0x00003, 4}, {0x3AD, 0x0000C, 4}, {0x3AE, 0x00300, 2},
    {0x3AF, 0x00C00, 2}, {0x3B0, 0x00300, 3}, {0x3B1, 0x00C00, 3}, {0x3B2, 0x00003, 0}, {0x3B3, 0x0000C, 0},
    {0x3B4, 0x00003, 1}, {0x3B5, 0x0000C, 1}, {0x3B6, 0x00003, 3}, {0x3B7, 0x0000C, 3}, {0x3B8, 0x13000, 4},
    {0x3B9, 0x2C000, 4}, {0x3BA, 0x13000, 0}, {0x3BB, 0x2C000, 0}, {0x3BC, 0x13000, 2}, {0x3BD, 0x2C000, 2},
    {0x3BE, 0x13000, 3}, {0x3C0, 0x00030, 0}, {0x3C1, 0x000C0, 0}, {0x3C2, 0x00030, 2}, {0x3C3, 0x000C0, 2},
    {0x3C4, 0x00030, 1}, {0x3C5, 0x000C0, 1}, {0x3C8, 0x00003, 5}, {0x3C9, 0x0000C, 5}, {0x3CA, 0x13000, 1},
    {0x3CB, 0x2C000, 1}, {0x3CC, 0x13000, 5}, {0x3CD, 0x2C000, 5}, {0x3E0, 0x13000, 6}, {0x3E1, 0x2C000, 6},
};
#define ROUTE_COUNT COUNT_OF(ROUTES)

static uint32_t expected_route(unsigned counter, unsigned select)
{
    for (size_t i = 0; i < ROUTE_COUNT; i++) {
        if (ROUTES[i].select == select && (ROUTES[i].counters & (1u << counter))) {
            return ROUTES[i].msr;
        }
    }
    return 0;
}

TEST(r17_every_counter_and_select)
{
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++) {
        for (unsigned select = 0; select < 8; select++) {
            assert_int_equal(nbpmu_escr_route(counter, select), expected_route(counter, select));
        }
    }
    assert_int_equal(nbpmu_escr_route(18, 0), 0);
    assert_int_equal(nbpmu_escr_route(0, 8), 0);
    /* pmu-rules 2.4: RAT = 2, SSU = 3 on the Q0 side. */
    assert_int_equal(nbpmu_escr_route(12, 2), MSR_RAT_ESCR0);
    assert_int_equal(nbpmu_escr_route(12, 3), MSR_SSU_ESCR0);
}

TEST(r34_cascade_sources)
{
    static const int ALTERNATE[PMC_COUNTERS] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 14, 15};
    struct model_config mirror = KIT_F43;
    mirror.choices.alt17_is_13 = true;
    struct nbpmu *p = kit_new(KIT_F12), *m = kit_new(mirror);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        assert_int_equal(nbpmu_cascade_source(p, n), ALTERNATE[n]);
        assert_int_equal(nbpmu_cascade_source(m, n), n == 17 ? 13 : ALTERNATE[n]);
    }
    assert_int_equal(nbpmu_cascade_source(p, 18), -1);
    nbpmu_free(p);
    nbpmu_free(m);
}

TEST(r35_extended_sources_by_model)
{
    static const uint8_t MODELS[] = {0, 1, 2, 3, 4, 6};
    for (size_t i = 0; i < sizeof MODELS; i++) {
        struct model_config config = {.part = {MODELS[i], 1, 1}};
        struct nbpmu *pmu = kit_new(config);
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            int source = n == 12 ? 16 : n == 15 ? 17 : n == 16 ? 17 : n == 17 ? 16 : -1;
            assert_int_equal(nbpmu_extended_source(pmu, n), MODELS[i] >= 2 ? source : -1);
        }
        nbpmu_free(pmu);
    }
}

/* pmu-rules 4: event, name, ESCR select, CCCR select, ESCR0 of the unit, sides it exists on, one mask bit. */
enum { SIDE0 = 1, SIDE1 = 2, SIDES = 3 };
static const struct event_row {
    enum nbpmu_event event;
    const char *name;
    unsigned select, cccr_select;
    uint32_t escr0;
    unsigned sides;
    unsigned bit;
} EVENTS[] = {
    {NBPMU_BPU_FETCH_REQUEST, "BPU_fetch_request", 0x03, 0, 0x3B2, SIDES, 0},
    {NBPMU_ITLB_REFERENCE, "ITLB_reference", 0x18, 3, 0x3B6, SIDES, 2},
    {NBPMU_MOB_LOAD_REPLAY, "MOB_load_replay", 0x03, 2, 0x3AA, SIDES, 5},
    {NBPMU_PAGE_WALK_TYPE, "page_walk_type", 0x01, 4, 0x3AC, SIDES, 1},
    {NBPMU_BSQ_CACHE_REFERENCE, "BSQ_cache_reference", 0x0C, 7, 0x3A0, SIDES, 8},
    {NBPMU_IOQ_ALLOCATION, "IOQ_allocation", 0x03, 6, 0x3A2, SIDES, 0},
    {NBPMU_IOQ_ACTIVE_ENTRIES, "IOQ_active_entries", 0x1A, 6, 0x3A2, SIDE1, 0},
    {NBPMU_FSB_DATA_ACTIVITY, "FSB_data_activity", 0x17, 6, 0x3A2, SIDES, 0},
    {NBPMU_BSQ_ALLOCATION, "BSQ_allocation", 0x05, 7, 0x3A0, SIDE0, 0},
    {NBPMU_BSQ_ACTIVE_ENTRIES, "bsq_active_entries", 0x06, 7, 0x3A0, SIDE1, 0},
    {NBPMU_GLOBAL_POWER_EVENTS, "global_power_events", 0x13, 6, 0x3A2, SIDES, 0},
    {NBPMU_B2B_CYCLES, "b2b_cycles", 0x16, 6, 0x3A2, SIDES, 1},
    {NBPMU_BNR, "bnr", 0x08, 6, 0x3A2, SIDES, 0},
    {NBPMU_SNOOP, "snoop", 0x06, 6, 0x3A2, SIDES, 2},
    {NBPMU_RESPONSE, "response", 0x04, 6, 0x3A2, SIDES, 1},
    {NBPMU_TC_DELIVER_MODE, "TC_deliver_mode", 0x01, 1, 0x3C4, SIDES, 2},
    {NBPMU_TC_MISC, "TC_misc", 0x06, 1, 0x3C4, SIDES, 4},
    {NBPMU_TC_MS_XFER, "tc_ms_xfer", 0x05, 0, 0x3C0, SIDES, 0},
    {NBPMU_UOP_QUEUE_WRITES, "uop_queue_writes", 0x09, 0, 0x3C0, SIDES, 2},
    {NBPMU_RETIRED_BRANCH_TYPE, "retired_branch_type", 0x04, 2, 0x3C2, SIDES, 4},
    {NBPMU_RETIRED_MISPRED_BRANCH_TYPE, "retired_mispred_branch_type", 0x05, 2, 0x3C2, SIDES, 1},
    {NBPMU_MEMORY_CANCEL, "memory_cancel", 0x02, 5, 0x3A8, SIDES, 3},
    {NBPMU_WC_BUFFER, "WC_Buffer", 0x05, 5, 0x3A8, SIDES, 1},
    {NBPMU_MEMORY_COMPLETE, "memory_complete", 0x08, 2, 0x3AE, SIDES, 1},
    {NBPMU_LOAD_PORT_REPLAY, "load_port_replay", 0x04, 2, 0x3AE, SIDES, 1},
    {NBPMU_STORE_PORT_REPLAY, "store_port_replay", 0x05, 2, 0x3AE, SIDES, 1},
    {NBPMU_SSE_INPUT_ASSIST, "SSE_input_assist", 0x34, 1, 0x3A4, SIDES, 15},
    {NBPMU_PACKED_SP_UOP, "packed_SP_uop", 0x08, 1, 0x3A4, SIDES, 15},
    {NBPMU_PACKED_DP_UOP, "packed_DP_uop", 0x0C, 1, 0x3A4, SIDES, 15},
    {NBPMU_SCALAR_SP_UOP, "scalar_SP_uop", 0x0A, 1, 0x3A4, SIDES, 15},
    {NBPMU_SCALAR_DP_UOP, "scalar_DP_uop", 0x0E, 1, 0x3A4, SIDES, 15},
    {NBPMU_64BIT_MMX_UOP, "64bit_MMX_uop", 0x02, 1, 0x3A4, SIDES, 15},
    {NBPMU_128BIT_MMX_UOP, "128bit_MMX_uop", 0x1A, 1, 0x3A4, SIDES, 15},
    {NBPMU_X87_FP_UOP, "x87_FP_uop", 0x04, 1, 0x3A4, SIDES, 15},
    {NBPMU_X87_SIMD_MOVES_UOP, "x87_SIMD_moves_uop", 0x2E, 1, 0x3A4, SIDES, 4},
    {NBPMU_RESOURCE_STALL, "resource_stall", 0x01, 1, 0x3CA, SIDES, 5},
    {NBPMU_UOP_TYPE, "uop_type", 0x02, 2, 0x3BC, SIDES, 1},
    {NBPMU_UOPS_RETIRED, "uops_retired", 0x01, 4, 0x3B8, SIDES, 1},
    {NBPMU_INSTR_RETIRED, "instr_retired", 0x02, 4, 0x3B8, SIDES, 3},
    {NBPMU_MISPRED_BRANCH_RETIRED, "mispred_branch_retired", 0x03, 4, 0x3B8, SIDES, 0},
    {NBPMU_INSTR_COMPLETED, "instr_completed", 0x07, 4, 0x3B8, SIDES, 1},
    {NBPMU_MACHINE_CLEAR, "machine_clear", 0x02, 5, 0x3CC, SIDES, 6},
    {NBPMU_X87_ASSIST, "x87_assist", 0x03, 5, 0x3CC, SIDES, 4},
    {NBPMU_BRANCH_RETIRED, "branch_retired", 0x06, 5, 0x3CC, SIDES, 3},
    {NBPMU_FRONT_END_EVENT, "front_end_event", 0x08, 5, 0x3CC, SIDES, 1},
    {NBPMU_REPLAY_EVENT, "replay_event", 0x09, 5, 0x3CC, SIDES, 0},
    {NBPMU_EXECUTION_EVENT, "execution_event", 0x0C, 5, 0x3CC, SIDES, 7},
};
#define EVENT_COUNT COUNT_OF(EVENTS)

static const struct event_row *expected_event(uint32_t msr, unsigned select)
{
    for (size_t i = 0; i < EVENT_COUNT; i++) {
        const struct event_row *row = &EVENTS[i];
        bool here =
            (msr == row->escr0 && (row->sides & SIDE0)) || (msr == row->escr0 + 1 && (row->sides & SIDE1));
        if (here && row->select == select) {
            return row;
        }
    }
    return NULL;
}

/* Every select value of every ESCR: one of the 47 events or none. */
TEST(section_4_every_select)
{
    assert_int_equal(EVENT_COUNT, 47);
    assert_int_equal(NBPMU_EVENTS - 1, 47);
    for (size_t i = 0; i < ROUTE_COUNT; i++) {
        for (unsigned select = 0; select < 64; select++) {
            const struct event_row *row = expected_event(ROUTES[i].msr, select);
            enum nbpmu_event event = nbpmu_event_of(ROUTES[i].msr, select);
            assert_int_equal(event, row ? row->event : NBPMU_NO_EVENT);
            if (row) {
                assert_string_equal(nbpmu_event_name(event), row->name);
            }
        }
    }
}

/* Members of IOQ and BSQ masks that satisfy the equations of pmu-rules 4.1 for one kind of transaction. */
static unsigned mask_of(const struct event_row *row)
{
    switch (row->event) {
    case NBPMU_IOQ_ALLOCATION:
    case NBPMU_IOQ_ACTIVE_ENTRIES:
        return 0x20A1; /* default request type, ALL_READ, UC, OWN */
    case NBPMU_BSQ_ALLOCATION:
    case NBPMU_BSQ_ACTIVE_ENTRIES:
        return 0x0201; /* read-invalidate, DEM */
    default:
        return 1u << row->bit;
    }
}

/* Counter n of the row's event on one side, through the CCCR select of pmu-rules 4. */
static uint64_t counted_in_one_clock(const struct event_row *row, unsigned side, unsigned n,
                                     unsigned cccr_select)
{
    struct model_config config = KIT_F64;
    struct nbpmu *pmu = kit_new(config);
    unsigned mask = mask_of(row);
    if (row->event == NBPMU_IOQ_ACTIVE_ENTRIES || row->event == NBPMU_BSQ_ACTIVE_ENTRIES) {
        /* These need the allocation event with the same mask in the even ESCR. */
        unsigned partner = row->event == NBPMU_IOQ_ACTIVE_ENTRIES ? 0x03 : 0x05;
        kit_write(pmu, row->escr0, kit_escr(partner, mask));
    }
    kit_write(pmu, row->escr0 + side, kit_escr(row->select, mask));
    kit_write(pmu, MSR_CCCR(n), kit_cccr(cccr_select) | CCCR_ENABLE);
    drive_events(pmu, row->event, (uint16_t)mask, 0, 0, 1);
    drive_clocks(pmu, KIT_LP0, 1);
    uint64_t value = kit_counter(pmu, n);
    nbpmu_free(pmu);
    return value;
}

TEST(every_event_counts_where_it_is_routed)
{
    for (size_t i = 0; i < EVENT_COUNT; i++) {
        const struct event_row *row = &EVENTS[i];
        unsigned per_occurrence = row->event == NBPMU_UOP_TYPE ? 0 : row->event == NBPMU_TC_MISC ? 2 : 1;
        for (unsigned side = 0; side < 2; side++) {
            for (unsigned n = 0; n < PMC_COUNTERS; n++) {
                bool routed = expected_route(n, row->cccr_select) == row->escr0 + side;
                bool exists = row->sides & (1u << side);
                assert_int_equal(counted_in_one_clock(row, side, n, row->cccr_select),
                                 routed && exists ? per_occurrence : 0);
                assert_int_equal(counted_in_one_clock(row, side, n, row->cccr_select ^ 1), 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r17_every_counter_and_select),          cmocka_unit_test(r34_cascade_sources),
        cmocka_unit_test(r35_extended_sources_by_model),         cmocka_unit_test(section_4_every_select),
        cmocka_unit_test(every_event_counts_where_it_is_routed),
    };
    return cmocka_run_group_tests_name("model map", tests, NULL, NULL);
}
