/*
 * The model's registers, where they are more than storage: reset after use and RDPMC (R1, R57, R60).
 */
#include "tests/host/support/model_kit.h"

TEST(r1_reset_clears_everything)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_common_escrs(pmu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        kit_write(pmu, MSR_COUNTER(n), COUNTER_MASK);
        kit_write(pmu, MSR_CCCR(n), kit_cccr(kit_common_select(n)) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
    }
    kit_common_clocks(pmu, 1);
    nbpmu_reset(pmu);
    for (uint32_t msr = 0x300; msr <= 0x3E1; msr++) {
        if (nbpmu_has_msr(msr)) {
            assert_int_equal(kit_read(pmu, msr), 0);
        }
    }
    assert_int_equal(kit_read(pmu, MSR_TC_PRECISE_EVENT), 0xFC00); /* pmu-rules 2.3 */
    assert_int_equal(nbpmu_active_events(pmu), 0);
    assert_int_equal(kit_common_clocks(pmu, 2), 0); /* no PMI is left over */
    nbpmu_free(pmu);
}

TEST(r60_rdpmc)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    uint64_t value;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        kit_write(pmu, MSR_COUNTER(n), 0xA512345600ULL + n);
        assert_true(nbpmu_rdpmc(pmu, 0, true, n, &value));
        assert_int_equal(value, 0xA512345600ULL + n);
        assert_true(nbpmu_rdpmc(pmu, 0, true, RDPMC_FAST | n, &value));
        assert_int_equal(value, 0x12345600ULL + n); /* EDX = 0 */
    }
    assert_false(nbpmu_rdpmc(pmu, 0, true, 18, &value));
    assert_false(nbpmu_rdpmc(pmu, 0, true, RDPMC_FAST | 18, &value));
    assert_false(nbpmu_rdpmc(pmu, 0, true, 0x40000000, &value)); /* ECX[30:0], not just the low bits */
    nbpmu_free(pmu);
}

/* R57: reading a running counter gives what it has counted and takes nothing away. */
TEST(r57_reading_does_not_disturb)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    uint64_t value;
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    for (unsigned clock = 1; clock <= 10; clock++) {
        kit_uops(pmu, 2);
        assert_true(nbpmu_rdpmc(pmu, 0, true, 12, &value));
        assert_int_equal(value, 2 * clock);
        assert_int_equal(kit_counter(pmu, 12), 2 * clock);
    }
    nbpmu_free(pmu);
}

/* E22: before stepping C1 of model 0 only a 1 clears OVF, and only with ENABLE; nothing sets it. */
TEST(e22_ovf_is_cleared_by_one)
{
    static const struct model_config f07 = {.part = {0, 7, 1}}, f0a = {.part = {0, 0xA, 1}};
    struct nbpmu *pmu = kit_new(f07);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(4) | CCCR_OVF);
    assert_false(kit_ovf(pmu, 12));
    kit_write(pmu, MSR_CRU_ESCR0, kit_escr(0x01, 2));
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(4) | CCCR_ENABLE);
    nbpmu_event(pmu, 0, NBPMU_UOPS_RETIRED, 2, 1);
    nbpmu_advance(pmu, 1);
    assert_true(kit_ovf(pmu, 12));
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(kit_ovf(pmu, 12));
    kit_write(pmu, MSR_CCCR(12), CCCR_OVF);
    assert_true(kit_ovf(pmu, 12));
    kit_write(pmu, MSR_CCCR(12), CCCR_ENABLE);
    assert_true(kit_ovf(pmu, 12));
    kit_write(pmu, MSR_CCCR(12), CCCR_ENABLE | CCCR_OVF);
    assert_int_equal(kit_read(pmu, MSR_CCCR(12)), CCCR_ENABLE);
    nbpmu_free(pmu);
    pmu = kit_new(f0a);
    kit_write(pmu, MSR_CCCR(12), CCCR_OVF);
    assert_true(kit_ovf(pmu, 12));
    nbpmu_free(pmu);
}
