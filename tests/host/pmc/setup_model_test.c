/*
 * The library drives the PMU model: what pmc/ programs, counts what the manual says (both examples, halting,
 * acknowledging, clearing). Library and model share the register layout only, so this is where their two
 * readings of the manual meet.
 */
#include "tests/host/support/host_test.h"
#include "tests/host/support/model_drive.h"
#include "tests/host/support/msr_model.h"
#include "pmc/netburst/examples.h"
#include "pmc/msr.h"

static const struct pmc_cpu F43 = {.signature = 0xF43, .model = 4, .stepping = 3, .ht = true};
static struct nbpmu_part part;
static struct nbpmu *pmu;

static int power_up(void **state)
{
    (void)state;
    assert_true(nbpmu_part_of_signature(0x0F43, 2, &part));
    pmu = nbpmu_new(&part, NULL);
    msr_model_use(pmu);
    return pmu == NULL;
}

static int power_down(void **state)
{
    (void)state;
    nbpmu_free(pmu);
    return 0;
}

/* count clocks with one occurrence each, caused by lp at CPL 0. Returns the processors that got a PMI. */
static unsigned happen(enum nbpmu_event event, unsigned bit, unsigned lp, unsigned count)
{
    static const struct lp_state running[NBPMU_LPS] = {{true, 0}, {true, 0}};
    unsigned pmi = 0;
    while (count-- > 0) {
        drive_event(pmu, event, bit, lp, 0, 1);
        pmi |= drive_clocks(pmu, running, 1);
    }
    return pmi;
}

static unsigned retire(unsigned lp, unsigned count)
{
    return happen(NBPMU_INSTR_RETIRED, 0, lp, count);
}

static struct pmc_programming program(enum pmc_event_id event, uint16_t mask, unsigned counter)
{
    struct pmc_programming p;
    assert_true(pmc_program(&p, event, mask, ESCR_T0_ALL, counter));
    return p;
}

/* Steps 1 to 11 on every counter of the IQ block: the 100th of 100 overflows (R28), the count reads back. */
TEST(the_eleven_steps)
{
    for (unsigned counter = 12; counter < PMC_COUNTERS; counter++) {
        assert_int_equal(pmc_clear(&F43), 0);
        struct pmc_programming p = program(EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, counter);
        assert_true(pmc_arm(&p, COUNTER_OVERFLOW_IN(100)));
        retire(0, 5);
        assert_true(pmc_read(counter) == COUNTER_OVERFLOW_IN(100)); /* armed is not started */
        pmc_start(&p);
        retire(0, 99);
        assert_true(pmc_read(counter) == COUNTER_MASK);
        assert_false(pmc_overflowed(counter));
        retire(0, 1);
        assert_true(pmc_overflowed(counter));
        retire(0, 7);
        pmc_stop(counter);
        retire(0, 3);
        assert_true(pmc_read(counter) == 7);
        assert_true(pmc_overflowed(counter)); /* sticky (R29) */
    }
}

/* ---- Example 18-1 on every documented plain cascade ---- */

struct pair {
    uint8_t x, y;
    enum pmc_event_id a;
    uint16_t a_mask;
    enum pmc_event_id b;
    uint16_t b_mask;
};

/* R34, with events of the block (pmu-rules 9): A on one ESCR, B on the other side's. */
#define BPU_PAIR(x, y)                                         \
    {                                                          \
        x, y, EVENT_PAGE_WALK_TYPE, 1, EVENT_ITLB_REFERENCE, 1 \
    }
#define MS_PAIR(x, y)                                                    \
    {                                                                    \
        x, y, EVENT_RETIRED_BRANCH_TYPE, 4, EVENT_RETIRED_BRANCH_TYPE, 8 \
    }
#define FLAME_PAIR(x, y)                                                \
    {                                                                   \
        x, y, EVENT_PACKED_SP_UOP, FIRM_ALL, EVENT_X87_FP_UOP, FIRM_ALL \
    }
#define IQ_PAIR(x, y)                                                          \
    {                                                                          \
        x, y, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, EVENT_INSTR_RETIRED, 3 \
    }

static const struct pair PAIRS[] = {
    BPU_PAIR(0, 2),    BPU_PAIR(2, 0),    BPU_PAIR(1, 3),  BPU_PAIR(3, 1),    MS_PAIR(4, 6),
    MS_PAIR(6, 4),     MS_PAIR(5, 7),     MS_PAIR(7, 5),   FLAME_PAIR(8, 10), FLAME_PAIR(10, 8),
    FLAME_PAIR(9, 11), FLAME_PAIR(11, 9), IQ_PAIR(12, 14), IQ_PAIR(14, 12),   IQ_PAIR(13, 15),
    IQ_PAIR(15, 13),   IQ_PAIR(14, 16),
};

static unsigned lowest_bit(uint16_t mask)
{
    unsigned bit = 0;
    while (!(mask >> bit & 1))
        bit++;
    return bit;
}

/* Both enumerations follow pmu-rules 4; the model's begins with "no event". */
static unsigned occur(enum pmc_event_id event, uint16_t mask, unsigned count)
{
    return happen((enum nbpmu_event)(event + 1), lowest_bit(mask), 0, count);
}

