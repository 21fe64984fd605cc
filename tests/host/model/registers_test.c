/*
 * The model's registers: reset, write masks, faults, RDPMC (R1-R5, R57, R60; pmu-rules 2.3, 3.2 to 3.5).
 */
#include "tests/host/support/model_kit.h"

/* Write masks of pmu-rules 3.4, typed from the table; pmu-rules 2.3 gives the addresses. */
static const struct {
    uint32_t first, last;
    uint32_t mask;
} F43_MASKS[] = {
    {0x3A0, 0x3A1, 0x7FFFFFFF}, /* BSU */ {0x3A2, 0x3A3, 0x3FFFFFFF},    /* FSB */
    {0x3A4, 0x3A5, 0x7FFFFFFF}, /* FIRM */ {0x3A6, 0x3A7, 0x7FFFFFFF},   /* FLAME */
    {0x3A8, 0x3A9, 0x1E01FE0F}, /* DAC */ {0x3AA, 0x3AB, 0x7FFFFFFF},    /* MOB */
    {0x3AC, 0x3AD, 0x7FFFFFFF}, /* PMH */ {0x3AE, 0x3AF, 0x7FFFFFFF},    /* SAAT */
    {0x3B0, 0x3B1, 0x0E3FFE0F}, /* U2L */ {0x3B2, 0x3B3, 0x1E03FFFF},    /* BPU */
    {0x3B4, 0x3B5, 0x0E01FE0F}, /* IS */ {0x3B6, 0x3B7, 0x70000E1F},     /* ITLB */
    {0x3B8, 0x3B9, 0x0E01FE0F}, /* CRU0/1 */ {0x3BA, 0x3BB, 0x00000000}, /* IQ */
    {0x3BC, 0x3BD, 0x7FFFFFFF}, /* RAT */ {0x3BE, 0x3BE, 0x7FFFFFFF},    /* SSU0 */
    {0x3C0, 0x3C1, 0x1E007E1F}, /* MS */ {0x3C2, 0x3C3, 0x0E01FE0F},     /* TBPU */
    {0x3C4, 0x3C5, 0x1E07FE0F}, /* TC */ {0x3C8, 0x3C9, 0x0E01FE0F},     /* IX */
    {0x3CA, 0x3CB, 0x0FFFFE0F}, /* ALF */ {0x3CC, 0x3CD, 0x1E0FFE0F},    /* CRU2/3 */
    {0x3E0, 0x3E1, 0x0E00FE0F},                                          /* CRU4/5 */
};

static bool is_escr(uint32_t msr)
{
    for (size_t i = 0; i < COUNT_OF(F43_MASKS); i++) {
        if (msr >= F43_MASKS[i].first && msr <= F43_MASKS[i].last) {
            return true;
        }
    }
    return false;
}

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

/* pmu-rules 2.1 and 2.3: 18 counters, 18 CCCRs, 45 ESCRs, and nothing in the gaps. */
TEST(has_exactly_the_documented_addresses)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    unsigned escrs = 0;
    for (uint32_t msr = 0; msr < 0x1000; msr++) {
        bool counter = msr >= 0x300 && msr <= 0x311;
        bool cccr = msr >= 0x360 && msr <= 0x371;
        bool storage = msr >= 0x3F0 && msr <= 0x3F2;
        escrs += is_escr(msr);
        assert_int_equal(nbpmu_has_msr(msr), counter || cccr || storage || is_escr(msr));
    }
    assert_int_equal(escrs, 45);
    uint64_t value;
    assert_false(nbpmu_rdmsr(pmu, 0, 0x3BF, &value)); /* there is no SSU_ESCR1 (pmu-rules 2.3) */
    assert_false(nbpmu_wrmsr(pmu, 0, 0x3BF, 0));
    assert_false(nbpmu_rdmsr(pmu, 0, 0x312, &value));
    assert_false(nbpmu_rdmsr(pmu, 0, 0x372, &value));
    nbpmu_free(pmu);
}

