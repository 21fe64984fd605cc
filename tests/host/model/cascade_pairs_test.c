/*
 * Which counter starts which with CASCADE in the model: R34 over all pairs (V19, V19b, V20 of pmu-rules 5.8,
 * negatives of pmu-rules 9.5), several cascades at once (R40, R41) and E4.
 */
#include "tests/host/support/model_kit.h"

/* R34 over all 18 x 17 pairs: four blocks, both directions, 14 -> 16, and no other; hence V19, V19b, V20. */
TEST(r34_all_pairs)
{
    static const struct {
        unsigned x, y;
    } PAIRS[] = {{0, 2},  {2, 0},  {1, 3},  {3, 1},   {4, 6},   {6, 4},   {5, 7},   {7, 5},  {8, 10},
                 {10, 8}, {9, 11}, {11, 9}, {12, 14}, {14, 12}, {13, 15}, {15, 13}, {14, 16}};
    for (int mirror = 0; mirror < 2; mirror++) {
        struct model_config config = KIT_F43;
        config.choices.alt17_is_13 = mirror;
        for (unsigned x = 0; x < PMC_COUNTERS; x++) {
            for (unsigned y = 0; y < PMC_COUNTERS; y++) {
                bool expected = y == 17 && x == (mirror ? 13u : 15u);
                for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
                    expected |= PAIRS[i].x == x && PAIRS[i].y == y;
                }
                if (x != y) {
                    assert_int_equal(kit_starts(config, x, y, CCCR_CASCADE), expected);
                }
            }
        }
    }
}

TEST(v19_12_does_not_start_16)
{
    assert_false(kit_starts(KIT_F43, 12, 16, CCCR_CASCADE));
    assert_true(kit_starts(KIT_F43, 14, 16, CCCR_CASCADE));
}

TEST(v19b_who_starts_17)
{
    struct model_config mirror = KIT_F43;
    mirror.choices.alt17_is_13 = true;
    assert_true(kit_starts(KIT_F43, 15, 17, CCCR_CASCADE));
    assert_false(kit_starts(KIT_F43, 13, 17, CCCR_CASCADE));
    assert_false(kit_starts(mirror, 15, 17, CCCR_CASCADE));
    assert_true(kit_starts(mirror, 13, 17, CCCR_CASCADE));
}

TEST(v20_16_does_not_start_14)
{
    assert_false(kit_starts(KIT_F43, 16, 14, CCCR_CASCADE));
    assert_true(kit_starts(KIT_F43, 12, 14, CCCR_CASCADE));
}

/* R34, last part: 14's overflow can start both 12 and 16. */
TEST(r34_14_starts_two)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_common_escrs(pmu);
    kit_write(pmu, MSR_COUNTER(14), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_CASCADE);
    kit_write(pmu, MSR_CCCR(16), kit_cccr(KIT_CRU) | CCCR_CASCADE);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    kit_common_clocks(pmu, 8);
    assert_int_equal(kit_counter(pmu, 12), 7);
    assert_int_equal(kit_counter(pmu, 16), 7);
    nbpmu_free(pmu);
}

/* R40: both with CASCADE; the enabled one starts the other, then each OVF keeps the other running. */
TEST(r40_both_with_cascade)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    uint64_t armed = kit_cccr(kit_common_select(4)) | CCCR_CASCADE;
    kit_common_escrs(pmu);
    kit_write(pmu, MSR_COUNTER(4), COUNTER_OVERFLOW_IN(2));
    kit_write(pmu, MSR_COUNTER(6), COUNTER_OVERFLOW_IN(3));
    kit_write(pmu, MSR_CCCR(6), armed);
    kit_write(pmu, MSR_CCCR(4), armed | CCCR_ENABLE);
    kit_common_clocks(pmu, 5);
    assert_true(kit_ovf(pmu, 4) && kit_ovf(pmu, 6));
    assert_int_equal(kit_counter(pmu, 4), 3); /* both run after the hand-over */
    assert_int_equal(kit_counter(pmu, 6), 0);
    kit_write(pmu, MSR_CCCR(4), armed | CCCR_OVF); /* ENABLE(X) cleared: OVF(Y) keeps X running */
    kit_common_clocks(pmu, 4);
    assert_int_equal(kit_counter(pmu, 4), 7);
    kit_write(pmu, MSR_CCCR(4), armed); /* OVF(X) cleared: Y stops */
    kit_common_clocks(pmu, 4);
    assert_int_equal(kit_counter(pmu, 4), 11);
    assert_int_equal(kit_counter(pmu, 6), 4);
    nbpmu_free(pmu);
}

/* R41: with X stopped at the hand-over the two contents add up; left running they do not. */
TEST(r41_one_event_on_both)
{
    for (int stop = 0; stop < 2; stop++) {
        struct nbpmu *pmu = kit_new(KIT_F43);
        kit_common_escrs(pmu);
        kit_write(pmu, MSR_COUNTER(8), COUNTER_OVERFLOW_IN(100));
        kit_write(pmu, MSR_CCCR(10), kit_cccr(1) | CCCR_CASCADE);
        kit_write(pmu, MSR_CCCR(8), kit_cccr(1) | CCCR_ENABLE);
        kit_common_clocks(pmu, 100);
        if (stop) {
            kit_write(pmu, MSR_CCCR(8), kit_cccr(1) | CCCR_OVF);
        }
        kit_common_clocks(pmu, 50);
        assert_int_equal(kit_counter(pmu, 8), stop ? 0 : 50);
        assert_int_equal(kit_counter(pmu, 10), 50);
        nbpmu_free(pmu);
    }
}

/* E4 as a choice: ENABLE of CCCR1 is dead, while a cascade still starts counter 1. */
TEST(e4_cccr1)
{
    for (int dead = 0; dead < 2; dead++) {
        struct model_config config = KIT_F43;
        config.choices.ccr1_enable_dead = dead;
        struct nbpmu *pmu = kit_new(config);
        kit_common_escrs(pmu);
        kit_write(pmu, MSR_CCCR(0), kit_cccr(0) | CCCR_ENABLE);
        kit_write(pmu, MSR_CCCR(1), kit_cccr(0) | CCCR_ENABLE);
        kit_common_clocks(pmu, 6);
        assert_int_equal(kit_counter(pmu, 0), 6);
        assert_int_equal(kit_counter(pmu, 1), dead ? 0 : 6);
        nbpmu_free(pmu);
        assert_true(kit_starts(config, 3, 1, CCCR_CASCADE));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r34_all_pairs),         cmocka_unit_test(v19_12_does_not_start_16),
        cmocka_unit_test(v19b_who_starts_17),    cmocka_unit_test(v20_16_does_not_start_14),
        cmocka_unit_test(r34_14_starts_two),     cmocka_unit_test(r40_both_with_cascade),
        cmocka_unit_test(r41_one_event_on_both), cmocka_unit_test(e4_cccr1),
    };
    return cmocka_run_group_tests_name("model cascade pairs", tests, NULL, NULL);
}
