/*
 * The manual's examples as written to the registers: printed values and order of steps (SDM 18.15.5.6 and
 * 18.15.5.7, pmu-rules 7.1 to 7.4). What they then count, the vectors cascade.18-1 and cascade.18-2 show
 * on p4sim.
 */
#include "pmc/netburst/examples.h"
#include "recorded.h"

struct write {
    uint32_t msr;
    uint64_t value;
};

/* These writes and no others; a counter's two (E1) are given once. */
static void expect_writes(const struct write *expected, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool counter = expected[i].msr >= MSR_COUNTER(0) && expected[i].msr < MSR_COUNTER(PMC_COUNTERS);
        for (unsigned times = counter ? 2 : 1; times > 0; times--)
            expect_write(n++, expected[i].msr, expected[i].value);
    }
    expect_no_more_writes(n);
}

/* ---- Example 18-1 ---- */

/* pmu-rules 9.4: branch_retired taken on 12, instr_retired on 14. */
static void programs(struct pmc_programming *x, struct pmc_programming *y)
{
    assert_true(pmc_program(x, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, ESCR_T0_ALL, 12));
    assert_true(pmc_program(y, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, ESCR_T0_ALL, 14));
}

TEST(example_18_1_in_order)
{
    struct pmc_programming x, y;
    uint32_t msr = 0, value = 0;
    programs(&x, &y);
    y.cccr |= CCCR_OVF_PMI;
    assert_true(example_18_1(&x, EXAMPLE_18_1_X, &y, EXAMPLE_18_1_Y, &msr, &value));
    /* pmu-rules 7.1, programmable form */
    const struct write expected[] = {
        {0x36E, 0},
        {0x36C, 0},
        {0x3CC, 0x0C00180C},
        {0x3B9, 0x0400060C},
        {0x30C, 0xFFFFFFFF38},
        {0x30E, 0xFFFFFFFE70},
        {0x36E, 0x44038000},
    };
    expect_writes(expected, COUNT_OF(expected));
    assert_int_equal(msr, 0x36C);
    assert_int_equal(value, 0x0003B000);
}

TEST(example_18_1_stops_at_a_preset_that_does_not_hold)
{
    struct pmc_programming x, y;
    uint32_t msr, value;
    programs(&x, &y);
    static const uint32_t counters[] = {0x30C, 0x30E};
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        record_reset();
        record_stick(counters[i], 1);
        assert_false(example_18_1(&x, 200, &y, 400, &msr, &value));
        assert_true(record_peek(0x36C) == 0 && record_peek(0x36E) == 0);
    }
}

/* ---- Example 18-2 ---- */

/* The rows of pmu-rules 7.4, and of 7.2. */
static const struct {
    char version;
    uint8_t x, y;
    struct write escr_x, escr_y;
    uint64_t preset_x;
    uint32_t cccr_y, cccr_y_no_pmi, cccr_x;
    bool extended, probe;
} PRINTED[EXAMPLE_18_2_ROWS] = {
    {'A',
     17,
     16,
     {0x3B9, 0x0400060C},
     {0x3B8, 0x04000603},
     0xFFFFFFF000,
     0x08038800,
     0x00038800,
     0x00039000,
     true,
     false},
    {'B',
     16,
     17,
     {0x3B8, 0x0400060C},
     {0x3B9, 0x04000603},
     0xFFFFFFF000,
     0x08038800,
     0x00038800,
     0x00039000,
     true,
     false},
    {'C',
     14,
     16,
     {0x3B9, 0x0400060C},
     {0x3B8, 0x04000603},
     0xFFFFFFF000,
     0x48038000,
     0x40038000,
     0x00039000,
     false,
     false},
    {'D',
     12,
     14,
     {0x3B8, 0x0400060C},
     {0x3B9, 0x04000603},
     0xFFFFFFF000,
     0x48038000,
     0x40038000,
     0x00039000,
     false,
     false},
    {'E',
     16,
     12,
     {0x3CC, 0x0C001E0C},
     {0x3B8, 0x04000603},
     0xFFFFFFF000,
     0x08038800,
     0x00038800,
     0x0003B000,
     true,
     false},
    {'F',
     17,
     15,
     {0x3CD, 0x0C001E0C},
     {0x3B9, 0x04000603},
     0xFFFFFFF000,
     0x08038800,
     0x00038800,
     0x0003B000,
     true,
     false},
    {'G',
     15,
     17,
     {0x3CD, 0x0C001E0C},
     {0x3B9, 0x04000603},
     0xFFFFFFF000,
     0x48038000,
     0x40038000,
     0x0003B000,
     false,
     true},
    {'H',
     13,
     17,
     {0x3B8, 0x0400060C},
     {0x3B9, 0x04000603},
     0xFFFFFFF000,
     0x48038000,
     0x40038000,
     0x00039000,
     false,
     true},
    {'V',
     16,
     12,
     {0x3CC, 0x0400060C},
     {0x3B8, 0x04000603},
     0x00FFFFF000,
     0x04038800,
     0x04038800,
     0x00039000,
     true,
     true},
};

