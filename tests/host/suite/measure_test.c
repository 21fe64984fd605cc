/*
 * tests/suite/measure.c and stimulus.c: which of repeated counts is returned, on which counters, and how far
 * counts of each class of events may be apart. What a frame counts is scripted.
 */
#include "kernel/run/run.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "one_run.h"
#include "pmc/netburst/setup.h"
#include "tests/host/support/msr_record.h"
#include "tests/suite/companion.h"
#include "tests/suite/documented.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/measure.h"
#include "tests/suite/repeat.h"
#include "tests/suite/setting.h"
#include "tests/suite/stimulus.h"

/* ---- The machine ---- */

STUB(static void, nothing, (void));

#define NOTHING                         \
    {                                   \
        .entry = nothing, .max_n = 1000 \
    }
const struct workload work_nothing = NOTHING, work_nop = NOTHING, work_jmp = NOTHING,
                      work_not_taken = NOTHING, work_packed_sp = NOTHING, work_packed_dp = NOTHING,
                      work_scalar_sp = NOTHING, work_scalar_dp = NOTHING, work_mmx_64 = NOTHING,
                      work_mmx_128 = NOTHING, work_x87 = NOTHING, work_call = NOTHING, work_return = NOTHING,
                      work_loop = NOTHING, work_split_load = NOTHING, work_split_store = NOTHING,
                      work_cpuid_leaf_0 = NOTHING, work_self_modify = NOTHING, work_stack_fault = NOTHING,
                      work_uncached_load = NOTHING;
uint32_t work_uncached_page;

STUB(void, work_prepare_fp, (void));
STUB(void, work_prepare_sse, (void));
STUB(void, work_finish_mmx, (void));
STUB(bool, paging_on, (void), true);
STUB(bool, paging_is_on, (void), false);
STUB(void, pmi_wait_for_delivery, (void));
STUB(void, paging_off, (void));

static uint32_t errata;

STUB(bool, machine_has_erratum, (uint32_t erratum), (errata & erratum) != 0);
STUB(uint64_t, cccr_documented, (unsigned counter), UINT32_MAX);
STUB(uint64_t, escr_documented, (const struct pmc_escr *escr), UINT32_MAX);
STUB(unsigned, smp_self, (void), 0);
STUB(uint32_t, escr_self, (bool os, bool usr), (os ? ESCR_T0_OS : 0) | (usr ? ESCR_T0_USR : 0));
STUB(uint32_t, escr_self_all, (void), ESCR_T0_ALL);
STUB(uint32_t, escr_sibling, (bool os, bool usr), (os ? ESCR_T1_OS : 0) | (usr ? ESCR_T1_USR : 0));

/* Nothing here is done by the sibling, at another CPL or by several counters. */
STUB(void, companion_do, (void (*fn)(void *), void *arg, bool alone));
STUB(void, ring_run, (unsigned level, void (*fn)(void *), void *arg));
STUB(void, frame_execute, (const struct frame *frame));
STUB(uint32_t, frame_key, (const struct frame *frame), 0);
STUB(void, frame_exercise, (const struct frame *frame));

void bail_out(const char *fmt, ...)
{
    (void)fmt;
    fail();
    guard_abort();
}

/* ---- A frame counts what the script says, one letter for each run ---- */

static const char *script;
static unsigned counted_on, dirty;

STUB(void, frame_init, (struct frame * frame, unsigned idle), (void)(*frame = (struct frame){0}));
STUB(void, frame_phase, (struct frame * frame, unsigned index, const struct workload *work, uint32_t n),
     (void)(frame->phase[index] = (struct phase){work->entry, n}));
STUB(void, frame_count,
     (struct frame * frame, const struct pmc_programming *x, const struct pmc_programming *first,
      const struct pmc_programming *second),
     (void)(frame->start[1] = (struct msr_write){MSR_CCCR(x->counter), pmc_cccr_enabled(x)}));

void frame_measure(const struct frame *frame)
{
    assert_int_equal(frame->start[1].msr, MSR_CCCR(counted_on));
    assert_true(frame->start[1].value & CCCR_ENABLE);
    assert_int_equal(record.value[MSR_COUNTER(counted_on)], 0);
    dirty += record.value[MSR_COUNTER(17)] != 0;
    record.value[MSR_COUNTER(counted_on)] = (uint64_t)(*script++ - 'A') << 32;
    record.value[MSR_COUNTER(17)] = 5; /* left behind */
}

