/*
 * Example 18-2 as the library programs it, over the PMU model: what each row of pmu-rules 7.4 counts, and
 * what the example counts as printed.
 */
#include "in_model.h"
#include "pmc/msr.h"
#include "pmc/netburst/examples.h"

static void start_row(const struct example_18_2 *row, bool sampling, uint32_t distance)
{
    assert_int_equal(pmc_clear(&F43), 0);
    assert_true(example_18_2(row, sampling, distance));
    retire(0, 3);
    retire(1, 3);
    assert_true(pmc_read(row->x) == row->preset_x);
    msr_write(MSR_CCCR(row->x), row->cccr_x);
}

/* What X counts: instructions, or branches in rows E, F and G (pmu-rules 7.4). */
static void first_phase(const struct example_18_2 *row, unsigned count)
{
    bool branches = row->variant >= 'E' && row->variant <= 'G';
    happen(branches ? NBPMU_BRANCH_RETIRED : NBPMU_INSTR_RETIRED, 0, 0, count);
}

/*
 * Rows A to G on reading P of pmu-rules 5.5.1 (the model's default): Y still before the 4096th, then every
 * logical processor's own counter, PMI to logical processor 1 on each Sth instruction.
 */
TEST(example_18_2_corrected_rows)
{
    for (unsigned i = 0; i < EXAMPLE_18_2_ROWS; i++) {
        const struct example_18_2 *row = &EXAMPLE_18_2[i];
        if (row->variant == 'H' || row->variant == 'V')
            continue;
        start_row(row, true, 100);
        uint64_t preset_y = COUNTER_OVERFLOW_IN(99);
        first_phase(row, 4095);
        retire(1, 50);
        assert_false(pmc_overflowed(row->x));
        assert_true(pmc_read(row->y) == preset_y);
        first_phase(row, 1);
        assert_true(pmc_overflowed(row->x));
        assert_int_equal(retire(1, 99), 0);
        assert_int_equal(retire(1, 1), 1 << 1);
        /* Samples go on at the same distance. */
        pmc_acknowledge(row->y, preset_y);
        nbpmu_lvtpc_unmasked(pmu, 1);
        assert_int_equal(retire(1, 99), 0);
        assert_int_equal(retire(1, 1), 1 << 1);
        first_phase(row, 20);
        assert_true(pmc_read(row->x) == 20);
        assert_true(pmc_read(row->y) == 1);
    }
}

TEST(example_18_2_without_pmi)
{
    const struct example_18_2 *row = &EXAMPLE_18_2[3]; /* D */
    start_row(row, false, 0);
    first_phase(row, 4096);
    assert_int_equal(retire(1, 500), 0);
    assert_true(pmc_read(row->y) == 500);
}

/* Row H belongs to reading M of pmu-rules 5.5.1; on reading P 13 does not start 17. */
TEST(example_18_2_row_h_is_the_other_reading)
{
    const struct example_18_2 *row = &EXAMPLE_18_2[7];
    start_row(row, false, 0);
    first_phase(row, 4097);
    assert_true(pmc_overflowed(row->x));
    retire(1, 10);
    assert_true(pmc_read(row->y) == 0);

    nbpmu_free(pmu);
    const struct nbpmu_choices choices = {.alt17_is_13 = true};
    pmu = nbpmu_new(&part, &choices);
    msr_model_use(pmu);
    start_row(row, false, 0);
    first_phase(row, 4097);
    retire(1, 10);
    assert_true(pmc_read(row->y) == 10);
}

/* pmu-rules 7.3: with the printed values X counts LP1, and 4096 events do not overflow it.
 */
TEST(example_18_2_verbatim_counts_the_wrong_processor)
{
    const struct example_18_2 *row = &EXAMPLE_18_2[8];
    start_row(row, true, 100);
    retire(0, 4097);
    assert_true(pmc_read(row->x) == 0x00FFFFF000);
    retire(1, 4097);
    assert_true(pmc_read(row->x) == 0x0100000001);
    assert_false(pmc_overflowed(row->x));
    assert_true(pmc_read(row->y) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_MODEL(example_18_2_corrected_rows),
        IN_MODEL(example_18_2_without_pmi),
        IN_MODEL(example_18_2_row_h_is_the_other_reading),
        IN_MODEL(example_18_2_verbatim_counts_the_wrong_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
