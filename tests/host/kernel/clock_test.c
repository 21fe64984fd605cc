/*
 * kernel/board/clock.c over a PIT of this test's own: the rates of TSC and local APIC timer, also when SMIs
 * lengthen some of the rounds, on an emulator with a rate of its own, and when the PIT does not do what it
 * should.
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
#define SMI_MS     2
#define OUTPUT_2   0x20u
#define TOLERANCE  1000 /* the rates come out this near, one in so many */

enum smi { BEFORE_START, AFTER_START, AT_END };

static struct {
    uint64_t tsc, started, timer_started;
    uint32_t khz, access, rdtsc; /* of the TSC, and what a port and RDTSC take of it */
    uint32_t ticks;              /* that the PIT counts down */
    unsigned bytes;              /* of its count that were written */
    uint16_t latch;
    unsigned latch_read; /* bytes of it */
    bool stuck_high, stuck_low, stopped;
    unsigned rounds, smis, smi_ms;
    enum smi when; /* in the first `smis` rounds */
} board;

static uint64_t ticks(void)
{
    return board.stopped ? 0 : (board.tsc - board.started) * PIT_HZ / 1000 / board.khz;
}

static bool elapsed(void)
{
    return ticks() >= board.ticks;
}

STUB(uint64_t, rdtsc, (void), board.tsc += board.rdtsc);

static void smi(void)
{
    board.tsc += (uint64_t)board.smi_ms * board.khz;
}

static bool smi_now(enum smi when)
{
    return board.when == when && board.rounds <= board.smis;
}

uint8_t in8(uint16_t port)
{
    bool was_low = !elapsed();

    board.tsc += board.access;
    if (port == 0x42) /* low byte, then high byte; only what was latched can be read so */
        return (uint8_t)(board.latch >> 8 * board.latch_read++);
    assert_int_equal(port, 0x61);
    if (board.bytes == 2 && was_low && elapsed() && smi_now(AT_END))
        smi();
    return (board.bytes == 2 && elapsed() && !board.stuck_low) || board.stuck_high ? OUTPUT_2 : 0;
}

void out8(uint16_t port, uint8_t value)
{
    board.tsc += board.access;
    if (port == 0x43 && value == 0x80) {
        board.latch = (uint16_t)(board.ticks - ticks());
        board.latch_read = 0;
    } else if (port == 0x43) {
        board.bytes = board.ticks = 0;
        board.rounds++;
    }
    if (port != 0x42)
        return;
    board.ticks |= (uint32_t)value << 8 * board.bytes++;
    if (board.bytes == 2 && smi_now(BEFORE_START))
        smi();
    board.started = board.tsc;
    if (board.bytes == 2 && smi_now(AFTER_START))
        smi();
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
           (uint32_t)((board.tsc - board.timer_started) * BUS_KHZ / LAPIC_TIMER_DIVIDER / board.khz);
}

STUB(void, lapic_timer_set, (uint32_t count, uint8_t interrupt));

BEFORE_EACH(power_up)
{
    memset(&board, 0, sizeof board);
    board.tsc = 1000;
    board.khz = TSC_KHZ;
    board.access = ACCESS_TSC;
    board.rdtsc = 80;
    board.smi_ms = SMI_MS;
}

static void assert_rates(void)
{
    clock_init();
    assert_null(clock_assumed());
    assert_in_range(clock_tsc_khz(), board.khz, board.khz + board.khz / TOLERANCE);
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

/* One that takes longer than the round: the next one counts. */
TEST(a_round_that_was_over_before_it_was_looked_at)
{
    board.smis = 1;
    board.smi_ms = 20;
    board.when = AFTER_START;
    assert_rates();
}

/* Emulators: a TSC of 4 MHz, and one of 200 MHz with ports so fast that a round is a million polls. No
 * NetBurst part was slower than 1.2 GHz. */
TEST(any_rate_is_measured)
{
    static const struct {
        uint32_t khz, access;
        bool foreign;
    } rows[] = {{4000, 1, true},
                {200000, 2, true},
                {1300000, 1300, false},
                {3800000, 3800, false},
                {12000000, 9000, true}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        power_up();
        board.khz = rows[i].khz;
        board.access = rows[i].access;
        board.rdtsc = 1;
        assert_rates();
        assert_int_equal(clock_is_foreign(), rows[i].foreign);
    }
}

/* The reason is the true one; the rates that are assumed then make waits longer. */
TEST(a_pit_that_does_not_do_its_work_is_not_believed)
{
    static const struct {
        bool high, low, stopped;
        uint32_t khz;
        const char *why;
    } rows[] = {
        {true, false, false, TSC_KHZ, "the output of the PIT was high before it was looked at"},
        {false, true, false, TSC_KHZ, "the output of the PIT does not rise"},
        {false, false, true, TSC_KHZ, "the PIT does not tick"},
        {false, false, false, 900, "by the PIT the TSC has less than 1 MHz"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        power_up();
        board.stuck_high = rows[i].high;
        board.stuck_low = rows[i].low;
        board.stopped = rows[i].stopped;
        if (rows[i].khz != TSC_KHZ)
            board.access = board.rdtsc = 1;
        board.khz = rows[i].khz;
        clock_init();
        assert_string_equal(clock_assumed(), rows[i].why);
        assert_false(clock_is_foreign());
    }
}
