/*
 * The procedures of pmc/netburst/setup.h over recorded registers: what is written, and in which order
 * (SDM 18.15.5.1 to 18.15.5.5, E1, R32, R52), where a run of the image does not show it; and the manual's
 * examples (examples.h), whose values and counts the vectors cascade.18-1 and cascade.18-2 show on p4sim.
 */
#include <string.h>
#include "pmc/netburst/examples.h"
#include "pmc/netburst/setup.h"
#include "tests/host/support/msr_record.h"

BEFORE_EACH(nothing_recorded)
{
    record_reset();
}

/* instr_retired on counter 12 for logical processor 0: CRU_ESCR0 = 0400060CH, CCCR select 4 (pmu-rules 9.4).
 */
static struct pmc_programming instr_on_12(void)
{
    struct pmc_programming p;
    assert_true(pmc_program(&p, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, ESCR_T0_ALL, 12));
    return p;
}

/* ---- Composing ---- */

/* Another block; the side an event does not exist on (pmu-rules 4.1); no such counter, event, thread bit. */
TEST(what_cannot_be_counted_there)
{
    static const struct {
        enum pmc_event_id event;
        uint32_t cpl, counter, instead; /* `instead`: a counter that has it */
    } rows[] = {
        {EVENT_INSTR_RETIRED, ESCR_T0_ALL, 0, 12},
        {EVENT_GLOBAL_POWER_EVENTS, ESCR_T0_ALL, 12, 2},
        {EVENT_BSQ_ALLOCATION, ESCR_T0_ALL, 2, 1},
        {EVENT_BSQ_ACTIVE_ENTRIES, ESCR_T0_ALL, 1, 2},
        {EVENT_IOQ_ACTIVE_ENTRIES, ESCR_T0_ALL, 0, 3},
        {EVENT_INSTR_RETIRED, ESCR_T0_ALL, PMC_COUNTERS, 17},
        {(enum pmc_event_id)PMC_EVENTS, ESCR_T0_ALL, 12, PMC_COUNTERS},
        {EVENT_INSTR_RETIRED, ESCR_T0_ALL | ESCR_TAG_ENABLE, 12, PMC_COUNTERS},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pmc_programming p, before;
        memset(&p, 0x5A, sizeof p);
        before = p;
        assert_false(pmc_program(&p, rows[i].event, 1, rows[i].cpl, rows[i].counter));
        assert_memory_equal(&p, &before, sizeof p);
        assert_int_equal(pmc_program(&p, rows[i].event, 1, rows[i].cpl, rows[i].instead),
                         rows[i].instead < PMC_COUNTERS);
    }
}

/* ---- Order of writes ---- */

TEST(arm_then_start_or_cascade)
{
    struct pmc_programming p = instr_on_12();
    assert_true(pmc_arm(&p, COUNTER_OVERFLOW_IN(200)));
    pmc_start(&p);
    EXPECT_WRITES({0x36C, 0}, {0x3B8, 0}, {0x30C, 0xFFFFFFFF38}, {0x3B8, 0x0400060C}, {0x36C, 0x00039000});
    p.cccr |= CCCR_OVF_PMI_T0;
    pmc_arm_cascade(&p);
    pmc_arm_extended_cascade(&p);
    EXPECT_WRITES({0x36C, 0x44038000}, {0x36C, 0x04038800}); /* step 3 of Example 18-2 */
}

/* Modulo 40 bits: no 1 into a reserved bit (pmu-rules 3.4). */
TEST(preset_is_written_twice_and_read_back)
{
    assert_true(pmc_preset(3, 0x123456789A));
    assert_int_equal(record.count, 3);
    assert_false(record.access[2].write);
    assert_int_equal(record.access[2].msr, 0x303);
    EXPECT_WRITES({0x303, 0x123456789A});
    assert_true(pmc_preset(0, (uint64_t)-200) && pmc_preset(0, 1ull << 40));
    EXPECT_WRITES({0x300, 0xFFFFFFFF38}, {0x300, 0});
    record.stuck[0x305] = 1ull << 33;
    assert_false(pmc_preset(5, 0));
    assert_true(pmc_preset(5, 1ull << 33));
    record.stuck[0x30C] = 1ull << 40; /* junk above the counter is no preset that holds either */
    struct pmc_programming p = instr_on_12();
    assert_false(pmc_arm(&p, 7));
}

/* ---- Running, halting ---- */

TEST(read_and_overflow)
{
    record.value[0x311] = 0xFF12345678ull | 1ull << 63;
    assert_true(pmc_read(17) == 0xFF12345678);
    record.value[0x371] = 0x80039000;
    assert_true(pmc_overflowed(17));
    record.value[0x371] = 0x7FFFF000;
    assert_false(pmc_overflowed(17));
    assert_null(record_write(0));
}

/* R32: only the named bit changes. All other documented bits are set, to show that they survive. */
TEST(halting_changes_its_bits_only)
{
    record.value[0x36F] = 0xCFFFF800;
    pmc_stop(15); /* step 11 */
    record.value[0x36F] = 0xCFFFF800;
    pmc_halt_by_overflow_flag(15);
    EXPECT_WRITES({0x36F, 0xCFFFE800}, {0x36F, 0x4FFFF800});
}

/* R52: OVF out first, then the reload; OVF must be gone before the caller unmasks LVTPC. A counter that runs
 * goes on, with all that it was given. */
TEST(acknowledge)
{
    record.value[0x36E] = 0xC4038000;
    pmc_acknowledge(14, COUNTER_OVERFLOW_IN(99));
    record.value[0x36C] = 0xCFFFF800;
    pmc_acknowledge(12, 0);
    EXPECT_WRITES({0x36E, 0x44038000}, {0x30E, 0xFFFFFFFF9D}, {0x36C, 0x4FFFF800}, {0x30C, 0});
}

/* ---- The manual's examples (SDM 18.15.5.6 and 18.15.5.7, pmu-rules 7.1 to 7.4) ---- */

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

/* Only rows A to F are certain: G and H depend on an open reading, V is what the manual prints. */
TEST(which_rows_are_probes)
{
    for (unsigned i = 0; i < EXAMPLE_18_2_ROWS; i++)
        assert_int_equal(EXAMPLE_18_2[i].probe, i >= EXAMPLE_18_2_CORRECTED);
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
    assert_true(record.value[0x30E] == 0xFFFFFFFFFF);
    assert_true(example_18_2(&EXAMPLE_18_2[3], true, UINT32_MAX));
    assert_true(record.value[0x30E] == 0xFF00000002); /* 2^40 - (2^32 - 2) */
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
            record.stuck[MSR_COUNTER(of_y ? y_counter : x_counter)] = 1;
            assert_false(row ? example_18_2(row, false, 0) : example_18_1(&x, 200, &y, 400, &msr, &value));
            assert_true(record.value[MSR_CCCR(x_counter)] == 0 && record.value[MSR_CCCR(y_counter)] == 0);
        }
}
