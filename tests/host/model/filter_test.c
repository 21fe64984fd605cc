/*
 * CCCR filtering in the model: streams V1-V8 and V27 of pmu-rules 5.8, R16-R26 one by one, both positions of
 * each option.
 */
#include "tests/host/support/model_kit.h"

#define COMPARE_AT(threshold) (CCCR_COMPARE | CCCR_THRESHOLD(threshold))

/* One clock for each value: after it the counter must hold the sum of the increments so far. */
static void expect_increments(uint64_t bits, size_t clocks, const unsigned values[],
                              const unsigned increments[])
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0, bits);
    uint64_t total = 0;
    for (size_t i = 0; i < clocks; i++) {
        kit_uops(pmu, values[i]);
        total += increments[i];
        assert_int_equal(kit_counter(pmu, 12), total);
    }
    assert_false(kit_ovf(pmu, 12));
    nbpmu_free(pmu);
}

#define VECTOR(name, bits, clocks, values, increments)     \
    TEST(name)                                             \
    {                                                      \
        const unsigned value[clocks] = values;             \
        const unsigned increment[clocks] = increments;     \
        expect_increments(bits, clocks, value, increment); \
    }
#define LIST(...)   \
    {               \
        __VA_ARGS__ \
    }

VECTOR(v1_sum, 0, 5, LIST(0, 1, 2, 3, 15), LIST(0, 1, 2, 3, 15))
VECTOR(v2_threshold, COMPARE_AT(6), 5, LIST(5, 6, 7, 8, 15), LIST(0, 0, 1, 1, 1))
VECTOR(v3_complement, COMPARE_AT(6) | CCCR_COMPLEMENT, 5, LIST(5, 6, 7, 8, 15), LIST(1, 1, 0, 0, 0))
VECTOR(v4_always, COMPARE_AT(15) | CCCR_COMPLEMENT, 3, LIST(0, 7, 15), LIST(1, 1, 1))
VECTOR(v5_never, COMPARE_AT(15), 2, LIST(15, 15), LIST(0, 0))
VECTOR(v6_edge, COMPARE_AT(0) | CCCR_EDGE, 8, LIST(0, 1, 1, 0, 2, 2, 0, 1), LIST(0, 1, 0, 0, 1, 0, 0, 1))
VECTOR(v7_complement_edge, COMPARE_AT(0) | CCCR_EDGE | CCCR_COMPLEMENT, 5, LIST(1, 0, 0, 1, 0),
       LIST(0, 1, 0, 0, 1))
VECTOR(v8_no_compare, CCCR_EDGE | CCCR_COMPLEMENT, 3, LIST(1, 1, 2), LIST(1, 1, 2))
/* R21: THRESHOLD too has no effect without COMPARE. */
VECTOR(r21_threshold_alone, CCCR_THRESHOLD(9), 3, LIST(1, 9, 10), LIST(1, 9, 10))
/* R22, last sentence: COMPLEMENT with THRESHOLD 0 counts the clocks without an event. */
VECTOR(r22_clocks_without, COMPARE_AT(0) | CCCR_COMPLEMENT, 5, LIST(0, 1, 0, 3, 0), LIST(1, 0, 1, 0, 1))

TEST(r22_every_threshold_and_value)
{
    for (unsigned threshold = 0; threshold < 16; threshold++) {
        struct nbpmu *above = kit_uop_counter(KIT_F43, 0, COMPARE_AT(threshold));
        struct nbpmu *below = kit_uop_counter(KIT_F43, 0, COMPARE_AT(threshold) | CCCR_COMPLEMENT);
        for (unsigned value = 0; value < 16; value++) {
            kit_uops(above, value);
            kit_uops(below, value);
        }
        /* Of the 16 values 0..15, threshold + 1 are at or below the threshold. */
        assert_int_equal(kit_counter(above, 12), 15 - threshold);
        assert_int_equal(kit_counter(below, 12), threshold + 1);
        nbpmu_free(above);
        nbpmu_free(below);
    }
}

/* R6: three counters select one ESCR, each with its own filter. */
TEST(r6_each_counter_filters_alone)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0, 0);
    kit_write(pmu, MSR_CCCR(13), kit_cccr(KIT_CRU) | CCCR_ENABLE | COMPARE_AT(2));
    kit_write(pmu, MSR_CCCR(16), kit_cccr(KIT_CRU) | CCCR_ENABLE | COMPARE_AT(0) | CCCR_EDGE);
    const unsigned values[] = {1, 3, 0, 5, 4};
    for (size_t i = 0; i < 5; i++) {
        kit_uops(pmu, values[i]);
    }
    assert_int_equal(kit_counter(pmu, 12), 13);
    assert_int_equal(kit_counter(pmu, 13), 3); /* 3, 5, 4 exceed 2 */
    assert_int_equal(kit_counter(pmu, 16), 2); /* rises at 1 and at 5 */
    nbpmu_free(pmu);
}

