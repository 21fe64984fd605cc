/*
 * The value one ESCR presents in one clock (R7-R10, R15), and the mask equations and model limits of
 * pmu-rules 4 (E10, E12).
 */
#include "tests/host/support/model_kit.h"

TEST(r7_select_and_mask)
{
    static const struct {
        uint64_t escr;
        unsigned counted;
    } CASES[] = {
        {0x0400060C, 1}, /* instr_retired, both members */
        {0x0400020C, 1}, /* NBOGUSNTAG alone */
        {0x0400040C, 0}, /* NBOGUSTAG alone */
        {0x0400000C, 0}, /* mask 0 */
        {0x0000060C, 0}, /* select 0: no event */
        {0x0200060C, 0}, /* another event */
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        struct nbpmu *pmu = kit_counting(KIT_F43, 12, 4, MSR_CRU_ESCR0, CASES[i].escr);
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
        assert_int_equal(kit_clock(pmu, 12, KIT_LP0), CASES[i].counted);
        assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 0); /* the occurrence belonged to one clock */
        nbpmu_free(pmu);
    }
}

TEST(r9_members_are_summed)
{
    struct nbpmu *pmu =
        kit_counting(KIT_F43, 12, 4, MSR_CRU_ESCR0, kit_escr(0x01, 3)); /* uops, both members */
    drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 2);
    drive_event(pmu, NBPMU_UOPS_RETIRED, 1, 0, 0, 1);
    drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 1);
    assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 4);
    nbpmu_free(pmu);
}

/* R9: an occurrence with several bits (a tag value) is one occurrence. */
TEST(r9_one_occurrence_with_several_bits)
{
    struct nbpmu *pmu =
        kit_counting(KIT_F43, 12, 5, MSR_CRU_ESCR2, kit_escr(0x0C, 0x03)); /* NBOGUS0, NBOGUS1 */
    drive_events(pmu, NBPMU_EXECUTION_EVENT, 0x03, 0, 0, 1);
    assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 1);
    drive_events(pmu, NBPMU_EXECUTION_EVENT, 0x06, 0, 0, 1);
    assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 1);
    drive_events(pmu, NBPMU_EXECUTION_EVENT, 0x0C, 0, 0, 1);
    assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 0);
    nbpmu_free(pmu);
}

TEST(r9_levels_are_ored)
{
    struct nbpmu *tc =
        kit_counting(KIT_F43, 4, 1, MSR_TC_ESCR0, kit_escr(0x01, 0x07)); /* DELIVER: DD, DB, DI */
    drive_event(tc, NBPMU_TC_DELIVER_MODE, 0, 0, 0, 1);
    drive_event(tc, NBPMU_TC_DELIVER_MODE, 2, 0, 0, 1);
    assert_int_equal(kit_clock(tc, 4, KIT_LP0), 1);
    assert_int_equal(kit_clock(tc, 4, KIT_LP0), 0); /* a state of its own clock only */
    nbpmu_free(tc);

    struct nbpmu *clear = kit_counting(KIT_F43, 12, 5, MSR_CRU_ESCR2, kit_escr(0x02, 1)); /* CLEAR */
    drive_event(clear, NBPMU_MACHINE_CLEAR, 0, 0, 0, 1);
    drive_event(clear, NBPMU_MACHINE_CLEAR, 0, 0, 0, 1);
    assert_int_equal(kit_clock(clear, 12, KIT_LP0), 1);
    nbpmu_free(clear);

    struct nbpmu *smc =
        kit_counting(KIT_F43, 12, 5, MSR_CRU_ESCR2, kit_escr(0x02, 0x40)); /* SMCLEAR is counted */
    drive_event(smc, NBPMU_MACHINE_CLEAR, 6, 0, 0, 1);
    drive_event(smc, NBPMU_MACHINE_CLEAR, 6, 0, 0, 1);
    assert_int_equal(kit_clock(smc, 12, KIT_LP0), 2);
    nbpmu_free(smc);
}

/* R9: one occurrence that is a state and a counted member, as a store into code is CLEAR and SMCLEAR. It
 * counts once, by whatever the mask selects of it. */
