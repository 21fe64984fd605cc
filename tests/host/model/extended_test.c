/*
 * Extended cascading (bit 11, CASCNTxINTOy) in the model: V21, V22, R35, and the programmings of
 * pmu-rules 7.2 to 7.4.
 */
#include "tests/host/support/model_kit.h"

/* R35 over all pairs of counters and all models; this includes V21 and V22. */
TEST(r35_all_pairs)
{
    static const uint8_t MODELS[] = {0, 1, 2, 3, 4, 6};
    for (size_t i = 0; i < sizeof MODELS; i++) {
        struct model_config config = {.part = {MODELS[i], 1, 1}};
        for (unsigned x = 0; x < PMC_COUNTERS; x++) {
            for (unsigned y = 0; y < PMC_COUNTERS; y++) {
                bool table_18_65 = (x == 16 && y == 12) || (x == 17 && y == 15) || (x == 17 && y == 16) ||
                                   (x == 16 && y == 17);
                if (x != y) {
                    assert_int_equal(kit_starts(config, x, y, CCCR_CASCNT), table_18_65 && MODELS[i] >= 2);
                }
            }
        }
    }
}

TEST(v21_16_starts_12)
{
    assert_true(kit_starts(KIT_F29, 16, 12, CCCR_CASCNT));
    assert_false(kit_starts(KIT_F12, 16, 12, CCCR_CASCNT));
}

TEST(v22_13_and_14_have_no_bit_11)
{
    for (unsigned x = 16; x <= 17; x++) {
        assert_false(kit_starts(KIT_F43, x, 13, CCCR_CASCNT));
        assert_false(kit_starts(KIT_F43, x, 14, CCCR_CASCNT));
    }
}

/* R38: halted by clearing bit 11 in Y, or OVF in X; in both forms of R33. */
TEST(r38_halting)
{
    for (int way = 0; way < 4; way++) {
        struct model_config config = KIT_F43;
        config.choices.cascade_latch = way & 1;
        struct nbpmu *pmu = kit_new(config);
        kit_common_escrs(pmu);
        kit_write(pmu, MSR_COUNTER(17), COUNTER_OVERFLOW_IN(1));
        kit_write(pmu, MSR_CCCR(15), kit_cccr(KIT_CRU) | CCCR_CASCNT);
        kit_write(pmu, MSR_CCCR(17), kit_cccr(KIT_CRU) | CCCR_ENABLE);
        kit_common_clocks(pmu, 4);
        if (way & 2) {
            kit_write(pmu, MSR_CCCR(15), kit_cccr(KIT_CRU));
        } else {
            kit_write(pmu, MSR_CCCR(17), kit_cccr(KIT_CRU) | CCCR_ENABLE);
        }
        kit_common_clocks(pmu, 4);
        assert_int_equal(kit_counter(pmu, 15), 3);
        nbpmu_free(pmu);
    }
}

/* R33: both bits in one CCCR; counter 17 is started by 15 (CASCADE) and by 16 (bit 11). */
TEST(r33_both_bits)
{
    for (unsigned source = 15; source <= 16; source++) {
        struct nbpmu *pmu = kit_new(KIT_F43);
        kit_common_escrs(pmu);
        kit_write(pmu, MSR_COUNTER(source), COUNTER_OVERFLOW_IN(1));
        kit_write(pmu, MSR_CCCR(17), kit_cccr(KIT_CRU) | CCCR_CASCADE | CCCR_CASCNT);
        kit_write(pmu, MSR_CCCR(source), kit_cccr(KIT_CRU) | CCCR_ENABLE);
        kit_common_clocks(pmu, 4);
        assert_int_equal(kit_counter(pmu, 17), 3);
        kit_write(pmu, MSR_CCCR(17), kit_cccr(KIT_CRU) | (source == 15 ? CCCR_CASCNT : CCCR_CASCADE));
        kit_common_clocks(pmu, 4);
        assert_int_equal(kit_counter(pmu, 17), 3); /* the other source has not overflowed */
        nbpmu_free(pmu);
    }
}

