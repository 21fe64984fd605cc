/*
 * The library drives the PMU model: what pmc/ programs, counts what the manual says (Example 18-1, halting,
 * clearing). Library and model share the register layout only, so this is where their two readings of the
 * manual meet.
 */
#include "in_model.h"
#include "pmc/msr.h"
#include "pmc/netburst/examples.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_MODEL(the_eleven_steps),           IN_MODEL(example_18_1_counts_200_then_400),
        IN_MODEL(halting_a_cascaded_counter), IN_MODEL(clear_after_everything_was_used),
        IN_MODEL(dump_reads_every_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
