/*
 * Performance-monitoring interrupts in the model: V13, V14 of pmu-rules 5.8, R45-R49 and the options of
 * pmu-rules 11 that concern them.
 */
#include "tests/host/support/model_kit.h"

#define LP0 1u
#define LP1 2u

/* Post values; the PMI must come in exactly the clocks marked. */
static void expect_pmis(struct nbpmu *pmu, size_t clocks, const unsigned values[], const unsigned pmis[])
{
    for (size_t i = 0; i < clocks; i++) {
        assert_int_equal(kit_uops(pmu, values[i]), pmis[i]);
    }
    nbpmu_free(pmu);
}

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

TEST(r45_targets)
{
    static const struct {
        uint64_t bits;
        unsigned ht, single;
    } CASES[] = {
        {0, 0, 0},
        {CCCR_OVF_PMI_T0, LP0, LP0},
        {CCCR_OVF_PMI_T1, LP1, 0}, /* without HT only bit 26 */
        {CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1, LP0 | LP1, LP0},
    };
    for (size_t i = 0; i < 4; i++) {
        struct nbpmu *ht = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CASES[i].bits);
        struct nbpmu *single = kit_uop_counter(KIT_F64, COUNTER_OVERFLOW_IN(1), CASES[i].bits);
        kit_uops(ht, 1);
        kit_uops(single, 1);
        assert_int_equal(kit_uops(ht, 1), CASES[i].ht);
        assert_int_equal(kit_uops(single, 1), CASES[i].single);
        nbpmu_free(ht);
        nbpmu_free(single);
    }
}

/* R46: OVF_PMI counts at the moment of the next count; clearing OVF before it takes the request away. */
TEST(r46_between_overflow_and_next_count)
{
    struct nbpmu *cleared = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    kit_uops(cleared, 1);
    kit_write(cleared, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
    assert_int_equal(kit_uops(cleared, 1), 0);
    nbpmu_free(cleared);

    struct nbpmu *kept = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    kit_uops(kept, 1);
    kit_write(kept, MSR_CCCR(12), kit_read(kept, MSR_CCCR(12))); /* R32: written back unchanged */
    assert_int_equal(kit_uops(kept, 1), LP0);
    nbpmu_free(kept);

    struct nbpmu *disarmed = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    kit_uops(disarmed, 1);
    kit_write(disarmed, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF);
    assert_int_equal(kit_uops(disarmed, 1), 0);
    nbpmu_free(disarmed);
}

/* R46 after a re-arm: clear OVF, and the next overflow asks again. */
TEST(r46_second_overflow)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(2), CCCR_OVF_PMI_T0);
    for (unsigned round = 0; round < 3; round++) {
        assert_int_equal(kit_uops(pmu, 1), 0);
        assert_int_equal(kit_uops(pmu, 1), 0);
        assert_int_equal(kit_uops(pmu, 1), LP0);
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
        kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(2));
    }
    nbpmu_free(pmu);
}

/* Question 11.4: increments that step past the wrap. */
TEST(surplus_of_the_overflowing_clock)
{
    const unsigned values[] = {4, 0, 1, 1};
    const unsigned next_clock[] = {0, 0, LP0, 0}, same_clock[] = {LP0, 0, 0, 0};
    struct model_config config = KIT_F43;
    expect_pmis(kit_uop_counter(config, COUNTER_OVERFLOW_IN(3), CCCR_OVF_PMI_T0), 4, values, next_clock);
    config.choices.pmi_same_clock_surplus = true;
    expect_pmis(kit_uop_counter(config, COUNTER_OVERFLOW_IN(3), CCCR_OVF_PMI_T0), 4, values, same_clock);
    expect_pmis(kit_uop_counter(config, COUNTER_OVERFLOW_IN(4), CCCR_OVF_PMI_T0), 4, values,
                next_clock); /* none over */
}

/* Question 11.3: while OVF and OVF_PMI stand. */
TEST(pmi_at_every_count)
{
    const unsigned values[] = {1, 1, 0, 1, 2};
    const unsigned once[] = {0, LP0, 0, 0, 0}, every[] = {0, LP0, 0, LP0, LP0};
    struct model_config config = KIT_F43;
    expect_pmis(kit_uop_counter(config, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0), 5, values, once);
    config.choices.pmi_every_count = true;
    expect_pmis(kit_uop_counter(config, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0), 5, values, every);
}

