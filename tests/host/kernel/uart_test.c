/* kernel/console/uart.c over a 16550 of this test's own, whose registers hold anything at power-up. */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/x86/cpu.h"
#include "kernel/console/console.h"

#define PORT 0x3F8u

enum { DATA, IER, FCR, LCR, MCR, LSR, MSR, SCRATCH };

static struct {
    bool there, floats;
    uint8_t reg[8], latch[2], bus; /* latch: of the divisor, in the place of the first two registers */
    uint8_t received[17];
    unsigned receives, room; /* room: of the receiver's FIFO; 0: enough */
    bool keeps_received;     /* FCR does not clear the receiver's FIFO */
    uint8_t watched;         /* modem lines that must stay up */
    uint32_t sending;        /* reads of LSR until the transmitter is empty */
    bool dead; /* sends nothing, not even to itself, and is never empty once it has a byte for the line */
    char sent[16];
    unsigned length;
} chip;

static void receive(uint8_t byte)
{
    if (chip.room && chip.receives >= chip.room)
        return;
    assert_in_range(chip.receives, 0, sizeof chip.received - 1);
    chip.received[chip.receives++] = byte;
}

static uint8_t take(void)
{
    uint8_t byte = chip.received[0];

    memmove(chip.received, chip.received + 1, sizeof chip.received - 1);
    chip.receives -= chip.receives > 0;
    return byte;
}

static bool is_latch(unsigned n)
{
    return n <= IER && (chip.reg[LCR] & 0x80) != 0;
}

uint8_t in8(uint16_t port)
{
    const unsigned n = port - PORT;

    if (!chip.there)
        return chip.floats ? chip.bus : 0xFF;
    if (is_latch(n))
        return chip.latch[n];
    switch (n) {
    case DATA:
        return take();
    case FCR: /* reads as the interrupt's identification */
        return 0xC1;
    case LSR:
        chip.sending -= chip.sending > 0;
        return (uint8_t)((chip.sending > 0 ? 0 : 0x60) | (chip.receives > 0));
    default:
        return chip.reg[n];
    }
}

static void send(uint8_t byte)
{
    if (chip.reg[MCR] & 0x10) {
        if (!chip.dead)
            receive(byte);
    } else {
        assert_in_range(chip.length, 0, sizeof chip.sent - 1);
        chip.sent[chip.length++] = (char)byte;
        chip.sending = chip.dead ? UINT32_MAX : chip.sending;
    }
}

void out8(uint16_t port, uint8_t value)
{
    const unsigned n = port - PORT;

    chip.bus = value;
    if (!chip.there)
        return;
    if (is_latch(n)) {
        chip.latch[n] = value;
        return;
    }
    if (n == DATA)
        send(value);
    if (n == FCR && value & 2 && !chip.keeps_received)
        chip.receives = 0;
    if (n == MCR && chip.watched)
        assert_int_equal(value & (0x10 | chip.watched), chip.watched);
    if (n == MCR && value & ~chip.reg[MCR] & 0x10 && chip.sending > 0)
        receive(0xF8); /* the rest of the byte that was being sent */
    chip.reg[n] = value;
}

BEFORE_EACH(power_up)
{
    uart_init(0, 115200);
    memset(&chip, 0, sizeof chip);
    chip.there = true;
}

static void assert_programmed(void)
{
    assert_int_equal(chip.reg[IER], 0);
    assert_int_equal(chip.reg[LCR], 0x03);
    assert_int_equal(chip.reg[MCR], 0x03);
    assert_int_equal(chip.reg[FCR], 0x07);
}

TEST(registers_are_put_right_whatever_they_held)
{
    const uint8_t lcr[] = {0x00, 0x80, 0x9B, 0xFF};

    for (unsigned i = 0; i < sizeof lcr; i++) {
        power_up();
        chip.reg[LCR] = lcr[i];
        chip.reg[IER] = 0x0F;
        chip.reg[MCR] = 0x1F;
        chip.latch[0] = chip.latch[1] = 0xFF;
        chip.receives = 3;
        assert_true(uart_init(PORT, 9600));
        assert_programmed();
        assert_int_equal(chip.latch[0], 12);
        assert_int_equal(chip.latch[1], 0);
        uart_write("ab", 2);
        assert_memory_equal(chip.sent, "ab", 2);
        assert_int_equal(chip.length, 2);
    }
}

TEST(a_rate_that_is_not_given_stays)
{
    chip.latch[0] = 65;
    assert_true(uart_init(PORT, 0));
    assert_programmed();
    assert_int_equal(chip.latch[0], 65);
}

/* A UART is not refused for what the boot left in it, nor believed for it. */
TEST(what_came_before_is_waited_for_or_dropped)
{
    static const struct {
        uint32_t sending;
        unsigned received; /* stale bytes, which FCR does not clear */
        bool dead;
    } rows[] = {
        {.sending = 17 * 1042}, /* 17 characters at 9600 baud, with one read of LSR per microsecond */
        {.sending = 200000},    /* after the wait: the rest of that byte comes before the byte in loopback */
        {.received = 16},       /* a full FIFO, of which the byte in loopback is the next */
        {.received = 16, .dead = true},
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        power_up();
        chip.sending = rows[i].sending;
        chip.keeps_received = rows[i].received > 0;
        chip.receives = rows[i].received;
        chip.dead = rows[i].dead;
        assert_int_equal(uart_init(PORT, 115200), !rows[i].dead);
        assert_programmed();
    }
}

/* Software of the boot uses the line: loopback, and 0 in MCR, would hang up. */
TEST(lines_that_are_up_stay_up)
{
    for (uint8_t line = 1; line <= 2; line++) {
        power_up();
        chip.reg[MCR] = line;
        chip.watched = line;
        assert_true(uart_init(PORT, 115200));
        assert_programmed();
        assert_memory_equal(chip.sent, "\r\n", 2);
        chip.reg[MCR] = line;
        chip.dead = true;
        assert_false(uart_init(PORT, 115200));
    }
}

TEST(a_transmitter_that_never_empties_or_an_empty_bus_is_absent)
{
    chip.sending = UINT32_MAX;
    assert_false(uart_init(PORT, 115200));
    assert_false(uart_present());
    chip.there = false;
    assert_false(uart_init(PORT, 115200));
    chip.floats = true; /* a read returns the byte written last */
    assert_false(uart_init(PORT, 115200));
    assert_false(uart_present());
}

/* Then a read returns FFH, also of LSR. */
TEST(a_uart_that_disappears_takes_no_more_bytes)
{
    assert_true(uart_init(PORT, 115200));
    uart_write("a", 1);
    assert_false(uart_timed_out());
    chip.there = false;
    uart_write("b", 1);
    assert_true(uart_timed_out());
}

TEST(a_transmitter_that_stays_busy_is_found)
{
    assert_true(uart_init(PORT, 115200));
    assert_null(uart_wrong());
    chip.sending = UINT32_MAX;
    assert_string_equal(uart_wrong(), "transmitter does not become empty");
}

/* A FIFO has 16 bytes (PC16550D, 8.4). */
TEST(a_fifo_that_loses_bytes_is_found)
{
    for (unsigned room = 14; room <= 16; room++) {
        power_up();
        chip.room = room;
        assert_true(uart_init(PORT, 115200));
        assert_int_equal(uart_wrong() != NULL, room < 16);
    }
}
