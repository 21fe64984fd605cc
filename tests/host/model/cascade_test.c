/*
 * Cascading in the model: streams V15-V22 of pmu-rules 5.8, and the programmings of pmu-rules 7.2 to 7.4.
 */
#include "tests/host/support/model_kit.h"

/* ---- CASCADE ---- */

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
    config.variants.cascade_latch = latch;
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

/* ---- Who starts whom ---- */

TEST(v19_12_does_not_start_16)
{
    assert_false(kit_starts(KIT_F43, 12, 16, CCCR_CASCADE));
    assert_true(kit_starts(KIT_F43, 14, 16, CCCR_CASCADE));
}

TEST(v19b_who_starts_17)
{
    struct model_config mirror = KIT_F43;
    mirror.variants.alt17_is_13 = true;
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

/* ---- Extended cascading ---- */

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

/* Corrected versions of pmu-rules 7.4: rows of register writes, then 4096 events of X on LP0. */
static const struct version {
    const char *name;
    uint32_t escr_x, escr_y;
    uint64_t escr_x_value;
    unsigned x, y;
    uint64_t cccr_y, cccr_x;
    bool branches; /* X counts branch_retired, not instr_retired */
} VERSIONS[] = {
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

TEST(example_18_2_versions)
{
    for (size_t i = 0; i < COUNT_OF(VERSIONS); i++) {
        const struct version *v = &VERSIONS[i];
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
