/*
 * The model against streams of values that were computed by hand: V1-V14 and V23-V27 of pmu-rules 5.8. What
 * rules say beyond them, tests/host/second_model states.
 */
#include "tests/host/support/model_kit.h"

/* ---- Filters ---- */

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

/* V27, R18: ACTIVE_THREAD against the number of active logical processors; uops are posted in every clock. */
TEST(v27_active_thread)
{
    static const struct lp_state ACTIVE[3][NBPMU_LPS] = {
        {{false, 0}, {false, 0}}, {{false, 0}, {true, 0}}, {{true, 0}, {true, 0}}};
    static const bool PASS[4][3] = {
        {true, false, false}, {false, true, false}, {false, false, true}, {false, true, true}};
    struct model_config config = KIT_F43;
    config.variants.halted_clocks = true; /* else R42 leaves no clocks to count with 00B: next test */
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

/* ---- Overflow ---- */

static void expect_one_step(uint64_t start, unsigned value, uint64_t end, bool ovf)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, start, 0);
    kit_uops(pmu, value);
    assert_int_equal(kit_counter(pmu, 12), end);
    assert_int_equal(kit_ovf(pmu, 12), ovf);
    nbpmu_free(pmu);
}

TEST(v9_steps_over_zero)
{
    expect_one_step(0xFFFFFFFFFE, 3, 1, true);
}

TEST(v10_wraps_to_zero)
{
    expect_one_step(0xFFFFFFFFFF, 1, 0, true);
}

TEST(v11_maximum_is_no_overflow)
{
    expect_one_step(0xFFFFFFFFFE, 1, 0xFFFFFFFFFF, false);
}

TEST(v12_force_ovf)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 5, CCCR_FORCE_OVF);
    kit_uops(pmu, 0);
    assert_int_equal(kit_counter(pmu, 12), 5);
    assert_false(kit_ovf(pmu, 12));
    kit_uops(pmu, 1);
    assert_int_equal(kit_counter(pmu, 12), 6);
    assert_true(kit_ovf(pmu, 12));
    nbpmu_free(pmu);
}

/* ---- Interrupts ---- */

#define LP0 1u
#define LP1 2u

TEST(v13_100th_count)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0xFFFFFFFF9D, CCCR_OVF_PMI_T0);
    for (unsigned count = 1; count <= 100; count++) {
        assert_int_equal(kit_uops(pmu, 1), count == 100 ? LP0 : 0);
        assert_int_equal(kit_ovf(pmu, 12), count >= 99);
    }
    assert_int_equal(kit_counter(pmu, 12), 1);
    assert_int_equal(kit_uops(pmu, 1), 0); /* Question 11.3: once */
    nbpmu_free(pmu);
}

TEST(v14_no_pmi_at_the_overflow)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0xFFFFFFFFFF, CCCR_OVF_PMI_T0);
    assert_int_equal(kit_uops(pmu, 1), 0);
    assert_true(kit_ovf(pmu, 12));
    drive_clocks(pmu, KIT_LP0, 1000); /* R47: no further event, no PMI */
    assert_int_equal(drive_clocks(pmu, KIT_LP0, 1), 0);
    assert_int_equal(kit_uops(pmu, 1), LP0);
    nbpmu_free(pmu);
}

/* ---- Privilege and logical processor ---- */

/* R12 for one causer: instr_retired of lp at cpl counts iff the one bit is set. */
static void expect_ts_bit(unsigned lp, unsigned cpl, unsigned bit)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        struct nbpmu *pmu = kit_counting(KIT_F43, 12, 4, MSR_CRU_ESCR0, 0x04000200 | bits);
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, lp, cpl, 1);
        assert_int_equal(kit_clock(pmu, 12, KIT_BOTH), (bits & bit) != 0);
        nbpmu_free(pmu);
    }
}

TEST(v23_ts_lp1_cpl0)
{
    expect_ts_bit(1, 0, 2);
}

TEST(v24_ts_lp0_cpl3)
{
    expect_ts_bit(0, 3, 4);
}

/* A TI event in a clock with these logical processors, for all 16 CPL fields; caused by each LP in turn. */
static void expect_ti(struct model_config config, const struct lp_state lps[NBPMU_LPS],
                      const bool counted[16])
{
    for (unsigned bits = 0; bits < 16; bits++) {
        for (unsigned lp = 0; lp < 2; lp++) {
            struct nbpmu *pmu = kit_counting(config, 8, 1, MSR_FIRM_ESCR0, 0x11000000 | bits);
            drive_event(pmu, NBPMU_PACKED_SP_UOP, 15, lp, lps[lp].cpl, 1);
            assert_int_equal(kit_clock(pmu, 8, lps), counted[bits]);
            nbpmu_free(pmu);
        }
    }
}

TEST(v25_ti_one_at_each_level)
{
    static const struct lp_state LPS[NBPMU_LPS] = {{true, 0}, {true, 3}};
    static const bool COUNTED[16] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}; /* any bit */
    expect_ti(KIT_F43, LPS, COUNTED);
}

TEST(v26_ti_both_at_cpl0)
{
    static const bool COUNTED[16] = {0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}; /* bits & 0AH */
    expect_ti(KIT_F43, KIT_BOTH, COUNTED);
}