/* Corrected variants of pmu-rules 7.4: rows of register writes, then 4096 events of X on LP0. */
static const struct variant {
    const char *name;
    uint32_t escr_x, escr_y;
    uint64_t escr_x_value;
    unsigned x, y;
    uint64_t cccr_y, cccr_x;
    bool branches; /* X counts branch_retired, not instr_retired */
} VARIANTS[] = {
    {"A", 0x3B9, 0x3B8, 0x0400060C, 17, 16, 0x08038800, 0x00039000, false},
    {"B", 0x3B8, 0x3B9, 0x0400060C, 16, 17, 0x08038800, 0x00039000, false},
    {"C", 0x3B9, 0x3B8, 0x0400060C, 14, 16, 0x48038000, 0x00039000, false},
    {"D", 0x3B8, 0x3B9, 0x0400060C, 12, 14, 0x48038000, 0x00039000, false},
    {"E", 0x3CC, 0x3B8, 0x0C001E0C, 16, 12, 0x08038800, 0x0003B000, true},
    {"F", 0x3CD, 0x3B9, 0x0C001E0C, 17, 15, 0x08038800, 0x0003B000, true},
};

/* Every clock, LP0 retires a branch and LP1 an instruction. */
static unsigned both_retire(struct nbpmu *pmu, unsigned clocks)
{
    unsigned raised = 0;
    while (clocks--) {
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
        drive_event(pmu, NBPMU_BRANCH_RETIRED, 2, 0, 0, 1);
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 1, 0, 1);
        raised |= drive_clocks(pmu, KIT_BOTH, 1);
    }
    return raised;
}

TEST(example_18_2_variants)
{
    for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
        const struct variant *v = &VARIANTS[i];
        struct nbpmu *pmu = kit_new(KIT_F43);
        kit_write(pmu, v->escr_x, v->escr_x_value);
        kit_write(pmu, v->escr_y, 0x04000603);
        kit_write(pmu, MSR_COUNTER(v->x), 0xFFFFFFF000);
        kit_write(pmu, MSR_COUNTER(v->y), COUNTER_OVERFLOW_IN(99)); /* R46: PMI on the 100th */
        kit_write(pmu, MSR_CCCR(v->y), v->cccr_y);
        kit_write(pmu, MSR_CCCR(v->x), v->cccr_x);
        assert_int_equal(both_retire(pmu, 4096), 0);
        assert_true(kit_ovf(pmu, v->x));
        assert_int_equal(kit_counter(pmu, v->y), COUNTER_OVERFLOW_IN(99));
        assert_int_equal(both_retire(pmu, 99), 0);
        assert_true(kit_ovf(pmu, v->y));
        assert_int_equal(both_retire(pmu, 1), 2); /* PMI to LP1 and only there */
        assert_int_equal(kit_counter(pmu, v->y), 1);
        assert_int_equal(kit_counter(pmu, v->x), 100); /* X only sees LP0's one event per clock */
        nbpmu_free(pmu);
    }
}

/* pmu-rules 7.3: the manual's values verbatim but for a 40-bit preset count LP1's instructions on both
 * counters. */
TEST(example_18_2_verbatim)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_write(pmu, 0x30C, 0);
    kit_write(pmu, 0x3B8, 0x04000603);
    kit_write(pmu, 0x36C, 0x04038800);
    kit_write(pmu, 0x310, 0xFFFFFFF000);
    kit_write(pmu, 0x3CC, 0x0400060C);
    kit_write(pmu, 0x370, 0x00039000);
    for (unsigned i = 0; i < 5000; i++) {
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1); /* LP0 alone moves nothing */
        drive_clocks(pmu, KIT_BOTH, 1);
    }
    assert_int_equal(kit_counter(pmu, 16), 0xFFFFFFF000);
    both_retire(pmu, 4096);
    assert_true(kit_ovf(pmu, 16));
    assert_int_equal(kit_counter(pmu, 12), 0);
    both_retire(pmu, 10);
    assert_int_equal(kit_counter(pmu, 12), 10);
    assert_int_equal(kit_counter(pmu, 16), 10);
    /* The manual's preset with EDX = 0 is far from an overflow: 4096 instructions do not reach it. */
    kit_write(pmu, 0x310, 0xFFFFF000);
    kit_write(pmu, 0x370, 0x00039000);
    both_retire(pmu, 4096);
    assert_false(kit_ovf(pmu, 16));
    assert_int_equal(kit_counter(pmu, 16), 0x100000000);
    nbpmu_free(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r35_all_pairs),
        cmocka_unit_test(v21_16_starts_12),
        cmocka_unit_test(v22_13_and_14_have_no_bit_11),
        cmocka_unit_test(r38_halting),
        cmocka_unit_test(r33_both_bits),
        cmocka_unit_test(example_18_2_variants),
        cmocka_unit_test(example_18_2_verbatim),
    };
    return cmocka_run_group_tests_name("model extended cascade", tests, NULL, NULL);
}
