/*
 * kernel/run/pmi.c: a PMI goes to the handler of its test, one that comes late (F27) to the drain at the end
 * of that test, and any other is unexpected. The interrupt controller and the clock are replaced.
 */
#include "kernel/board/board.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "tests/host/support/host_test.h"

static bool interrupts, late_as_nmi;
static unsigned late, eois, handled;
static unsigned delays, smi_us; /* an SMI of so long in the first of them */
static unsigned cpu;
static unsigned storm_at_delay; /* in which one interrupt more comes */
static uint64_t now_us;         /* the TSC counts microseconds here */

STUB(unsigned, cpu_index, (void), cpu);

STUB(uint64_t, clocks_in_us, (uint32_t microseconds), microseconds);
STUB(uint64_t, rdtsc, (void), now_us);

bool irq_off(void)
{
    bool were_on = interrupts;

    interrupts = false;
    return were_on;
}

STUB(void, irq_on, (void), (void)(interrupts = true));
STUB(void, irq_restore, (bool on), (void)(interrupts = on));
STUB(void, lapic_eoi, (void), (void)(eois++));
STUB(unsigned, smp_self, (void), 0);
STUB(uint32_t, trap_spurious, (void), 0);

/* PMIs in flight arrive while the kernel waits. */
void io_delay(void)
{
    now_us += delays++ ? 1 : 1 + smi_us;
    if (delays == storm_at_delay)
        assert_false(pmi_storms());
    for (; interrupts && late > 0; late--)
        assert_true(pmi_deliver(NULL, late_as_nmi));
}

static void handle(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    (void)nmi;
    handled++;
}

/* PMIs of a test that has ended are strays. An NMI takes no EOI, and the caller's interrupts stay as they
 * were. */
TEST(a_late_pmi_is_a_stray)
{
    for (unsigned nmi = 0; nmi < 2; nmi++) {
        uint32_t before = pmi_strays();

        interrupts = late_as_nmi = nmi;
        eois = handled = delays = 0;
        pmi_set_handler(handle);
        assert_true(pmi_deliver(NULL, nmi));
        late = 2;
        pmi_drain();
        assert_int_equal(late, 0);
        assert_int_equal(handled, 1);
        assert_int_equal(pmi_strays() - before, 2);
        assert_int_equal(eois, nmi ? 0 : 2);
        assert_true(delays >= 10); /* 10,000 clocks (F7) of 1 GHz */
        assert_int_equal(interrupts, nmi);
    }
}

TEST(the_time_of_an_smi_is_not_waited_for)
{
    delays = 0;
    smi_us = 10 * PMI_DELIVERY_US;
    pmi_drain();
    smi_us = 0;
    assert_true(delays >= 10);
}

TEST(without_a_test_a_pmi_is_unexpected)
{
    uint32_t strays = pmi_strays(), unexpected = unexpected_interrupts().pmi;

    pmi_set_handler(handle);
    pmi_drain();
    assert_false(pmi_deliver(NULL, false));
    assert_int_equal(unexpected_interrupts().pmi - unexpected, 1);
    assert_int_equal(pmi_strays(), strays);
}

/* So many interrupts, each so long after the one before it; returns in how many of them a storm was seen. */
static unsigned storms(unsigned interrupts_taken, unsigned apart_us)
{
    unsigned seen = 0;

    for (unsigned i = 0; i < interrupts_taken; i++) {
        now_us += apart_us;
        seen += pmi_storms();
    }
    return seen;
}

TEST(a_thousand_interrupts_without_a_pause_are_a_storm)
{
    pmi_wait_for_delivery();
    assert_int_equal(storms(999, 0), 0);
    assert_int_equal(storms(1, 0), 1);
    assert_int_equal(storms(999, 0), 0); /* it is counted anew */
    cpu = 1;                             /* each logical processor for itself */
    assert_int_equal(storms(999, 0), 0);
    cpu = 0;
    assert_int_equal(storms(1, 0), 1);
    cpu = 1;
    assert_int_equal(storms(1, 0), 1);
    cpu = 0;
}

/* An SMI after each of them, or stopped clocks. */
TEST(time_between_interrupts_is_no_pause)
{
    pmi_wait_for_delivery();
    assert_int_equal(storms(999, 100 * PMI_STORM_US), 0);
    assert_int_equal(storms(1, 100 * PMI_STORM_US), 1);
}

TEST(a_wait_is_a_pause_if_none_came_meanwhile)
{
    for (cpu = 0; cpu < 2; cpu++) {
        pmi_wait_for_delivery();
        assert_int_equal(storms(999, 0), 0);
        pmi_wait_for_delivery();
        assert_int_equal(storms(998, 0), 0);
        storm_at_delay = delays + 3; /* one, in the middle of the wait */
        pmi_wait_for_delivery();
        assert_int_equal(storms(1, 0), 1);
    }
    cpu = 0;
}
