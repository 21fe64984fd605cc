/*
 * kernel/board/clock.c over a PIT of this test's own: the rates of TSC and local APIC timer, also when SMIs
 * lengthen some of the rounds, and when the PIT does not do what it should.
 */
#include <string.h>
#include "kernel/board/board.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "tests/host/support/host_test.h"

#define TSC_KHZ    2800000u
#define BUS_KHZ    133333u
#define PIT_HZ     1193182u
#define ACCESS_TSC (TSC_KHZ / 1000) /* a port takes a microsecond */
#define SMI_TSC    (2 * TSC_KHZ)    /* 2 ms */
#define OUTPUT_2   0x20u
#define TOLERANCE  1000 /* the rates come out this near, one in so many */

enum smi { BEFORE_START, AFTER_START, AT_END };

static struct {
    uint64_t tsc, started, timer_started;
    uint32_t ticks; /* that the PIT counts down */
    unsigned bytes; /* of its count that were written */
    bool stuck_high, stuck_low;
    unsigned rounds, smis;
    enum smi when; /* in the first `smis` rounds */
} board;

static bool elapsed(void)
{
    return (board.tsc - board.started) * PIT_HZ / 1000 >= (uint64_t)board.ticks * TSC_KHZ;
}

STUB(uint64_t, rdtsc, (void), board.tsc += 80);

static bool smi_now(enum smi when)
{
    return board.when == when && board.rounds <= board.smis;
}

uint8_t in8(uint16_t port)
{
    bool was_low = !elapsed();

    assert_int_equal(port, 0x61);
    board.tsc += ACCESS_TSC;
    if (board.bytes == 2 && was_low && elapsed() && smi_now(AT_END))
        board.tsc += SMI_TSC;
    return (board.bytes == 2 && elapsed() && !board.stuck_low) || board.stuck_high ? OUTPUT_2 : 0;
}

void out8(uint16_t port, uint8_t value)
{
    board.tsc += ACCESS_TSC;
    if (port == 0x43) {
        board.bytes = board.ticks = 0;
        board.rounds++;
    }
    if (port != 0x42)
        return;
    board.ticks |= (uint32_t)value << 8 * board.bytes++;
    if (board.bytes == 2 && smi_now(BEFORE_START))
        board.tsc += SMI_TSC;
    board.started = board.tsc;
    if (board.bytes == 2 && smi_now(AFTER_START))
        board.tsc += SMI_TSC;
}

STUB(bool, irq_off, (void), true);
STUB(void, irq_restore, (bool on), assert_true(on));

STUB(bool, lapic_present, (void), true);

void lapic_write(uint32_t reg, uint32_t value)
{
    assert_int_equal(reg, LAPIC_TIMER_INITIAL);
    if (value != 0)
        board.timer_started = board.tsc;
}

uint32_t lapic_read(uint32_t reg)
{
    assert_int_equal(reg, LAPIC_TIMER_CURRENT);
    return UINT32_MAX -
           (uint32_t)((board.tsc - board.timer_started) * BUS_KHZ / LAPIC_TIMER_DIVIDER / TSC_KHZ);
}

STUB(void, lapic_timer_set, (uint32_t count, uint8_t interrupt));

BEFORE_EACH(power_up)
{
    memset(&board, 0, sizeof board);
    board.tsc = 1000;
}

static void assert_rates(void)
{
    clock_init();
    assert_true(clock_trusted());
    assert_in_range(clock_tsc_khz(), TSC_KHZ, TSC_KHZ + TSC_KHZ / TOLERANCE);
    assert_in_range(clock_apic_khz(), BUS_KHZ - BUS_KHZ / TOLERANCE, BUS_KHZ + BUS_KHZ / TOLERANCE);
}

TEST(the_rates_are_measured)
{
    assert_rates();
}

/* An SMI comes just before or after the PIT starts, or over the end of the round. */
TEST(rounds_with_an_smi_do_not_matter)
{
    const enum smi when[] = {BEFORE_START, AFTER_START, AT_END};

    for (unsigned i = 0; i < COUNT_OF(when); i++)
        for (unsigned smis = 1; smis <= 2; smis++) {
            power_up();
            board.smis = smis;
            board.when = when[i];
            assert_rates();
        }
}

/* The rates that are assumed then make waits longer. */
TEST(a_pit_that_does_not_count_is_not_believed)
{
    for (unsigned high = 0; high < 2; high++) {
        power_up();
        board.stuck_high = high;
        board.stuck_low = !high;
        clock_init();
        assert_false(clock_trusted());
    }
}
