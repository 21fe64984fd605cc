/*
 * Cascading with CASCADE in the model: streams V15-V20 of pmu-rules 5.8, R33, R34, R36-R41, R44 and the
 * negatives of pmu-rules 9.5.
 */
#include "tests/host/support/model_kit.h"

/* X counts A = branch_retired, Y counts B = instr_retired; both within the IQ block, as in pmu-rules 9.4. */
#define X        12
#define Y        14
#define X_ENABLE (kit_cccr(5) | CCCR_ENABLE)  /* 0003B000H */
#define Y_ARMED  (kit_cccr(4) | CCCR_CASCADE) /* 40038000H */

static struct nbpmu *example(struct model_config config)
{
    struct nbpmu *pmu = kit_new(config);
    kit_write(pmu, MSR_CRU_ESCR2, kit_escr(0x06, 0x0F));
    kit_write(pmu, MSR_CRU_ESCR1, kit_escr(0x02, 0x03));
    kit_write(pmu, MSR_COUNTER(X), COUNTER_OVERFLOW_IN(200));
    kit_write(pmu, MSR_CCCR(Y), Y_ARMED);
    kit_write(pmu, MSR_CCCR(X), X_ENABLE);
    return pmu;
}

/* The level or the latch form of R33. */
static struct model_config in_form(bool latch)
{
    struct model_config config = KIT_F43;
    config.choices.cascade_latch = latch;
    return config;
}

/* One clock with an A (or none) and a B. */
static void clock_ab(struct nbpmu *pmu, bool a)
{
    if (a) {
        drive_event(pmu, NBPMU_BRANCH_RETIRED, 2, 0, 0, 1);
    }
    drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
    drive_clocks(pmu, KIT_LP0, 1);
}

static void clocks_ab(struct nbpmu *pmu, unsigned clocks, bool a)
{
    while (clocks--) {
        clock_ab(pmu, a);
    }
}

/* X has overflowed, and Y, started by that, has counted five Bs. */
static struct nbpmu *five_counted(bool latch)
{
    struct nbpmu *pmu = example(in_form(latch));
    clocks_ab(pmu, 200, true);
    clocks_ab(pmu, 5, false);
    return pmu;
}

TEST(v15_y_starts_after_the_200th)
{
    struct nbpmu *pmu = example(KIT_F43);
    for (unsigned a = 1; a <= 200; a++) {
        assert_false(kit_ovf(pmu, X));
        clock_ab(pmu, true);
        assert_int_equal(kit_counter(pmu, Y), 0); /* not even in the 200th clock (R37) */
    }
    assert_true(kit_ovf(pmu, X));
    for (unsigned b = 1; b <= 400; b++) {
        clock_ab(pmu, false);
        assert_int_equal(kit_counter(pmu, Y), b);
    }
    assert_int_equal(kit_counter(pmu, X), 0);
    clocks_ab(pmu, 3, true);
    assert_int_equal(kit_counter(pmu, X), 3); /* R37: X keeps counting */
    assert_int_equal(kit_counter(pmu, Y), 403);
    assert_int_equal(kit_read(pmu, MSR_CCCR(Y)), Y_ARMED); /* R36: ENABLE reads 0 */
    nbpmu_free(pmu);
}

/* Question 11.7: as a choice, Y counts X's overflowing clock too. */
TEST(r37_same_clock)
{
    struct model_config config = KIT_F43;
    config.choices.start_same_clock = true;
    struct nbpmu *pmu = example(config);
    clocks_ab(pmu, 199, true);
    assert_int_equal(kit_counter(pmu, Y), 0);
    clock_ab(pmu, true);
    assert_int_equal(kit_counter(pmu, Y), 1);
    clock_ab(pmu, false);
    assert_int_equal(kit_counter(pmu, Y), 2);
    nbpmu_free(pmu);
}

/* R36: ENABLE of a started Y reads back as 1 as a choice, and only while it is started. */
TEST(r36_enable_reads_back)
{
    struct model_config config = KIT_F43;
    config.choices.enable_reads_back = true;
    struct nbpmu *pmu = example(config);
    assert_int_equal(kit_read(pmu, MSR_CCCR(Y)), Y_ARMED);
    clocks_ab(pmu, 200, true);
    assert_int_equal(kit_read(pmu, MSR_CCCR(Y)), Y_ARMED | CCCR_ENABLE);
    kit_write(pmu, MSR_CCCR(X), X_ENABLE);
    assert_int_equal(kit_read(pmu, MSR_CCCR(Y)), Y_ARMED);
    nbpmu_free(pmu);
}

