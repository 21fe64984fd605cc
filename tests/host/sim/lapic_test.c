/*
 * p4sim's local APIC: LVTPC (R50, R51), software disable (R53), timer (SDM 10.5.4); priorities are
 * shown by harness.apic.*.
 */
#include "tests/host/support/host_test.h"
#include "pmc/netburst/regs.h"
#include "sim/cpu/lapic.h"

/* Register offsets (SDM Table 10-1). */
#define EOI             0x0B0
#define LDR             0x0D0
#define DFR             0x0E0
#define SVR             0x0F0
#define ICR_LOW         0x300
#define LVT_TIMER_REG   0x320
#define LVTPC           0x340
#define TIMER_INITIAL   0x380
#define TIMER_CURRENT   0x390
#define TIMER_DIVIDE    0x3E0
#define SVR_ENABLE      0x100
#define DIVIDE_BY_1     0xB
#define DIVIDE_BY_2     0x0
#define CLOCKS_PER_TICK 15

static struct lapic lapic;

BEFORE_EACH(set_up)
{
    lapic_reset(&lapic, 1, CLOCKS_PER_TICK);
    lapic_write(&lapic, SVR, SVR_ENABLE | 0xFF, 0);
}

TEST(destinations)
{
    assert_true(lapic_addressed(&lapic, 1, false));
    assert_false(lapic_addressed(&lapic, 2, false));
    assert_true(lapic_addressed(&lapic, 0xFF, false));

    lapic_write(&lapic, LDR, 0x24u << 24, 0);
    assert_true(lapic_addressed(&lapic, 0x04, true)); /* flat model: a common bit */
    assert_false(lapic_addressed(&lapic, 0x41, true));
    lapic_write(&lapic, DFR, 0, 0);
    assert_true(lapic_addressed(&lapic, 0x25, true)); /* cluster model: member 2 of cluster 2 */
    assert_false(lapic_addressed(&lapic, 0x23, true));
    assert_false(lapic_addressed(&lapic, 0x34, true));
    assert_true(lapic_addressed(&lapic, 0xFF, true)); /* all clusters */
    assert_false(lapic_addressed(&lapic, 0xF1, true));
}

TEST(reset_state)
{
    lapic_reset(&lapic, 1, CLOCKS_PER_TICK);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), LVT_MASKED); /* R1 */
    assert_int_equal(lapic_read(&lapic, 0x020, 0), 1u << 24);
    assert_int_equal(lapic_read(&lapic, SVR, 0), 0xFF);
}

TEST(disabled_apic_forces_masks)
{
    lapic_write(&lapic, LVTPC, 0xD0, 0);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), 0xD0);
    lapic_write(&lapic, SVR, 0xFF, 0);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), 0xD0 | LVT_MASKED); /* R53 */
    assert_int_equal(lapic_write(&lapic, LVTPC, 0xD0, 0), LAPIC_NOTHING);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), 0xD0 | LVT_MASKED);
    lapic_fixed(&lapic, 0xD0);
    assert_int_equal(lapic_deliverable(&lapic), -1);
}

TEST(pmi_masks_itself)
{
    assert_int_equal(lapic_write(&lapic, LVTPC, 0xD0, 0), LAPIC_LVTPC_ENABLED);
    lapic_raise(&lapic, LVT_PERFORMANCE);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), 0xD0 | LVT_MASKED); /* R51 */
    assert_int_equal(lapic_deliverable(&lapic), 0xD0);
    lapic_accept(&lapic, 0xD0);
    lapic_write(&lapic, EOI, 0, 0);
    lapic_raise(&lapic, LVT_PERFORMANCE); /* masked: lost */
    assert_int_equal(lapic_deliverable(&lapic), -1);
    lapic_write(&lapic, LVTPC, 0xD0, 0);
    lapic_raise(&lapic, LVT_PERFORMANCE);
    assert_int_equal(lapic_deliverable(&lapic), 0xD0);
}

TEST(pmi_as_nmi)
{
    lapic_write(&lapic, LVTPC, LVT_DELIVERY_NMI | 0xD0, 0);
    lapic_raise(&lapic, LVT_PERFORMANCE);
    assert_true(lapic.nmi_pending); /* the interrupt vector does not matter (R50) */
    assert_int_equal(lapic_deliverable(&lapic), -1);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), LVT_MASKED | LVT_PENDING | LVT_DELIVERY_NMI | 0xD0);
    lapic.nmi_pending = false;
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), LVT_MASKED | LVT_DELIVERY_NMI | 0xD0);
}

TEST(only_defined_lvt_bits_store)
{
    lapic_write(&lapic, LVTPC, 0xFFFFFFFFu, 0);
    assert_int_equal(lapic_read(&lapic, LVTPC, 0), LVT_MASKED | LVT_DELIVERY_MASK | 0xFF);
    lapic_write(&lapic, LVT_TIMER_REG, 0xFFFFFFFFu, 0);
    assert_int_equal(lapic_read(&lapic, LVT_TIMER_REG, 0), LVT_TIMER_PERIODIC | LVT_MASKED | 0xFF);
}