TEST(rows_have_the_printed_values)
{
    for (unsigned i = 0; i < EXAMPLE_18_2_ROWS; i++) {
        const struct example_18_2 *row = &EXAMPLE_18_2[i];
        assert_int_equal(row->version, PRINTED[i].version);
        assert_int_equal(row->x, PRINTED[i].x);
        assert_int_equal(row->y, PRINTED[i].y);
        assert_int_equal(row->escr_x_msr, PRINTED[i].escr_x.msr);
        assert_int_equal(row->escr_x, PRINTED[i].escr_x.value);
        assert_int_equal(row->escr_y_msr, PRINTED[i].escr_y.msr);
        assert_int_equal(row->escr_y, PRINTED[i].escr_y.value);
        assert_true(row->preset_x == PRINTED[i].preset_x);
        assert_int_equal(row->cccr_y, PRINTED[i].cccr_y);
        assert_int_equal(row->cccr_y_no_pmi, PRINTED[i].cccr_y_no_pmi);
        assert_int_equal(row->cccr_x, PRINTED[i].cccr_x);
        assert_int_equal(row->extended, PRINTED[i].extended);
        assert_int_equal(row->probe, PRINTED[i].probe);
    }
}

/* Invariant of every corrected row: the cascade link exists in the map, and either CCCR selects the ESCR
 * written. */
TEST(rows_agree_with_the_map)
{
    for (unsigned i = 0; i < EXAMPLE_18_2_ROWS - 1; i++) {
        const struct example_18_2 *row = &EXAMPLE_18_2[i];
        const struct pmc_counter *y = &PMC_COUNTER[row->y];
        if (row->extended)
            assert_int_equal(y->extended_from, row->x);
        else
            assert_true(y->cascade_from == row->x || y->cascade_from_alternative == row->x);
        assert_int_equal(pmc_escr_for(row->x, CCCR_GET_ESCR_SELECT(row->cccr_x))->msr, row->escr_x_msr);
        assert_int_equal(pmc_escr_for(row->y, CCCR_GET_ESCR_SELECT(row->cccr_y))->msr, row->escr_y_msr);
    }
    /* pmu-rules 7.3 item 1: the verbatim CCCR of X selects another ESCR than the one written for it. */
    const struct example_18_2 *verbatim = &EXAMPLE_18_2[EXAMPLE_18_2_ROWS - 1];
    assert_int_equal(pmc_escr_for(verbatim->x, CCCR_GET_ESCR_SELECT(verbatim->cccr_x))->msr, MSR_CRU_ESCR0);
}

/* Row B of pmu-rules 7.4 with OVF_PMI_T1, ESCRs first, CCCR of X last. The preset of Y for samples of 1000 is
 * 2^40 - 999. */
TEST(a_row_in_order)
{
    assert_true(example_18_2(&EXAMPLE_18_2[1], true, 1000));
    const struct write sampling[] = {
        {0x3B8, 0x0400060C},   {0x3B9, 0x04000603}, {0x310, 0xFFFFFFF000},
        {0x311, 0xFFFFFFFC19}, {0x371, 0x08038800},
    };
    expect_writes(sampling, COUNT_OF(sampling));

    record_reset();
    assert_true(example_18_2(&EXAMPLE_18_2[1], false, 1000));
    const struct write counting[] = {
        {0x3B8, 0x0400060C}, {0x3B9, 0x04000603}, {0x310, 0xFFFFFFF000}, {0x311, 0}, {0x371, 0x00038800},
    };
    expect_writes(counting, COUNT_OF(counting));
}

/* pmu-rules 7.2, steps 1 to 5; the arguments change nothing. */
TEST(the_verbatim_row_in_the_manuals_order)
{
    static const bool sampling[] = {true, false};
    for (size_t i = 0; i < COUNT_OF(sampling); i++) {
        record_reset();
        assert_true(example_18_2(&EXAMPLE_18_2[8], sampling[i], 0));
        const struct write steps[] = {
            {0x30C, 0}, {0x3B8, 0x04000603}, {0x36C, 0x04038800}, {0x310, 0xFFFFF000}, {0x3CC, 0x0400060C},
        };
        expect_writes(steps, COUNT_OF(steps));
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

TEST(a_preset_that_does_not_hold)
{
    for (unsigned i = 0; i < EXAMPLE_18_2_ROWS; i++) {
        const struct example_18_2 *row = &EXAMPLE_18_2[i];
        const unsigned counters[] = {row->x, row->y};
        for (size_t k = 0; k < COUNT_OF(counters); k++) {
            record_reset();
            record_stick(MSR_COUNTER(counters[k]), 1);
            assert_false(example_18_2(row, false, 0));
            assert_true(record_peek(MSR_CCCR(row->y)) == 0);
            assert_true(record_peek(MSR_CCCR(row->x)) == 0);
        }
    }
}