/* The write masks recorded on 0F43H (pmu-rules 2.3). */
TEST(neighbours_keep_their_bits)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    for (uint32_t msr = MSR_TC_PRECISE_EVENT; msr <= MSR_PEBS_MATRIX_VERT; msr++) {
        kit_write(pmu, msr, ~0ull);
    }
    assert_int_equal(kit_read(pmu, MSR_TC_PRECISE_EVENT), 0x3FFE0);
    assert_int_equal(kit_read(pmu, MSR_PEBS_ENABLE), 0x7FFFFFF);
    assert_int_equal(kit_read(pmu, MSR_PEBS_MATRIX_VERT), 0x1FFF);
    nbpmu_free(pmu);
}

TEST(r2_escr_alone_counts_nothing)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_common_escrs(pmu);
    assert_int_equal(nbpmu_active_events(pmu), 0);
    kit_common_clocks(pmu, 3);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        assert_int_equal(kit_counter(pmu, n), 0);
    }
    nbpmu_free(pmu);
}

TEST(r3_counters_keep_40_bits)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        kit_write(pmu, MSR_COUNTER(n), UINT64_MAX);
        assert_int_equal(kit_counter(pmu, n), 0xFFFFFFFFFF);
        kit_write(pmu, MSR_COUNTER(n), 0x123456789AULL + n);
        assert_int_equal(kit_counter(pmu, n), 0x123456789AULL + n);
    }
    nbpmu_free(pmu);
}

/* Bits that read back after writing all ones; ENABLE and OVF are storage like the others. */
static void expect_cccr(struct model_config config, unsigned n, uint64_t kept)
{
    struct nbpmu *pmu = kit_new(config);
    kit_write(pmu, MSR_CCCR(n), UINT64_MAX);
    assert_int_equal(kit_read(pmu, MSR_CCCR(n)), kept);
    kit_write(pmu, MSR_CCCR(n), 0);
    assert_int_equal(kit_read(pmu, MSR_CCCR(n)), 0);
    nbpmu_free(pmu);
}

TEST(r3_cccrs_keep_31_12_and_bit_11_where_defined)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        bool cascnt = n == 12 || n == 15 || n == 16 || n == 17;
        uint64_t f29 = cascnt ? 0xFFFFF800 : 0xFFFFF000;
        uint64_t f43 = n >= 16 ? 0xFFFFFF00 : f29; /* 10:8 of the last two as recorded */
        expect_cccr(KIT_F12, n, 0xFFFFF000);
        expect_cccr(KIT_F29, n, f29);
        expect_cccr(KIT_F43, n, f43);
    }
}

TEST(r3_escr_masks_of_f43)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    for (size_t i = 0; i < COUNT_OF(F43_MASKS); i++) {
        for (uint32_t msr = F43_MASKS[i].first; msr <= F43_MASKS[i].last; msr++) {
            kit_write(pmu, msr, 0xFFFFFFFF7FFFFFFF); /* 63:32 are ignored */
            assert_int_equal(kit_read(pmu, msr), F43_MASKS[i].mask);
        }
    }
    kit_write(pmu, MSR_CRU_ESCR0, 0x7E00000C); /* pmu-rules 3.4: select 3FH reads back as 07H */
    assert_int_equal(kit_read(pmu, MSR_CRU_ESCR0), 0x0E00000C);
    nbpmu_free(pmu);
}

TEST(r3_escrs_elsewhere_keep_30_0)
{
    struct nbpmu *f29 = kit_new(KIT_F29);
    struct nbpmu *f64 = kit_new(KIT_F64);
    for (uint32_t msr = 0x3A0; msr <= 0x3E1; msr++) {
        if (!is_escr(msr)) {
            continue;
        }
        bool iq = msr == 0x3BA || msr == 0x3BB; /* usable on models 0-2 only (pmu-rules 1.1) */
        kit_write(f29, msr, 0x7FFFFFFF);
        kit_write(f64, msr, 0x7FFFFFFF);
        assert_int_equal(kit_read(f29, msr), 0x7FFFFFFF);
        assert_int_equal(kit_read(f64, msr), iq ? 0 : 0x7FFFFFFF);
    }
    nbpmu_free(f29);
    nbpmu_free(f64);
}

