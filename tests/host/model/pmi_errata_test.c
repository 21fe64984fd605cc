/*
 * Errata that take PMIs away in the model: E3 (cascade mode) and E5 (OVF_PMI_T1 on 0F44H).
 */
#include "tests/host/support/model_kit.h"

#define LP0 1u
#define LP1 2u

/* E5: 0F44H delivers no thread-1 PMI even where HT is on. */
TEST(e5_f44_has_no_t1_pmi)
{
    struct model_config config = KIT_F43;
    config.part.stepping = 4;
    struct nbpmu *pmu = kit_uop_counter(config, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
    kit_uops(pmu, 1);
    assert_int_equal(kit_uops(pmu, 1), LP0);
    nbpmu_free(pmu);
}

/* Counter 14, started by 12, overflows at once and counts on: what PMI comes in three clocks? */
static unsigned cascade_pmi(struct model_config config, uint64_t extra_y)
{
    struct nbpmu *pmu = kit_new(config);
    kit_common_escrs(pmu);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_COUNTER(14), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_OVF_PMI_T0 | extra_y);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    unsigned raised = kit_common_clocks(pmu, 4);
    assert_true(kit_ovf(pmu, 14)); /* the erratum takes the PMI, not OVF */
    nbpmu_free(pmu);
    return raised;
}

/* E3 by signature: all of model 2, models 0 and 1 above stepping 9, no other (pmu-rules 1.1). */
TEST(e3_by_signature)
{
    static const struct {
        uint8_t model, stepping;
        bool affected;
    } PARTS[] = {{0, 7, false}, {0, 10, true}, {1, 1, false}, {1, 3, false},  {2, 2, true},  {2, 4, true},
                 {2, 9, true},  {3, 4, false}, {4, 1, false}, {4, 10, false}, {6, 4, false}, {6, 8, false}};
    for (size_t i = 0; i < COUNT_OF(PARTS); i++) {
        struct model_config config = {.part = {PARTS[i].model, PARTS[i].stepping, 1}};
        assert_int_equal(cascade_pmi(config, CCCR_CASCADE), PARTS[i].affected ? 0 : LP0);
        assert_int_equal(cascade_pmi(config, CCCR_ENABLE), LP0); /* not in cascade mode */
        config.variants.no_e3 = true;
        assert_int_equal(cascade_pmi(config, CCCR_CASCADE), LP0);
    }
}

TEST(e3_in_extended_cascade)
{
    for (int affected = 0; affected < 2; affected++) {
        struct nbpmu *pmu = kit_new(affected ? KIT_F29 : KIT_F43);
        kit_common_escrs(pmu);
        kit_write(pmu, MSR_COUNTER(16), COUNTER_OVERFLOW_IN(1));
        kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_OVF_PMI_T0 | CCCR_CASCNT);
        kit_write(pmu, MSR_CCCR(16), kit_cccr(KIT_CRU) | CCCR_ENABLE);
        assert_int_equal(kit_common_clocks(pmu, 4), affected ? 0 : LP0);
        nbpmu_free(pmu);
    }
}

/* Question 11.8: the CASCADE bit is enough, or the counter must really have been started by a cascade. */
TEST(e3_bit_set_or_started)
{
    for (int when_started = 0; when_started < 2; when_started++) {
        struct model_config config = KIT_F29;
        config.variants.e3_when_started = when_started;
        struct nbpmu *pmu = kit_uop_counter(config, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0 | CCCR_CASCADE);
        kit_uops(pmu, 1);
        assert_int_equal(kit_uops(pmu, 1), when_started ? LP0 : 0);
        nbpmu_free(pmu);
        assert_int_equal(cascade_pmi(config, CCCR_CASCADE), 0);
    }
}