TEST(timer_one_shot)
{
    const uint64_t start = 1000, length = 100 * CLOCKS_PER_TICK;
    lapic_write(&lapic, TIMER_DIVIDE, DIVIDE_BY_1, start);
    lapic_write(&lapic, LVT_TIMER_REG, 0xE0, start);
    lapic_write(&lapic, TIMER_INITIAL, 100, start);
    assert_int_equal(lapic_next_expiry(&lapic), start + length);
    assert_int_equal(lapic_read(&lapic, TIMER_CURRENT, start), 100);
    assert_int_equal(lapic_read(&lapic, TIMER_CURRENT, start + length / 2), 50);
    lapic_run_timer(&lapic, start + length - 1);
    assert_int_equal(lapic_deliverable(&lapic), -1);
    lapic_run_timer(&lapic, start + length);
    assert_int_equal(lapic_deliverable(&lapic), 0xE0);
    assert_int_equal(lapic_read(&lapic, TIMER_CURRENT, start + length), 0);
    assert_true(lapic_next_expiry(&lapic) == LAPIC_NEVER);
}

TEST(timer_periodic_and_divided)
{
    const uint64_t period = 10 * 2 * CLOCKS_PER_TICK;
    lapic_write(&lapic, TIMER_DIVIDE, DIVIDE_BY_2, 0);
    lapic_write(&lapic, LVT_TIMER_REG, LVT_TIMER_PERIODIC | 0xE0, 0);
    lapic_write(&lapic, TIMER_INITIAL, 10, 0);
    assert_int_equal(lapic_next_expiry(&lapic), period);
    lapic_run_timer(&lapic, period + 7);
    assert_int_equal(lapic_next_expiry(&lapic), 2 * period); /* late service does not shift the period */
    lapic_run_timer(&lapic, 5 * period + 7);
    assert_int_equal(lapic_next_expiry(&lapic), 6 * period);
    lapic_write(&lapic, TIMER_INITIAL, 0, 5 * period + 8);
    assert_true(lapic_next_expiry(&lapic) == LAPIC_NEVER);
}

/* SDM 10.5.4: the divisor is that of the bus clock, by which the count goes down; what is left takes longer.
 */
TEST(a_timer_is_divided_while_it_counts)
{
    const uint64_t half = 50 * CLOCKS_PER_TICK;

    lapic_write(&lapic, TIMER_DIVIDE, DIVIDE_BY_1, 0);
    lapic_write(&lapic, LVT_TIMER_REG, 0xE0, 0);
    lapic_write(&lapic, TIMER_INITIAL, 100, 0);
    lapic_write(&lapic, TIMER_DIVIDE, DIVIDE_BY_2, half);
    assert_int_equal(lapic_read(&lapic, TIMER_CURRENT, half), 50);
    assert_int_equal(lapic_next_expiry(&lapic), half + 2 * half);
    lapic_run_timer(&lapic, 3 * half);
    lapic_write(&lapic, TIMER_DIVIDE, DIVIDE_BY_1, 4 * half);
    assert_true(lapic_next_expiry(&lapic) == LAPIC_NEVER);
}

TEST(masked_timer_wakes_nobody)
{
    lapic_write(&lapic, TIMER_INITIAL, 10, 0);
    assert_true(lapic_next_expiry(&lapic) == LAPIC_NEVER);
    lapic_run_timer(&lapic, 1000000);
    assert_int_equal(lapic_deliverable(&lapic), -1);
}

TEST(illegal_vectors)
{
    lapic_write(&lapic, LVTPC, 15, 0); /* fixed delivery, vectors 0..15 are illegal (SDM 10.5.2) */
    lapic_raise(&lapic, LVT_PERFORMANCE);
    assert_int_equal(lapic_deliverable(&lapic), -1);
    lapic_write(&lapic, 0x280, 0, 0);
    assert_int_equal(lapic_read(&lapic, 0x280, 0), 1u << 6);
    assert_int_equal(lapic_write(&lapic, ICR_LOW, 15, 0), LAPIC_NOTHING);
    assert_int_equal(lapic_write(&lapic, ICR_LOW, 16, 0), LAPIC_SEND_IPI);
}

/* SDM 10.9: a spurious interrupt sets no ISR bit, so the one after it is not held back. */
TEST(spurious_interrupt_is_never_in_service)
{
    lapic.spurious_vector = 0xFF;
    lapic_fixed(&lapic, 0xD0);
    assert_int_equal(lapic_deliverable(&lapic), 0xD0);
    lapic_accept(&lapic, 0xD0);
    assert_int_equal(lapic_deliverable(&lapic), -1); /* what was requested took its place */
    lapic.spurious_vector = 0xFF;
    assert_int_equal(lapic_deliverable(&lapic), 0xFF);
    lapic_accept(&lapic, 0xFF);
    assert_int_equal(lapic_read(&lapic, 0x170, 0), 0);
    lapic_fixed(&lapic, 0xE0);
    assert_int_equal(lapic_deliverable(&lapic), 0xE0);
}
