/*
 * Counting and overflow in the model: streams V9-V12 of pmu-rules 5.8 and R27-R32.
 */
#include "tests/host/support/model_kit.h"

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

/* R27, R28: a carry out of bit 39 and out of no other bit. */
TEST(r28_carries_inside_are_not_overflows)
{
    for (unsigned bit = 1; bit < 40; bit++) {
        expect_one_step((1ull << bit) - 1, 1, 1ull << bit, false);
        expect_one_step((1ull << bit) - 1, 15, (1ull << bit) + 14, false);
    }
}

/* pmu-rules 3.3: the presets of the manual's example overflow on exactly the Nth count. */
TEST(r28_presets_overflow_on_the_nth)
{
    static const struct {
        uint64_t start;
        unsigned n;
    } PRESETS[] = {{0xFFFFFFFFFF, 1},   {0xFFFFFFFF39, 199}, {0xFFFFFFFF38, 200},
                   {0xFFFFFFFE71, 399}, {0xFFFFFFFE70, 400}, {0xFFFFFFF000, 4096}};
    for (size_t i = 0; i < COUNT_OF(PRESETS); i++) {
        assert_int_equal(COUNTER_OVERFLOW_IN(PRESETS[i].n), PRESETS[i].start);
        struct nbpmu *pmu = kit_uop_counter(KIT_F43, PRESETS[i].start, 0);
        for (unsigned count = 1; count <= PRESETS[i].n; count++) {
            assert_false(kit_ovf(pmu, 12));
            kit_uops(pmu, 1);
        }
        assert_true(kit_ovf(pmu, 12));
        assert_int_equal(kit_counter(pmu, 12), 0);
        kit_uops(pmu, 7); /* R28: counting goes on after the wrap */
        assert_int_equal(kit_counter(pmu, 12), 7);
        nbpmu_free(pmu);
    }
}

/* Every counter, on the event that its block shares. */
TEST(r28_every_counter_overflows)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_common_escrs(pmu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        kit_write(pmu, MSR_COUNTER(n), COUNTER_OVERFLOW_IN(n + 1));
        kit_write(pmu, MSR_CCCR(n), kit_cccr(kit_common_select(n)) | CCCR_ENABLE);
    }
    for (unsigned clock = 1; clock <= PMC_COUNTERS; clock++) {
        kit_common_clocks(pmu, 1);
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            assert_int_equal(kit_ovf(pmu, n), clock >= n + 1);
        }
    }
    nbpmu_free(pmu);
}

TEST(r29_ovf_is_sticky)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), 0);
    kit_uops(pmu, 1);
    for (unsigned i = 0; i < 100; i++) {
        kit_uops(pmu, 3);
    }
    assert_true(kit_ovf(pmu, 12));
    assert_int_equal(kit_counter(pmu, 12), 300); /* it did not stop the counter */
    kit_write(pmu, MSR_COUNTER(12), 0);
    assert_true(kit_ovf(pmu, 12)); /* R4 */
    kit_write(pmu, MSR_CCCR(12), kit_read(pmu, MSR_CCCR(12)) & ~CCCR_OVF);
    assert_false(kit_ovf(pmu, 12));
    kit_uops(pmu, 1);
    assert_false(kit_ovf(pmu, 12));
    nbpmu_free(pmu);
}

/* R30, R32: OVF is storage; writing it back keeps it, and software can set it. */
TEST(r32_cccr_write_is_a_plain_store)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), 0);
    kit_uops(pmu, 1);
    uint64_t cccr = kit_read(pmu, MSR_CCCR(12));
    kit_write(pmu, MSR_CCCR(12), cccr);
    assert_int_equal(kit_read(pmu, MSR_CCCR(12)), cccr);
    kit_write(pmu, MSR_CCCR(14), CCCR_OVF);
    assert_int_equal(kit_read(pmu, MSR_CCCR(14)), CCCR_OVF);
    nbpmu_free(pmu);
}

TEST(r31_forced_overflow_after_each_clear)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0, CCCR_FORCE_OVF);
    for (unsigned i = 1; i <= 5; i++) {
        kit_uops(pmu, 2);
        assert_true(kit_ovf(pmu, 12));
        assert_int_equal(kit_counter(pmu, 12), 2 * i); /* the counter only advances normally */
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_FORCE_OVF);
    }
    nbpmu_free(pmu);
}

/* A filtered count overflows like any other: 3 clocks above the threshold. */
TEST(r28_with_a_threshold)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(3), CCCR_COMPARE | CCCR_THRESHOLD(6));
    const unsigned values[] = {7, 6, 15, 0, 9};
    const bool ovf[] = {false, false, false, false, true};
    for (size_t i = 0; i < 5; i++) {
        kit_uops(pmu, values[i]);
        assert_int_equal(kit_ovf(pmu, 12), ovf[i]);
    }
    nbpmu_free(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v9_steps_over_zero),
        cmocka_unit_test(v10_wraps_to_zero),
        cmocka_unit_test(v11_maximum_is_no_overflow),
        cmocka_unit_test(v12_force_ovf),
        cmocka_unit_test(r28_carries_inside_are_not_overflows),
        cmocka_unit_test(r28_presets_overflow_on_the_nth),
        cmocka_unit_test(r28_every_counter_overflows),
        cmocka_unit_test(r29_ovf_is_sticky),
        cmocka_unit_test(r32_cccr_write_is_a_plain_store),
        cmocka_unit_test(r31_forced_overflow_after_each_clear),
        cmocka_unit_test(r28_with_a_threshold),
    };
    return cmocka_run_group_tests_name("model overflow", tests, NULL, NULL);
}