/* Both forms of R33 must be halted by both ways of R38. */
TEST(v16_clearing_ovf_of_x_halts)
{
    for (int latch = 0; latch < 2; latch++) {
        struct nbpmu *pmu = five_counted(latch);
        kit_write(pmu, MSR_CCCR(X), X_ENABLE);
        clocks_ab(pmu, 5, true);
        assert_int_equal(kit_counter(pmu, Y), 5);
        assert_int_equal(kit_counter(pmu, X), 5); /* X itself goes on */
        nbpmu_free(pmu);
    }
}

TEST(v17_clearing_cascade_of_y_halts)
{
    for (int latch = 0; latch < 2; latch++) {
        struct nbpmu *pmu = five_counted(latch);
        kit_write(pmu, MSR_CCCR(Y), Y_ARMED & ~CCCR_CASCADE);
        clocks_ab(pmu, 5, true);
        assert_int_equal(kit_counter(pmu, Y), 5);
        assert_true(kit_ovf(pmu, X));
        kit_write(pmu, MSR_CCCR(Y), Y_ARMED); /* R39: the level is still there, the latch is not */
        clocks_ab(pmu, 3, false);
        assert_int_equal(kit_counter(pmu, Y), latch ? 5 : 8);
        nbpmu_free(pmu);
    }
}

/* R38: clearing ENABLE of X does not stop Y while OVF(X) stays; question 11.2 is the other reading, through
 * R44. */
TEST(r38_clearing_enable_of_x)
{
    for (int strict = 0; strict < 2; strict++) {
        struct model_config config = KIT_F43;
        config.choices.strict_power = strict;
        struct nbpmu *pmu = example(config);
        clocks_ab(pmu, 201, true);
        kit_write(pmu, MSR_CCCR(X), (X_ENABLE & ~CCCR_ENABLE) | CCCR_OVF);
        clocks_ab(pmu, 5, true);
        assert_int_equal(kit_counter(pmu, X), 1);
        assert_int_equal(kit_counter(pmu, Y), strict ? 1 : 6);
        nbpmu_free(pmu);
    }
}

/* R44: an enabled counter that cannot be attached to Y's ESCR or its twin powers nothing there. */
TEST(r44_power_comes_from_the_same_escr_pair)
{
    static const struct {
        unsigned counter;
        bool powers;
    } HELPERS[] = {{13, true}, {17, true}, {0, false}, {11, false}};
    for (size_t i = 0; i < 4; i++) {
        struct model_config config = KIT_F43;
        config.choices.strict_power = true;
        struct nbpmu *pmu = example(config);
        clocks_ab(pmu, 200, true);
        kit_write(pmu, MSR_CCCR(HELPERS[i].counter), CCCR_ENABLE);
        kit_write(pmu, MSR_CCCR(X), CCCR_OVF);
        clocks_ab(pmu, 5, false);
        assert_int_equal(kit_counter(pmu, Y), HELPERS[i].powers ? 5 : 0);
        nbpmu_free(pmu);
    }
}

/* V18, R39: OVF(X) already stands when Y is armed. The latch form of R33 waits for an overflow. */
TEST(v18_stale_ovf)
{
    for (int latch = 0; latch < 2; latch++) {
        struct nbpmu *pmu = example(in_form(latch));
        kit_write(pmu, MSR_CCCR(Y), 0);
        clocks_ab(pmu, 200, true); /* X overflows with nobody armed */
        kit_write(pmu, MSR_CCCR(Y), Y_ARMED);
        clocks_ab(pmu, 5, false);
        assert_int_equal(kit_counter(pmu, Y), latch ? 0 : 5);
        kit_write(pmu, MSR_COUNTER(X), COUNTER_OVERFLOW_IN(1));
        clock_ab(pmu, true);
        clocks_ab(pmu, 5, false);
        assert_int_equal(kit_counter(pmu, Y), latch ? 5 : 11);
        nbpmu_free(pmu);
    }
}

