/*
 * Privilege and logical processor qualification in the model: R11-R14 and streams V23-V26 of pmu-rules 5.8.
 */
#include "tests/host/support/model_kit.h"

/* R11: OS for CPL 0, USR for 1, 2, 3; bits 1:0 say nothing without HT. */
TEST(r11_privilege_without_ht)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        for (unsigned cpl = 0; cpl < 4; cpl++) {
            struct lp_state lps[NBPMU_LPS] = {{true, (uint8_t)cpl}, {false, 0}};
            unsigned counted = cpl == 0 ? (bits >> 3) & 1 : (bits >> 2) & 1;
            struct nbpmu *ts = kit_counting(KIT_F64, 12, 4, MSR_CRU_ESCR0, 0x04000200 | bits);
            drive_event(ts, NBPMU_INSTR_RETIRED, 0, 0, cpl, 1);
            assert_int_equal(kit_clock(ts, 12, lps), counted);
            nbpmu_free(ts);
            struct nbpmu *ti = kit_counting(KIT_F64, 8, 1, MSR_FIRM_ESCR0, 0x11000000 | bits);
            drive_event(ti, NBPMU_PACKED_SP_UOP, 15, 0, cpl, 1);
            assert_int_equal(kit_clock(ti, 8, lps), counted);
            nbpmu_free(ti);
        }
    }
}

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

TEST(r12_the_other_two_and_inner_rings)
{
    expect_ts_bit(0, 0, 8);
    expect_ts_bit(1, 3, 1);
    expect_ts_bit(0, 1, 4);
    expect_ts_bit(1, 2, 1);
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

TEST(r13_both_in_user_mode)
{
    static const struct lp_state LPS[NBPMU_LPS] = {{true, 3}, {true, 1}};
    static const bool COUNTED[16] = {0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1}; /* bits & 05H */
    expect_ti(KIT_F43, LPS, COUNTED);
}

/* pmu-rules 9.6: LP1 is halted at CPL 0 while LP0 runs at CPL 3. By default its CPL takes part in R13. */
TEST(ti_cpl_of_a_halted_processor)
{
    static const struct lp_state LPS[NBPMU_LPS] = {{true, 3}, {false, 0}};
    static const bool TAKES_PART[16] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const bool IGNORED[16] = {0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    struct model_config config = KIT_F43;
    expect_ti(config, LPS, TAKES_PART);
    config.choices.ti_halted_cpl_ignored = true;
    expect_ti(config, LPS, IGNORED);
}

/* Question 11.9: OS and USR both set, everyone halted, clocks going on (question 11.5). */
TEST(ti_while_all_are_halted)
{
    for (int not_counted = 0; not_counted < 2; not_counted++) {
        struct model_config config = KIT_F43;
        config.choices.halted_clocks = true;
        config.choices.ti_halted_not_counted = not_counted;
        struct nbpmu *pmu = kit_new(config);
        kit_write(pmu, MSR_FIRM_ESCR0, 0x1100000C);
        kit_write(pmu, MSR_CCCR(8), CCCR_ESCR_SELECT(1) | CCCR_ACTIVE_THREAD(ACTIVE_NONE) | CCCR_ENABLE);
        drive_event(pmu, NBPMU_PACKED_SP_UOP, 15, 0, 0, 1);
        assert_int_equal(kit_clock(pmu, 8, KIT_HALT), !not_counted);
        nbpmu_free(pmu);
    }
}

/* R14: IOQ_allocation before 0F27H, IOQ_active_entries always. 20A1H: UC reads of this agent. */
TEST(r14_cpl_ignored)
{
    static const struct {
        uint8_t model, stepping;
        bool ignored;
    } PARTS[] = {{1, 2, true}, {2, 4, true}, {2, 6, true}, {2, 7, false}, {4, 3, false}};
    for (size_t i = 0; i < 5; i++) {
        for (unsigned bits = 0; bits < 16; bits++) {
            struct model_config config = {.part = {PARTS[i].model, PARTS[i].stepping, 2}};
            struct nbpmu *pmu = kit_counting(config, 0, 6, MSR_FSB_ESCR0, 0x06414200 | bits);
            drive_events(pmu, NBPMU_IOQ_ALLOCATION, 0x20A1, 0, 0, 1);
            assert_int_equal(kit_clock(pmu, 0, KIT_BOTH), PARTS[i].ignored || (bits & 8));
            kit_write(pmu, MSR_FSB_ESCR1, (kit_escr(0x1A, 0x20A1) & ~ESCR_CPL_MASK) | bits);
            kit_write(pmu, MSR_CCCR(2), kit_cccr(6) | CCCR_ENABLE);
            drive_events(pmu, NBPMU_IOQ_ACTIVE_ENTRIES, 0x20A1, 0, 0, 7);
            assert_int_equal(kit_clock(pmu, 2, KIT_BOTH), 7);
            nbpmu_free(pmu);
        }
    }
}

/* global_power_events RUNNING: one per clock in which a qualified logical processor is not halted. */
TEST(global_power_events_follow_activity)
{
    static const struct {
        uint32_t escr;
        struct lp_state lps[NBPMU_LPS];
        unsigned counted;
    } CASES[] = {
        {0x2600020F, {{true, 0}, {true, 0}}, 1},  /* both: a level, not a sum (R9) */
        {0x2600020C, {{true, 0}, {false, 0}}, 1}, /* LP0 qualified and running */
        {0x2600020C, {{false, 0}, {true, 0}}, 0}, /* only the other runs */
        {0x26000203, {{false, 0}, {true, 3}}, 1}, /* LP1 in user mode */
        {0x26000204, {{true, 0}, {false, 0}}, 0}, /* USR, but at CPL 0 */
        {0x2600000C, {{true, 0}, {true, 0}}, 0},  /* mask 0 */
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        struct nbpmu *pmu = kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, CASES[i].escr);
        assert_int_equal(kit_clock(pmu, 0, CASES[i].lps), CASES[i].counted);
        nbpmu_free(pmu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r11_privilege_without_ht),
        cmocka_unit_test(v23_ts_lp1_cpl0),
        cmocka_unit_test(v24_ts_lp0_cpl3),
        cmocka_unit_test(r12_the_other_two_and_inner_rings),
        cmocka_unit_test(v25_ti_one_at_each_level),
        cmocka_unit_test(v26_ti_both_at_cpl0),
        cmocka_unit_test(r13_both_in_user_mode),
        cmocka_unit_test(ti_cpl_of_a_halted_processor),
        cmocka_unit_test(ti_while_all_are_halted),
        cmocka_unit_test(r14_cpl_ignored),
        cmocka_unit_test(global_power_events_follow_activity),
    };
    return cmocka_run_group_tests_name("model qualification", tests, NULL, NULL);
}