static bool counts[2]; /* do counters 0 and 1 count at all? */

void work_exercise(const struct workload *work, uint32_t n)
{
    (void)work;
    for (unsigned i = 0; i < 2; i++)
        if (counts[i] && record.value[MSR_CCCR(i)] & CCCR_ENABLE)
            record.value[MSR_COUNTER(i)] = n;
}

BEFORE_EACH(begin)
{
    record_reset();
    forget_log();
    errata = 0;
    machine_cpu = (struct pmc_cpu){.signature = 0xF43, .model = 4, .ht = true, .ioq = true};
    counted_on = 4;
    dirty = 0;
}

/* The count that a way of counting returns, as a letter. Afterwards the setting names this counter alone. */
static char counted(count_fn *count, const char *steps)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CALLS, counted_on), earlier = p;
    uint64_t value;

    earlier.counter = counted_on ^ 1;
    setting_counter(&earlier);
    script = steps;
    value = count(&p, &work_call, 1);
    assert_int_equal(setting_now()->counters, 1u << counted_on);
    return (char)('A' + (value >> 32));
}

/* The least of two counts, and of three. */
TEST(which_count_is_returned)
{
    static const struct {
        count_fn *count;
        const char *steps;
        char returned;
    } rows[] = {
        {count_of, "BA", 'A'},      {count_of, "AB", 'A'},     {count_of, "CBA", 'B'},
        {count_least, "BCD", 'B'},  {count_least, "CBD", 'B'}, {count_least, "CDB", 'B'},
        {count_least, "CDEA", 'C'},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(counted(rows[i].count, rows[i].steps), rows[i].returned);
}

TEST(single_runs_begin_with_a_cleared_pmu)
{
    record.value[MSR_COUNTER(17)] = 5;
    assert_int_equal(counted(count_once, "B"), 'B');
    assert_int_equal(counted(count_least, "BCD"), 'B');
    assert_int_equal(dirty, 0);
}

TEST(idle_writes_go_to_another_block)
{
    for (unsigned a = 0; a < PMC_COUNTERS; a++)
        for (unsigned b = 0; b < PMC_COUNTERS; b++) {
            unsigned idle = idle_counter(a, b);

            assert_true(idle < PMC_COUNTERS);
            assert_int_not_equal(PMC_COUNTER[idle].block, PMC_COUNTER[a].block);
            assert_int_not_equal(PMC_COUNTER[idle].block, PMC_COUNTER[b].block);
        }
}

TEST(all_18_counters_are_items)
{
    assert_int_equal(every_counter.count, 18);
    for (unsigned n = 0; n < 18; n++)
        assert_int_equal(counter_number((const char *)every_counter.first + n * every_counter.size), n);
}

/* ---- What must not count ---- */

static uint32_t tried[8];
static unsigned tries;
static uint32_t counts_with; /* with these flags it counts all the same */

static uint64_t count_nothing(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    (void)work;
    (void)n;
    tried[tries] = p->escr & ESCR_CPL_MASK;
    return tried[tries++] == counts_with ? 1ull << 32 : 0;
}

static const struct vector CHECKED = {.id = "a.check", .title = "a title", .also = "R1"};

struct excluded {
    enum stimulus_id id;
    unsigned counter;
};

static void exclude(void *arg)
{
    const struct excluded *e = arg;

    tries = 0;
    expect_excluded(stimulus_program(e->id, e->counter), STIMULUS[e->id].event, STIMULUS[e->id].name,
                    count_nothing, &work_nop, 1);
}

static enum outcome excluded(enum stimulus_id id, unsigned counter, uint32_t counting)
{
    struct excluded e = {id, counter};

    counts_with = counting;
    expect_begin(&CHECKED, true);
    expect_run(true);
    assert_true(returns_from(exclude, &e));
    return expect_outcome();
}

/* None of the flags, USR alone, both of the other logical processor. */
TEST(flags_that_exclude_what_runs_are_tried)
{
    static const uint32_t flags[] = {0, ESCR_T0_USR, ESCR_T1_OS | ESCR_T1_USR};

    assert_int_equal(excluded(STIMULUS_INSTRUCTIONS, 12, ~0u), OUTCOME_OPEN);
    assert_int_equal(tries, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(tried[i], flags[i]);
        assert_int_equal(excluded(STIMULUS_INSTRUCTIONS, 12, flags[i]), OUTCOME_NOT_OK);
    }
    machine_cpu.ht = false;
    assert_int_equal(excluded(STIMULUS_INSTRUCTIONS, 12, ~0u), OUTCOME_OPEN);
    assert_int_equal(tried[2], 0);
}

/* A thread-independent event asks for the CPL of either, so only no flag at all excludes it. */
TEST(a_thread_independent_event_is_tried_without_flags)
{
    assert_int_equal(excluded(STIMULUS_PACKED_SP, 8, ~0u), OUTCOME_OPEN);
    assert_int_equal(tries, 1);
    assert_int_equal(tried[0], 0);
    assert_int_equal(excluded(STIMULUS_PACKED_SP, 8, 0), OUTCOME_NOT_OK);
}

/* ---- Classes (pmu-rules 8.3) ---- */

static bool is_exact(enum stimulus_id id)
{
    static const enum pmc_event_id exact[] = {EVENT_INSTR_RETIRED, EVENT_INSTR_COMPLETED,
                                              EVENT_BRANCH_RETIRED, EVENT_GLOBAL_POWER_EVENTS};

    for (size_t i = 0; i < COUNT_OF(exact); i++)
        if (STIMULUS[id].event == exact[i])
            return true;
    return false;
}

TEST(exact_events_have_no_tolerance)
{
    for (unsigned id = 0; id < STIMULI; id++) {
        assert_int_equal(is_exact(id), STIMULUS[id].slack == 0);
        if (!is_exact(id))
            continue;
        assert_int_equal(STIMULUS[id].most, 1);
        assert_int_equal(stimulus_least(id, 150), 150);
        assert_int_equal(stimulus_most(id, 150), 150);
        assert_int_equal(stimulus_spread(id, 150), 0);
    }
}

/* The others may count several times for an occurrence. Branches and uops must not lose more than a few; of
 * split accesses and assists nobody has measured more than that they count. */
TEST(near_exact_events_have_bounds)
{
    for (unsigned id = STIMULUS_INSTRUCTIONS; id < STIMULUS_SELF_MODIFYING; id++) {
        if (is_exact(id))
            continue;
        const bool measured = id <= STIMULUS_X87, transfers = id == STIMULUS_MICROCODE;
        assert_int_equal(STIMULUS[id].most, measured ? 2 : transfers ? 16 : 4);
        assert_int_equal(stimulus_least(id, 150), (measured || transfers ? 150 : 75) - 8);
        assert_in_range(stimulus_most(id, 150), 2 * 150, (transfers ? 20 : 5) * 150);
        assert_in_range(stimulus_spread(id, 400), 8, 400 / 4);
        assert_true(stimulus_spread(id, 800) > stimulus_spread(id, 400));
    }
}

TEST(ioq_allocation_is_left_out_where_an_erratum_says_so)
{
    assert_true(stimulus_reaches(STIMULUS_UNCACHED_READS, 0));
    assert_true(stimulus_reaches(STIMULUS_UNCACHED_READS, 2));
    errata = PMC_E10;
    assert_true(stimulus_reaches(STIMULUS_UNCACHED_READS, 0));
    assert_false(stimulus_reaches(STIMULUS_UNCACHED_READS, 2));
    assert_true(stimulus_reaches(STIMULUS_CLOCKS, 2));
    assert_false(stimulus_reaches(STIMULUS_CLOCKS, 4));
    machine_cpu.ioq = false; /* a Xeon 7100 */
    assert_false(stimulus_reaches(STIMULUS_UNCACHED_READS, 0));
}

/* E4: only counter 1, only where the erratum is known, and only when counter 0 counts and it does not. */
TEST(only_counter_1_may_be_dead)
{
    expect_begin(&CHECKED, true);
    expect_run(true);
    counts[0] = true;
    counts[1] = false;
    assert_false(counter_is_dead(1));
    errata = PMC_E4;
    assert_true(counter_is_dead(1));
    assert_false(counter_is_dead(0));
    assert_false(counter_is_dead(3));
    counts[0] = false;
    assert_false(counter_is_dead(1));
    counts[0] = counts[1] = true;
    assert_false(counter_is_dead(1));
}