/* R16 and R22: the watchdog's programming counts clocks, with any select but 0 and whatever the CPL bits. */
TEST(r16_watchdog_counts_clocks)
{
    const uint32_t escrs[] = {0x7E00000C, 0x7E000000, 0x02000000, 0x04000000};
    for (size_t i = 0; i < 4; i++) {
        struct nbpmu *f29 = kit_new(KIT_F29), *f43 = kit_new(KIT_F43);
        kit_write(f29, MSR_CRU_ESCR0, escrs[i]);
        kit_write(f43, MSR_CRU_ESCR0, escrs[i]);
        kit_write(f29, MSR_CCCR(12), 0x00FF9000);
        kit_write(f43, MSR_CCCR(12), 0x00FF9000);
        drive_clocks(f29, KIT_LP0, 1000);
        drive_clocks(f43, KIT_LP0, 1000);
        assert_int_equal(kit_counter(f29, 12), 1000);
        assert_int_equal(kit_counter(f43, 12), 1000);
        nbpmu_free(f29);
        nbpmu_free(f43);
    }
}

/* Question 11.1 and R17: without an event, or without an ESCR at all, COMPLEMENT counts every clock; as a
 * choice nothing. */
TEST(unselected_complement)
{
    for (int nothing = 0; nothing < 2; nothing++) {
        struct model_config config = KIT_F43;
        config.choices.unmapped_counts_nothing = nothing;
        struct nbpmu *pmu = kit_new(config);
        uint64_t always = CCCR_ENABLE | COMPARE_AT(15) | CCCR_COMPLEMENT;
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | always); /* select 0 in CRU_ESCR0 */
        kit_write(pmu, MSR_CCCR(4), kit_cccr(3) | always);        /* "-" position */
        drive_clocks(pmu, KIT_LP0, 100);
        assert_int_equal(kit_counter(pmu, 12), nothing ? 0 : 100);
        assert_int_equal(kit_counter(pmu, 4), nothing ? 0 : 100);
        nbpmu_free(pmu);
    }
}

/* V27, R18: ACTIVE_THREAD against the number of active logical processors; uops are posted in every clock. */
TEST(v27_active_thread)
{
    static const struct lp_state ACTIVE[3][NBPMU_LPS] = {
        {{false, 0}, {false, 0}}, {{false, 0}, {true, 0}}, {{true, 0}, {true, 0}}};
    static const bool PASS[4][3] = {
        {true, false, false}, {false, true, false}, {false, false, true}, {false, true, true}};
    struct model_config config = KIT_F43;
    config.choices.halted_clocks = true; /* else R42 leaves no clocks to count with 00B: next test */
    for (unsigned field = 0; field < 4; field++) {
        for (unsigned active = 0; active < 3; active++) {
            struct nbpmu *pmu = kit_new(config);
            kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
            kit_write(pmu, MSR_CCCR(12), CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(field) | CCCR_ENABLE);
            drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 1);
            drive_clocks(pmu, ACTIVE[active], 1);
            assert_int_equal(kit_counter(pmu, 12), PASS[field][active]);
            nbpmu_free(pmu);
        }
    }
}

/* R20, R42, question 11.5: by default 00B has nothing to count. */
TEST(r42_no_clocks_when_all_are_halted)
{
    for (unsigned field = 0; field < 4; field++) {
        for (int clocks_go_on = 0; clocks_go_on < 2; clocks_go_on++) {
            struct model_config config = KIT_F43;
            config.choices.halted_clocks = clocks_go_on;
            struct nbpmu *pmu = kit_new(config);
            kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
            kit_write(pmu, MSR_CCCR(12),
                      CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(field) | CCCR_ENABLE | COMPARE_AT(15) |
                          CCCR_COMPLEMENT);
            drive_clocks(pmu, KIT_HALT, 50);
            assert_int_equal(kit_counter(pmu, 12), field == ACTIVE_NONE && clocks_go_on ? 50 : 0);
            nbpmu_free(pmu);
        }
    }
}