TEST(r9_one_occurrence_of_state_and_counted_member)
{
    static const struct {
        unsigned mask, clears, value;
    } CASES[] = {{0x01, 1, 1}, {0x01, 3, 1}, {0x40, 1, 1}, {0x40, 3, 3},
                 {0x41, 1, 1}, {0x41, 3, 3}, {0x04, 1, 0}};
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        struct nbpmu *pmu = kit_counting(KIT_F43, 12, 5, MSR_CRU_ESCR2, kit_escr(0x02, CASES[i].mask));
        drive_events(pmu, NBPMU_MACHINE_CLEAR, 0x41, 0, 0, CASES[i].clears);
        assert_int_equal(kit_clock(pmu, 12, KIT_LP0), CASES[i].value);
        nbpmu_free(pmu);
    }
}

TEST(r10_clips_at_15)
{
    struct nbpmu *pmu = kit_counting(KIT_F43, 12, 4, MSR_CRU_ESCR0, KIT_UOPS);
    drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 15);
    assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 15);
    drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 15);
    drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, 1);
    assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 15);
    nbpmu_free(pmu);
}

TEST(r15_uop_type_never_counts)
{
    struct nbpmu *pmu = kit_counting(KIT_F43, 12, 2, MSR_RAT_ESCR0, kit_escr(0x02, 6));
    for (unsigned bit = 1; bit <= 2; bit++) {
        drive_event(pmu, NBPMU_UOP_TYPE, bit, 0, 0, 3);
        assert_int_equal(kit_clock(pmu, 12, KIT_LP0), 0);
    }
    nbpmu_free(pmu);
}

/* pmu-rules 4.1 and E12. One transaction: default type, read, UC, own agent (20A1H), against masks. */
TEST(e12_ioq_mask_equation)
{
    static const struct {
        unsigned mask;
        bool model2, model1;
    } CASES[] = {
        {0x20A1, true, true},
        {0x2081, false, true},  /* neither read nor write asked for: type alone, on model 1 */
        {0x20A0, false, true},  /* no request type: ALL_READ alone, on model 1 */
        {0x2021, false, true},  /* no memory type */
        {0x00A1, false, false}, /* no agent */
        {0x40A1, false, false}, /* the other agent */
        {0x20C1, false, true},  /* writes: the type matches, on model 1 */
        {0x20C2, false, false}, /* writes of another type; memory type ignored since bit 6 is set */
        {0x2121, false, true},  /* WC memory: ignored on model 1 since bit 5 is set */
        {0x2080, false, true},  /* memory type alone: considered on model 1 when 5 and 6 are clear */
        {0x2100, false, false}, /* another memory type alone */
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        struct nbpmu *new_part = kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, kit_escr(0x03, CASES[i].mask));
        struct nbpmu *old_part = kit_counting(KIT_F12, 0, 6, MSR_FSB_ESCR0, kit_escr(0x03, CASES[i].mask));
        drive_events(new_part, NBPMU_IOQ_ALLOCATION, 0x20A1, 0, 0, 1);
        drive_events(old_part, NBPMU_IOQ_ALLOCATION, 0x20A1, 0, 0, 1);
        assert_int_equal(kit_clock(new_part, 0, KIT_LP0), CASES[i].model2);
        assert_int_equal(kit_clock(old_part, 0, KIT_LP0), CASES[i].model1);
        nbpmu_free(new_part);
        nbpmu_free(old_part);
    }
}

TEST(ioq_prefetches_must_be_asked_for)
{
    struct nbpmu *without = kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, kit_escr(0x03, 0x2821));
    struct nbpmu *with = kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, kit_escr(0x03, 0xA821));
    for (unsigned prefetch = 0; prefetch < 2; prefetch++) {
        uint16_t bits = (uint16_t)(0x2821 | prefetch << 15);
        drive_events(without, NBPMU_IOQ_ALLOCATION, bits, 0, 0, 1);
        drive_events(with, NBPMU_IOQ_ALLOCATION, bits, 0, 0, 1);
        assert_int_equal(kit_clock(without, 0, KIT_LP0), !prefetch);
        assert_int_equal(kit_clock(with, 0, KIT_LP0), 1);
    }
    nbpmu_free(without);
    nbpmu_free(with);
}

/* E10: FSB_ESCR1 does not count IOQ_allocation before 0F27H. */
TEST(e10_ioq_on_fsb_escr1)
{
    static const struct {
        uint8_t model, stepping;
        bool counts;
    } PARTS[] = {{1, 2, false}, {2, 4, false}, {2, 7, true}, {2, 9, true}, {3, 3, true}};
    for (size_t i = 0; i < 5; i++) {
        struct model_config config = {.part = {PARTS[i].model, PARTS[i].stepping, 1}};
        struct nbpmu *pmu = kit_counting(config, 2, 6, MSR_FSB_ESCR1, kit_escr(0x03, 0x20A1));
        drive_events(pmu, NBPMU_IOQ_ALLOCATION, 0x20A1, 0, 0, 1);
        assert_int_equal(kit_clock(pmu, 2, KIT_LP0), PARTS[i].counts);
        nbpmu_free(pmu);
    }
}