TEST(r39_the_next_overflow_restarts)
{
    for (int latch = 0; latch < 2; latch++) {
        struct nbpmu *pmu = five_counted(latch);
        kit_write(pmu, MSR_CCCR(X), X_ENABLE);
        kit_write(pmu, MSR_COUNTER(X), COUNTER_OVERFLOW_IN(2));
        clocks_ab(pmu, 2, true);
        assert_int_equal(kit_counter(pmu, Y), 5);
        clocks_ab(pmu, 4, false);
        assert_int_equal(kit_counter(pmu, Y), 9); /* from its present value */
        nbpmu_free(pmu);
    }
}

/* R30: a software-written OVF(X) is a level like another, or as a choice does not start Y. */
TEST(r30_written_ovf)
{
    for (int ignored = 0; ignored < 2; ignored++) {
        struct model_config config = KIT_F43;
        config.choices.written_ovf_no_cascade = ignored;
        struct nbpmu *pmu = example(config);
        kit_write(pmu, MSR_CCCR(X), CCCR_OVF);
        clocks_ab(pmu, 5, false);
        assert_int_equal(kit_counter(pmu, Y), ignored ? 0 : 5);
        kit_write(pmu, MSR_CCCR(X), X_ENABLE | CCCR_OVF);
        clocks_ab(pmu, 200, true); /* a real overflow starts it in either case */
        uint64_t before = kit_counter(pmu, Y);
        clocks_ab(pmu, 5, false);
        assert_int_equal(kit_counter(pmu, Y) - before, 5);
        kit_write(pmu, MSR_CCCR(X), 0);
        kit_write(pmu, MSR_CCCR(X), CCCR_OVF); /* written again: the overflow before it is forgotten */
        clocks_ab(pmu, 5, false);
        assert_int_equal(kit_counter(pmu, Y) - before, ignored ? 5 : 10);
        nbpmu_free(pmu);
    }
}

/* R36: Y with ENABLE as well counts from the beginning. */
TEST(r36_y_enabled_too)
{
    struct nbpmu *pmu = example(KIT_F43);
    kit_write(pmu, MSR_CCCR(Y), Y_ARMED | CCCR_ENABLE);
    clocks_ab(pmu, 10, true);
    assert_int_equal(kit_counter(pmu, Y), 10);
    nbpmu_free(pmu);
}

TEST(without_cascade_nothing_starts)
{
    struct nbpmu *pmu = example(KIT_F43);
    kit_write(pmu, MSR_CCCR(Y), Y_ARMED & ~CCCR_CASCADE);
    clocks_ab(pmu, 205, true);
    assert_true(kit_ovf(pmu, X));
    assert_int_equal(kit_counter(pmu, Y), 0);
    nbpmu_free(pmu);
}

/* E14 as a choice: no start while X or Y has FORCE_OVF set. */
TEST(e14_force_ovf_with_cascade)
{
    for (int breaks = 0; breaks < 2; breaks++) {
        for (int in_y = 0; in_y < 2; in_y++) {
            struct model_config config = KIT_F43;
            config.choices.force_ovf_breaks_cascade = breaks;
            struct nbpmu *pmu = example(config);
            kit_write(pmu, MSR_CCCR(Y), Y_ARMED | (in_y ? CCCR_FORCE_OVF : 0));
            kit_write(pmu, MSR_CCCR(X), X_ENABLE | (in_y ? 0 : CCCR_FORCE_OVF));
            clocks_ab(pmu, 200, true);
            uint64_t before = kit_counter(pmu, Y);
            clocks_ab(pmu, 5, false);
            assert_int_equal(kit_counter(pmu, Y) - before, breaks ? 0 : 5);
            nbpmu_free(pmu);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v15_y_starts_after_the_200th),
        cmocka_unit_test(r37_same_clock),
        cmocka_unit_test(r36_enable_reads_back),
        cmocka_unit_test(v16_clearing_ovf_of_x_halts),
        cmocka_unit_test(v17_clearing_cascade_of_y_halts),
        cmocka_unit_test(r38_clearing_enable_of_x),
        cmocka_unit_test(r44_power_comes_from_the_same_escr_pair),
        cmocka_unit_test(v18_stale_ovf),
        cmocka_unit_test(r39_the_next_overflow_restarts),
        cmocka_unit_test(r30_written_ovf),
        cmocka_unit_test(r36_y_enabled_too),
        cmocka_unit_test(without_cascade_nothing_starts),
        cmocka_unit_test(e14_force_ovf_with_cascade),
    };
    return cmocka_run_group_tests_name("model cascade", tests, NULL, NULL);
}