/* R19: without HT the second logical processor never is active; as a choice the field is ignored. */
TEST(r19_active_thread_without_ht)
{
    static const bool PASS[4] = {false, true, false, true};
    for (unsigned field = 0; field < 4; field++) {
        for (int ignored = 0; ignored < 2; ignored++) {
            struct model_config config = KIT_F64;
            config.choices.active_thread_ignored = ignored;
            struct nbpmu *pmu = kit_new(config);
            kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
            kit_write(pmu, MSR_CCCR(12), CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(field) | CCCR_ENABLE);
            drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 1);
            drive_clocks(pmu, KIT_BOTH, 1); /* lps[1] does not exist here */
            assert_int_equal(kit_counter(pmu, 12), ignored || PASS[field]);
            nbpmu_free(pmu);
        }
    }
}

/* R26: a closed gate stops a complemented condition as well. */
TEST(r26_gate_stops_complement)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(12),
              CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(ACTIVE_BOTH) | CCCR_ENABLE | COMPARE_AT(0) |
                  CCCR_COMPLEMENT);
    drive_clocks(pmu, KIT_LP0, 10);
    assert_int_equal(kit_counter(pmu, 12), 0);
    drive_clocks(pmu, KIT_BOTH, 10);
    assert_int_equal(kit_counter(pmu, 12), 10);
    nbpmu_free(pmu);
}

/* Question 11.6: value 1, gate closed for two clocks (value 0), value 1 again. */
TEST(edge_filter_behind_a_closed_gate)
{
    for (int runs = 0; runs < 2; runs++) {
        struct model_config config = KIT_F43;
        config.choices.edge_runs_ungated = runs;
        struct nbpmu *pmu = kit_new(config);
        kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
        kit_write(pmu, MSR_CCCR(12),
                  CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(ACTIVE_SINGLE) | CCCR_ENABLE |
                      COMPARE_AT(0) | CCCR_EDGE);
        kit_uops(pmu, 1);
        drive_clocks(pmu, KIT_BOTH, 2);
        kit_uops(pmu, 1);
        assert_int_equal(kit_counter(pmu, 12), runs ? 2 : 1); /* held: still "true before" */
        nbpmu_free(pmu);
    }
}

/* R25: state of the filter when a counter starts; the condition is true from the first clock on. */
TEST(r25_edge_state_at_start)
{
    static const struct {
        bool from_true, kept;
        unsigned first, again;
    } CASES[] = {{false, false, 1, 2}, {true, false, 0, 0}, {false, true, 1, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct model_config config = KIT_F43;
        config.choices.edge_from_true = CASES[i].from_true;
        config.choices.edge_kept = CASES[i].kept;
        struct nbpmu *pmu = kit_uop_counter(config, 0, COMPARE_AT(0) | CCCR_EDGE);
        kit_uops(pmu, 1);
        kit_uops(pmu, 1);
        assert_int_equal(kit_counter(pmu, 12), CASES[i].first);
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | COMPARE_AT(0) | CCCR_EDGE);
        kit_uops(pmu, 0);
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | COMPARE_AT(0) | CCCR_EDGE | CCCR_ENABLE);
        kit_uops(pmu, 1);
        assert_int_equal(kit_counter(pmu, 12), CASES[i].again);
        nbpmu_free(pmu);
    }
}

/* R25: only a start sets the state: rewriting the CCCR of a running counter does not. */
TEST(r25_rewriting_is_no_start)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0, COMPARE_AT(0) | CCCR_EDGE);
    kit_uops(pmu, 1);
    kit_write(pmu, MSR_CCCR(12), kit_read(pmu, MSR_CCCR(12)));
    kit_uops(pmu, 1);
    assert_int_equal(kit_counter(pmu, 12), 1);
    nbpmu_free(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v1_sum),
        cmocka_unit_test(v2_threshold),
        cmocka_unit_test(v3_complement),
        cmocka_unit_test(v4_always),
        cmocka_unit_test(v5_never),
        cmocka_unit_test(v6_edge),
        cmocka_unit_test(v7_complement_edge),
        cmocka_unit_test(v8_no_compare),
        cmocka_unit_test(r21_threshold_alone),
        cmocka_unit_test(r22_clocks_without),
        cmocka_unit_test(r22_every_threshold_and_value),
        cmocka_unit_test(r6_each_counter_filters_alone),
        cmocka_unit_test(r16_watchdog_counts_clocks),
        cmocka_unit_test(unselected_complement),
        cmocka_unit_test(v27_active_thread),
        cmocka_unit_test(r42_no_clocks_when_all_are_halted),
        cmocka_unit_test(r19_active_thread_without_ht),
        cmocka_unit_test(r26_gate_stops_complement),
        cmocka_unit_test(edge_filter_behind_a_closed_gate),
        cmocka_unit_test(r25_edge_state_at_start),
        cmocka_unit_test(r25_rewriting_is_no_start),
    };
    return cmocka_run_group_tests_name("model filter", tests, NULL, NULL);
}