static void start_pair(const struct pair *pair)
{
    uint32_t msr, value;
    assert_int_equal(pmc_clear(&F43), 0);
    struct pmc_programming x = program(pair->a, pair->a_mask, pair->x);
    struct pmc_programming y = program(pair->b, pair->b_mask, pair->y);
    y.cccr |= CCCR_OVF_PMI_T0;
    assert_true(example_18_1(&x, EXAMPLE_18_1_X, &y, EXAMPLE_18_1_Y, &msr, &value));
    occur(pair->a, pair->a_mask, 3);
    assert_true(pmc_read(pair->x) == COUNTER_OVERFLOW_IN(200)); /* all but the last write: nothing counts */
    msr_write(msr, value);
}

TEST(example_18_1_counts_200_then_400)
{
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        const struct pair *p = &PAIRS[i];
        start_pair(p);
        occur(p->b, p->b_mask, 10);
        occur(p->a, p->a_mask, 199);
        assert_false(pmc_overflowed(p->x));
        occur(p->b, p->b_mask, 10);
        assert_true(pmc_read(p->y) == COUNTER_OVERFLOW_IN(400)); /* Y does not move before */
        occur(p->a, p->a_mask, 1);
        assert_true(pmc_overflowed(p->x));
        assert_int_equal(occur(p->b, p->b_mask, 399), 0);
        assert_false(pmc_overflowed(p->y));
        assert_int_equal(occur(p->b, p->b_mask, 1), 0);
        assert_true(pmc_overflowed(p->y));
        assert_int_equal(occur(p->b, p->b_mask, 1), 1); /* R46: on the 401st, to logical processor 0 */
        occur(p->a, p->a_mask, 5);
        assert_true(pmc_read(p->x) == 5); /* counts on, wrapped */
        assert_true(pmc_read(p->y) == 1);
    }
}

/* R38, both ways; X keeps counting. */
TEST(halting_a_cascaded_counter)
{
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        const struct pair *p = &PAIRS[i];
        for (unsigned way = 0; way < 2; way++) {
            start_pair(p);
            occur(p->a, p->a_mask, 200);
            occur(p->b, p->b_mask, 10);
            if (way == 0)
                pmc_halt_by_cascade_flag(p->y);
            else
                pmc_halt_by_overflow_flag(p->x);
            occur(p->b, p->b_mask, 10);
            occur(p->a, p->a_mask, 10);
            assert_true(pmc_read(p->y) == COUNTER_OVERFLOW_IN(390));
            assert_true(pmc_read(p->x) == 10);
            assert_int_equal(pmc_overflowed(p->x), way == 0);
        }
    }
}

/* ---- Example 18-2 ---- */

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

/* pmu-rules 7.3: printed as it stands, X counts logical processor 1, and 4096 of anything do not overflow it.
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

/* ---- Clearing and dumping ---- */

TEST(clear_after_everything_was_used)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        msr_write(MSR_COUNTER(n), COUNTER_MASK - n);
        msr_write(MSR_CCCR(n), 0xFFFFF000 | (PMC_COUNTER[n].extended_name ? CCCR_CASCNT : 0));
    }
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        msr_write(PMC_ESCR[i].msr, PMC_ESCR[i].f43_mask);
    msr_write(MSR_PEBS_ENABLE, 1);
    msr_write(MSR_PEBS_MATRIX_VERT, 1);
    happen(NBPMU_INSTR_RETIRED, 0, 0, 10);
    assert_int_equal(pmc_clear(&F43), 0);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        assert_true(pmc_read(n) == 0);
        assert_false(pmc_overflowed(n));
    }
    retire(0, 10);
    assert_true(pmc_read(12) == 0);
}

static void count_dumped(void *context, const char *name, uint64_t value)
{
    (void)name;
    assert_true(value != 0);
    ++*(unsigned *)context;
}

TEST(dump_reads_every_register)
{
    unsigned dumped = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        msr_write(MSR_COUNTER(n), 1);
        msr_write(MSR_CCCR(n), CCCR_COMPARE);
    }
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        msr_write(PMC_ESCR[i].msr, ESCR_T0_OS);
    pmc_dump(&F43, count_dumped, &dumped);
    assert_int_equal(dumped, 18 + 18 + 43); /* "43 to 45 ESCRs": IQ_ESCR0/1 are gone on model 4 */
}

#define IN_MODEL(test) cmocka_unit_test_setup_teardown(test, power_up, power_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_MODEL(the_eleven_steps),
        IN_MODEL(example_18_1_counts_200_then_400),
        IN_MODEL(halting_a_cascaded_counter),
        IN_MODEL(example_18_2_corrected_rows),
        IN_MODEL(example_18_2_without_pmi),
        IN_MODEL(example_18_2_row_h_is_the_other_reading),
        IN_MODEL(example_18_2_verbatim_counts_the_wrong_processor),
        IN_MODEL(clear_after_everything_was_used),
        IN_MODEL(dump_reads_every_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
