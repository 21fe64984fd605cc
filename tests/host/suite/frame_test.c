/*
 * tests/suite/frame.c: a frame is measured once warm, with interrupts off, and not with more work than there
 * is; fixed work that takes longer than before is a witness. A run of the image shows what it programs.
 * frame.asm is replaced.
 */
#include "one_run.h"
#include "tests/host/support/msr_record.h"
#include "tests/suite/expect.h"
#include "tests/suite/frame.h"
#include "tests/suite/witness.h"

STUB(static void, nothing, (void));

STUB(static void, something, (void));

const struct workload work_nothing = {.entry = nothing, .max_n = 9};
static const struct workload WORK = {.entry = something, .max_n = 100};

/* The linker's table of sleds, which is empty here. */
__asm__(".globl sleds_begin, sleds_end\nsleds_begin:\nsleds_end:");

STUB(void, pmc_dump, (const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context));

static struct frame ran[4];
static unsigned runs, cpu;
static bool paged;

static unsigned clocks; /* that one takes */

STUB(void, frame_execute, (const struct frame *frame), (void)(ran[runs++ % 4] = *frame, tsc += clocks));
STUB(void, frame_exercise, (const struct frame *frame));
STUB(unsigned, cpu_index, (void), cpu);
STUB(bool, paging_is_on, (void), paged);

static const struct pmc_programming X = {
    .counter = 12, .escr_msr = MSR_CRU_ESCR0, .escr = 5, .cccr = 0x39000};
static const struct pmc_programming Y = {
    .counter = 14, .escr_msr = MSR_CRU_ESCR1, .escr = 6, .cccr = 0x39000};

BEFORE_EACH(begin)
{
    runs = cpu = clocks = 0;
    paged = false;
}

TEST(it_runs_once_for_the_caches_and_once_in_earnest)
{
    const struct msr_write idle = {MSR_CCCR(4), 0};
    struct frame frame;

    frame_init(&frame, 4);
    frame_phase(&frame, 1, &WORK, 7);
    frame_count(&frame, &X, &Y, &X);
    frame_measure(&frame);
    assert_int_equal(runs, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_memory_equal(&ran[0].start[i], &idle, sizeof idle);
        assert_memory_equal(&ran[0].stop[i], &idle, sizeof idle);
    }
    assert_int_equal(ran[0].phase[1].n, 7);
    assert_memory_equal(&ran[1], &frame, sizeof frame);
}

/* What its length depends on: the work of each phase, and the processor. */
TEST(frames_of_the_same_work_have_one_key)
{
    struct frame frame, other;

    frame_init(&frame, 4);
    frame_phase(&frame, 1, &WORK, 7);
    frame_init(&other, 5);
    frame_phase(&other, 1, &WORK, 7);
    frame_count(&other, &X, &Y, &X);
    assert_int_equal(frame_key(&frame), frame_key(&other));
    frame_phase(&other, 1, &WORK, 8);
    assert_int_not_equal(frame_key(&frame), frame_key(&other));
    frame_phase(&other, 1, &work_nothing, 7);
    assert_int_not_equal(frame_key(&frame), frame_key(&other));
    frame_phase(&other, 1, &work_nothing, 0);
    frame_phase(&other, 2, &WORK, 7);
    assert_int_not_equal(frame_key(&frame), frame_key(&other));
    frame_phase(&other, 1, &WORK, 7);
    frame_phase(&other, 2, &work_nothing, 7);
    assert_int_not_equal(frame_key(&frame), frame_key(&other));
    frame_phase(&other, 2, &work_nothing, 0);
    assert_int_equal(frame_key(&frame), frame_key(&other));
    const uint32_t on_first = frame_key(&frame);
    cpu = 1;
    assert_int_not_equal(frame_key(&frame), on_first);
    cpu = 0;
    paged = true; /* then there are uncached accesses */
    const uint32_t uncounted = frame_key(&frame);
    assert_int_not_equal(uncounted, on_first);
    frame.start[1] = (struct msr_write){MSR_CCCR(12), CCCR_ENABLE};
    assert_int_not_equal(frame_key(&frame), uncounted);
}

TEST(a_frame_that_takes_longer_is_a_witness)
{
    struct frame frame;

    frame_init(&frame, 4);
    frame_phase(&frame, 0, &WORK, 9);
    witness_begin();
    for (unsigned i = 0; i < 2; i++)
        frame_run(&frame);
    clocks = 10000;
    frame_execute(&frame); /* alone it has none */
    assert_int_equal(witness_seen(), 0);
    frame_run(&frame);
    assert_int_equal(witness_seen(), WITNESS_TIME);
}

static const struct vector CHECKED = {.id = "a.check", .title = "a title", .also = "R1"};

static void too_much_work(void *n)
{
    struct frame frame;

    frame_init(&frame, 4);
    frame_phase(&frame, 0, &WORK, *(uint32_t *)n);
}

TEST(more_work_than_there_is_fails_the_vector)
{
    uint32_t n = 100;

    expect_begin(&CHECKED, true);
    expect_run(true);
    assert_true(returns_from(too_much_work, &n));
    n = 101;
    assert_false(returns_from(too_much_work, &n));
    assert_int_equal(expect_outcome(), OUTCOME_NOT_OK);
}