/* R48: with FORCE_OVF a PMI for every increment; the first one as a choice. */
TEST(r48_forced_overflow)
{
    const unsigned values[] = {0, 1, 1, 0, 1, 1};
    const unsigned from_second[] = {0, 0, LP0, 0, LP0, LP0}, from_first[] = {0, LP0, LP0, 0, LP0, LP0};
    struct model_config config = KIT_F43;
    expect_pmis(kit_uop_counter(config, 5, CCCR_OVF_PMI_T0 | CCCR_FORCE_OVF), 6, values, from_second);
    config.choices.force_ovf_first_pmi = true;
    expect_pmis(kit_uop_counter(config, 5, CCCR_OVF_PMI_T0 | CCCR_FORCE_OVF), 6, values, from_first);
}

/* Question 11.4 with R31: two forced overflows in one clock, the second is the next count after the first. */
TEST(surplus_of_forced_overflows)
{
    const unsigned values[] = {1, 1, 2}, first[] = {2, 1};
    const unsigned alone[] = {0, LP0, LP0}, together[] = {LP0, LP0};
    struct model_config config = KIT_F43;
    config.choices.pmi_same_clock_surplus = true;
    expect_pmis(kit_uop_counter(config, 5, CCCR_OVF_PMI_T0 | CCCR_FORCE_OVF), 3, values, alone);
    expect_pmis(kit_uop_counter(config, 5, CCCR_OVF_PMI_T0 | CCCR_FORCE_OVF), 2, first, together);
}

/* R49: taking the LVT mask away with OVF and OVF_PMI standing brings the PMI again, each time. */
TEST(r49_unmasking_lvtpc)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    assert_false(nbpmu_lvtpc_unmasked(pmu, 0));
    kit_uops(pmu, 1);
    assert_false(nbpmu_lvtpc_unmasked(pmu, 0)); /* overflowed, but the next count has not come (R46) */
    assert_int_equal(kit_uops(pmu, 1), LP0);
    assert_true(nbpmu_lvtpc_unmasked(pmu, 0));
    kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
    kit_uops(pmu, 1);
    assert_true(nbpmu_lvtpc_unmasked(pmu, 0));  /* nor does another overflow, still before its PMI, end it */
    assert_false(nbpmu_lvtpc_unmasked(pmu, 1)); /* OVF_PMI_T1 is clear */
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF);
    assert_false(nbpmu_lvtpc_unmasked(pmu, 0)); /* OVF_PMI cleared */
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_OVF | CCCR_OVF_PMI_T1);
    assert_true(nbpmu_lvtpc_unmasked(pmu, 1)); /* the request stands, ENABLE or not */
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_OVF_PMI_T1);
    assert_false(nbpmu_lvtpc_unmasked(pmu, 1)); /* R52: OVF cleared first */
    nbpmu_free(pmu);
}

/* R30, question 11.3: a written OVF raises no PMI, or as a choice one at the next count. */
TEST(r30_written_ovf)
{
    for (int option = 0; option < 2; option++) {
        struct model_config config = KIT_F43;
        config.choices.written_ovf_pmi = option;
        struct nbpmu *pmu = kit_uop_counter(config, 0, CCCR_OVF_PMI_T0 | CCCR_OVF);
        assert_int_equal(kit_uops(pmu, 1), option ? LP0 : 0);
        assert_int_equal(nbpmu_lvtpc_unmasked(pmu, 0), option);
        nbpmu_free(pmu);
    }
}

/* Two counters overflow together, each for its own logical processor. */
TEST(two_counters_at_once)
{
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    kit_write(pmu, MSR_COUNTER(13), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_CCCR(13), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF_PMI_T1);
    assert_int_equal(kit_uops(pmu, 1), 0);
    assert_int_equal(kit_uops(pmu, 1), LP0 | LP1);
    nbpmu_free(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v13_100th_count),
        cmocka_unit_test(v14_no_pmi_at_the_overflow),
        cmocka_unit_test(r45_targets),
        cmocka_unit_test(r46_between_overflow_and_next_count),
        cmocka_unit_test(r46_second_overflow),
        cmocka_unit_test(surplus_of_the_overflowing_clock),
        cmocka_unit_test(pmi_at_every_count),
        cmocka_unit_test(r48_forced_overflow),
        cmocka_unit_test(surplus_of_forced_overflows),
        cmocka_unit_test(r49_unmasking_lvtpc),
        cmocka_unit_test(r30_written_ovf),
        cmocka_unit_test(two_counters_at_once),
    };
    return cmocka_run_group_tests_name("model PMI", tests, NULL, NULL);
}
