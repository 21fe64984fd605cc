/*
 * tests/suite/companion.c: a halt of this logical processor that ends before the companion has done its work
 * is a witness, unless a PMI has ended it. The companion executes while this logical processor halts.
 */
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "one_run.h"
#include "tests/host/support/msr_record.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

static const struct topology topology;

/* What the companion was given, whether it executes, and where it halts. */
static void (*attends)(void *);
static bool executes;
static jmp_buf has_halted;

/* So many halts of this logical processor end before the companion has done its work; so many by a PMI. */
static unsigned ends_early, ended_by_pmi;

static bool begins(void (*fn)(void *))
{
    attends = fn;
    return true;
}

STUB(const struct topology *, smp_topology, (void), &topology);
STUB(bool, smp_start, (void (*fn)(void *), void *arg), begins(fn));
STUB(enum ap_state, smp_state, (void), AP_WORKING);
STUB(bool, smp_wait, (uint32_t microseconds), true);
STUB(bool, smp_park, (void), true);
STUB(bool, smp_restart, (void), true);
STUB(uint32_t, smp_lvtpc_at_start, (void), LVT_MASKED);
STUB(unsigned, smp_self, (void), 0);
STUB(void, lapic_send_fixed, (uint32_t apic_id, uint8_t interrupt));
STUB(void, pmi_set_handler, (pmi_handler * handler));
STUB(void, pmi_drain, (void));
STUB(uint32_t, lvtpc_read, (void), LVT_MASKED);
STUB(void, lvtpc_write, (uint32_t value));
STUB(void, lapic_eoi, (void));
STUB(bool, lapic_present, (void), true);
STUB(bool, machine_has_erratum, (uint32_t erratum), false);
STUB(void, irq_on, (void));
STUB(void, cpu_relax, (void));
STUB(void, delay_us, (uint32_t microseconds));
STUB(struct timeout, timeout_in_us, (uint32_t microseconds), (struct timeout){0});
STUB(bool, timeout_passed, (const struct timeout *timeout), false);
STUB(void, ring_run, (unsigned ring, void (*fn)(void *), void *arg));
STUB(void, work_spin, (struct spin * spin));
STUB(void, work_exercise, (const struct workload *work, uint32_t n));

void cpu_halt_until_interrupt(void)
{
    if (executes)
        longjmp(has_halted, 1);
    if (ends_early > 0) {
        ends_early--;
        if (ended_by_pmi > 0) {
            ended_by_pmi--;
            pmis_taken++;
        }
        return;
    }
    executes = true;
    if (setjmp(has_halted) == 0)
        attends(NULL);
    executes = false;
}

static void work(void *done)
{
    *(bool *)done = true;
}

/* What is seen when the companion does some work while so many halts end early, so many by a PMI. */
static unsigned seen(unsigned early, unsigned by_pmi)
{
    bool done = false;

    ends_early = early;
    ended_by_pmi = by_pmi;
    witness_begin();
    companion_do(work, &done, true);
    assert_true(done);
    return witness_seen();
}

TEST(a_halt_that_ends_early_is_a_witness)
{
    static const struct vector row = {.id = "a.b", .title = "a title", .also = "R1"};

    expect_begin(&row, true);
    expect_run(true);
    companion_begin();
    assert_int_equal(seen(0, 0), 0);
    assert_int_equal(seen(1, 1), 0);
    assert_int_equal(seen(1, 0), WITNESS_TIME);
    assert_int_equal(seen(2, 1), WITNESS_TIME);
    companion_end();
}