TEST(r3_escr_bit_31_faults)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    for (uint32_t msr = 0x3A0; msr <= 0x3E1; msr++) {
        if (is_escr(msr)) {
            kit_write(pmu, msr, 0x0C);
            uint64_t before = kit_read(pmu, msr);
            assert_false(nbpmu_wrmsr(pmu, 0, msr, 0x80000000 | 0x0F));
            assert_int_equal(kit_read(pmu, msr), before); /* a faulting write changes nothing */
        }
    }
    nbpmu_free(pmu);
}

/* R3, second policy: #GP on every reserved bit of pmu-rules 3.1 to 3.3. */
TEST(strict_policy_faults_on_reserved_bits)
{
    struct model_config ht = KIT_F43, single = KIT_F12;
    ht.choices.reserved_faults = single.choices.reserved_faults = true;
    struct nbpmu *with_ht = kit_new(ht);
    struct nbpmu *without = kit_new(single);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t one = 1ull << bit;
        bool cccr_ok = bit >= 12 && bit <= 31 && bit != 28 && bit != 29;
        assert_int_equal(nbpmu_wrmsr(with_ht, 0, MSR_CCCR(12), one), cccr_ok || bit == 11);
        assert_int_equal(nbpmu_wrmsr(with_ht, 0, MSR_CCCR(13), one), cccr_ok);
        assert_int_equal(nbpmu_wrmsr(without, 0, MSR_CCCR(12), one), cccr_ok && bit != 27);
        assert_int_equal(nbpmu_wrmsr(with_ht, 0, MSR_COUNTER(3), one), bit < 40);
        assert_int_equal(nbpmu_wrmsr(with_ht, 0, MSR_CRU_ESCR0, one), bit < 31);
        assert_int_equal(nbpmu_wrmsr(without, 0, MSR_CRU_ESCR0, one), bit < 31 && bit > 1);
        assert_int_equal(nbpmu_wrmsr(with_ht, 0, MSR_IQ_ESCR0, one), false);
        assert_int_equal(nbpmu_wrmsr(without, 0, MSR_IQ_ESCR0, one), bit < 31 && bit > 1);
    }
    nbpmu_free(with_ht);
    nbpmu_free(without);
}

/* pmu-rules 3.4: whether T1 bits are storage without HT is open: both ways. */
TEST(t1_bits_without_ht)
{
    struct model_config config = KIT_F64;
    struct nbpmu *storage = kit_new(config);
    config.choices.no_t1_storage = true;
    struct nbpmu *none = kit_new(config);
    kit_write(storage, MSR_CRU_ESCR0, 0x0400060F);
    kit_write(none, MSR_CRU_ESCR0, 0x0400060F);
    assert_int_equal(kit_read(storage, MSR_CRU_ESCR0), 0x0400060F);
    assert_int_equal(kit_read(none, MSR_CRU_ESCR0), 0x0400060C);
    nbpmu_free(storage);
    nbpmu_free(none);
}

TEST(r4_counter_write_leaves_cccr_and_ovf)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    kit_uops(pmu, 1);
    uint64_t before = kit_read(pmu, MSR_CCCR(12));
    assert_true(before & CCCR_OVF);
    kit_write(pmu, MSR_COUNTER(12), 5);
    assert_int_equal(kit_read(pmu, MSR_CCCR(12)), before);
    kit_uops(pmu, 1);
    assert_int_equal(kit_counter(pmu, 12), 6); /* and it still counts */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r1_reset_clears_everything),
        cmocka_unit_test(has_exactly_the_documented_addresses),
        cmocka_unit_test(neighbours_keep_their_bits),
        cmocka_unit_test(r2_escr_alone_counts_nothing),
        cmocka_unit_test(r3_counters_keep_40_bits),
        cmocka_unit_test(r3_cccrs_keep_31_12_and_bit_11_where_defined),
        cmocka_unit_test(r3_escr_masks_of_f43),
        cmocka_unit_test(r3_escrs_elsewhere_keep_30_0),
        cmocka_unit_test(r3_escr_bit_31_faults),
        cmocka_unit_test(strict_policy_faults_on_reserved_bits),
        cmocka_unit_test(t1_bits_without_ht),
        cmocka_unit_test(r4_counter_write_leaves_cccr_and_ovf),
        cmocka_unit_test(r60_rdpmc),
        cmocka_unit_test(r57_reading_does_not_disturb),
    };
    return cmocka_run_group_tests_name("model registers", tests, NULL, NULL);
}
