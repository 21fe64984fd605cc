/*
 * The value one ESCR presents in one clock (R7-R10, R15), and the mask equations and model limits of
 * pmu-rules 4 (E10, E12).
 */
#include "tests/host/support/model_kit.h"

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
