/*
 * The manual's examples as written to the registers: printed values and order of steps (SDM 18.15.5.6 and
 * 18.15.5.7, pmu-rules 7.1 to 7.4). What they then count, the vectors cascade.18-1 and cascade.18-2 show
 * on p4sim.
 */
#include "pmc/netburst/examples.h"
#include "tests/host/support/msr_record.h"

BEFORE_EACH(nothing_recorded)
{
    record_reset();
}

/* pmu-rules 9.4: branch_retired taken on 12, instr_retired on 14. */
static void programs(struct pmc_programming *x, struct pmc_programming *y)
{
    assert_true(pmc_program(x, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, ESCR_T0_ALL, 12));
    assert_true(pmc_program(y, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, ESCR_T0_ALL, 14));
}

/* pmu-rules 7.1, programmable form. */
TEST(example_18_1_in_order)
{
    struct pmc_programming x, y;
    uint32_t msr = 0, value = 0;
    programs(&x, &y);
    y.cccr |= CCCR_OVF_PMI;
    assert_true(example_18_1(&x, EXAMPLE_18_1_X, &y, EXAMPLE_18_1_Y, &msr, &value));
    EXPECT_WRITES({0x36E, 0}, {0x36C, 0}, {0x3CC, 0x0C00180C}, {0x3B9, 0x0400060C}, {0x30C, 0xFFFFFFFF38},
                  {0x30E, 0xFFFFFFFE70}, {0x36E, 0x44038000});
    assert_int_equal(msr, 0x36C);
    assert_int_equal(value, 0x0003B000);
}

/* The rows of pmu-rules 7.4, and of 7.2; instr_retired of LP1 is always the event of Y. */
static const struct {
    char version;
    uint8_t x, y;
    uint32_t escr_x_msr, escr_x, escr_y_msr, cccr_y, cccr_x;
    bool extended, probe;
} PRINTED[EXAMPLE_18_2_ROWS] = {
    {'A', 17, 16, 0x3B9, 0x0400060C, 0x3B8, 0x08038800, 0x00039000, true, false},
    {'B', 16, 17, 0x3B8, 0x0400060C, 0x3B9, 0x08038800, 0x00039000, true, false},
    {'C', 14, 16, 0x3B9, 0x0400060C, 0x3B8, 0x48038000, 0x00039000, false, false},
    {'D', 12, 14, 0x3B8, 0x0400060C, 0x3B9, 0x48038000, 0x00039000, false, false},
    {'E', 16, 12, 0x3CC, 0x0C001E0C, 0x3B8, 0x08038800, 0x0003B000, true, false},
    {'F', 17, 15, 0x3CD, 0x0C001E0C, 0x3B9, 0x08038800, 0x0003B000, true, false},
    {'G', 15, 17, 0x3CD, 0x0C001E0C, 0x3B9, 0x48038000, 0x0003B000, false, true},
    {'H', 13, 17, 0x3B8, 0x0400060C, 0x3B9, 0x48038000, 0x00039000, false, true},
    {'V', 16, 12, 0x3CC, 0x0400060C, 0x3B8, 0x04038800, 0x00039000, true, true},
};

TEST(rows_have_the_printed_values)
{
    for (unsigned i = 0; i < EXAMPLE_18_2_ROWS; i++) {
        const struct example_18_2 *row = &EXAMPLE_18_2[i];
        const bool verbatim = row->version == 'V'; /* with a preset of 32 bits, and its PMI in any case */
        assert_int_equal(row->version, PRINTED[i].version);
        assert_int_equal(row->x, PRINTED[i].x);
        assert_int_equal(row->y, PRINTED[i].y);
        assert_int_equal(row->escr_x_msr, PRINTED[i].escr_x_msr);
        assert_int_equal(row->escr_x, PRINTED[i].escr_x);
        assert_int_equal(row->escr_y_msr, PRINTED[i].escr_y_msr);
        assert_int_equal(row->escr_y, 0x04000603);
        assert_true(row->preset_x == (verbatim ? 0x00FFFFF000 : 0xFFFFFFF000));
        assert_int_equal(row->cccr_y, PRINTED[i].cccr_y);
        assert_int_equal(row->cccr_y_no_pmi, verbatim ? PRINTED[i].cccr_y : PRINTED[i].cccr_y & ~0x08000000u);
        assert_int_equal(row->cccr_x, PRINTED[i].cccr_x);
        assert_int_equal(row->extended, PRINTED[i].extended);
        assert_int_equal(row->probe, PRINTED[i].probe);
    }
}

/* Row B of pmu-rules 7.4 with OVF_PMI_T1, ESCRs first, CCCR of X last. The preset of Y for samples of 1000 is
 * 2^40 - 999. */
TEST(a_row_in_order)
{
    assert_true(example_18_2(&EXAMPLE_18_2[1], true, 1000));
    EXPECT_WRITES({0x3B8, 0x0400060C}, {0x3B9, 0x04000603}, {0x310, 0xFFFFFFF000}, {0x311, 0xFFFFFFFC19},
                  {0x371, 0x08038800});
    assert_true(example_18_2(&EXAMPLE_18_2[1], false, 1000));
    EXPECT_WRITES({0x3B8, 0x0400060C}, {0x3B9, 0x04000603}, {0x310, 0xFFFFFFF000}, {0x311, 0},
                  {0x371, 0x00038800});
}

/* pmu-rules 7.2, steps 1 to 5; the arguments change nothing. */
TEST(the_verbatim_row_in_the_manuals_order)
{
    for (unsigned sampling = 0; sampling < 2; sampling++) {
        assert_true(example_18_2(&EXAMPLE_18_2[8], sampling, 0));
        EXPECT_WRITES({0x30C, 0}, {0x3B8, 0x04000603}, {0x36C, 0x04038800}, {0x310, 0xFFFFF000},
                      {0x3CC, 0x0400060C});
    }
}

/* R46: preset -(S - 1) overflows one count before the PMI, so there is no S below 2. */
TEST(distances)
{
    assert_false(example_18_2(&EXAMPLE_18_2[3], true, 0));
    assert_false(example_18_2(&EXAMPLE_18_2[3], true, 1));
    assert_null(record_write(0));
    assert_true(example_18_2(&EXAMPLE_18_2[3], true, 2));
    assert_true(record_peek(0x30E) == 0xFFFFFFFFFF);
    assert_true(example_18_2(&EXAMPLE_18_2[3], true, UINT32_MAX));
    assert_true(record_peek(0x30E) == 0xFF00000002); /* 2^40 - (2^32 - 2) */
}

/* Nothing is enabled if a preset of X or Y does not hold; the last round is Example 18-1. */
TEST(a_preset_that_does_not_hold)
{
    for (unsigned i = 0; i <= EXAMPLE_18_2_ROWS; i++)
        for (unsigned of_y = 0; of_y < 2; of_y++) {
            const struct example_18_2 *row = i < EXAMPLE_18_2_ROWS ? &EXAMPLE_18_2[i] : NULL;
            const unsigned x_counter = row ? row->x : 12, y_counter = row ? row->y : 14;
            struct pmc_programming x, y;
            uint32_t msr, value;
            programs(&x, &y);
            record_reset();
            record_stick(MSR_COUNTER(of_y ? y_counter : x_counter), 1);
            assert_false(row ? example_18_2(row, false, 0) : example_18_1(&x, 200, &y, 400, &msr, &value));
            assert_true(record_peek(MSR_CCCR(x_counter)) == 0 && record_peek(MSR_CCCR(y_counter)) == 0);
        }
}