/* pmu-rules 4.1: the active-entries events need their allocation event with the same masks in the even ESCR.
 */
TEST(active_entries_need_their_partner)
{
    struct nbpmu *pmu = kit_counting(KIT_F43, 2, 6, MSR_FSB_ESCR1, kit_escr(0x1A, 0x20A1));
    static const struct {
        unsigned select, mask;
        bool counts;
    } CASES[] = {{0x00, 0x0000, false}, {0x03, 0x20A1, true}, {0x03, 0x20C1, false}, {0x17, 0x20A1, false}};
    for (size_t i = 0; i < 4; i++) {
        kit_write(pmu, MSR_FSB_ESCR0, kit_escr(CASES[i].select, CASES[i].mask));
        drive_events(pmu, NBPMU_IOQ_ACTIVE_ENTRIES, 0x20A1, 0, 0, 5);
        assert_int_equal(kit_clock(pmu, 2, KIT_LP0), CASES[i].counts ? 5 : 0);
    }
    nbpmu_free(pmu);
}

/* pmu-rules 4.1: coded fields of BSQ_allocation are compared, flags that are asked for must be there. */
TEST(bsq_mask_equation)
{
    static const struct {
        unsigned bits;
        bool counts;
    } CASES[] = {
        {0x3A8D, true},  /* type 1, length 3, CACHE, DEM, memory type 7: as programmed */
        {0x3E8D, true},  /* one more flag */
        {0x388D, false}, /* DEM missing */
        {0x3A8E, false}, /* type 2 */
        {0x3A85, false}, /* length 1 */
        {0x328D, false}, /* memory type 6 */
    };
    struct nbpmu *pmu = kit_counting(KIT_F64, 0, 7, MSR_BSU_ESCR0, kit_escr(0x05, 0x3A8D));
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        drive_events(pmu, NBPMU_BSQ_ALLOCATION, (uint16_t)CASES[i].bits, 0, 0, 1);
        assert_int_equal(kit_clock(pmu, 0, KIT_LP0), CASES[i].counts);
    }
    kit_write(pmu, MSR_BSU_ESCR0, kit_escr(0x05, 0x8000)); /* no bit that means anything (R7) */
    drive_events(pmu, NBPMU_BSQ_ALLOCATION, 0x0080, 0, 0, 1);
    assert_int_equal(kit_clock(pmu, 0, KIT_LP0), 0);
    nbpmu_free(pmu);
}

/* Table 19-30: instr_completed on models 3, 4 and 6. */
TEST(instr_completed_by_model)
{
    static const uint8_t MODELS[] = {0, 1, 2, 3, 4, 6};
    for (size_t i = 0; i < sizeof MODELS; i++) {
        struct model_config config = {.part = {MODELS[i], 1, 1}};
        struct nbpmu *pmu = kit_counting(config, 12, 4, MSR_CRU_ESCR0, 0x0E00020C);
        drive_event(pmu, NBPMU_INSTR_COMPLETED, 0, 0, 0, 1);
        assert_int_equal(kit_clock(pmu, 12, KIT_LP0), MODELS[i] >= 3);
        nbpmu_free(pmu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r7_select_and_mask),
        cmocka_unit_test(r9_members_are_summed),
        cmocka_unit_test(r9_one_occurrence_with_several_bits),
        cmocka_unit_test(r9_levels_are_ored),
        cmocka_unit_test(r9_one_occurrence_of_state_and_counted_member),
        cmocka_unit_test(r10_clips_at_15),
        cmocka_unit_test(r15_uop_type_never_counts),
        cmocka_unit_test(e12_ioq_mask_equation),
        cmocka_unit_test(ioq_prefetches_must_be_asked_for),
        cmocka_unit_test(e10_ioq_on_fsb_escr1),
        cmocka_unit_test(active_entries_need_their_partner),
        cmocka_unit_test(bsq_mask_equation),
        cmocka_unit_test(instr_completed_by_model),
    };
    return cmocka_run_group_tests_name("model value", tests, NULL, NULL);
}
