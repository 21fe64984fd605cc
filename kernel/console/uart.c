/*
 * 16550 UART. Presence is proved twice: the scratch register must hold two values (an absent device reads
 * FFH, which takes no time to see), and a byte must come back in loopback mode. A UART whose
 * transmitter does not become empty after that counts as absent. A FIFO that does not give back, in loopback,
 * as many bytes as it has room for is not relied on.
 *
 * Loopback makes DTR and RTS fall, and a terminal server may hang up when they do. So it is left out where
 * earlier software raised one of them: then that software found a UART here. But nobody may have seen it
 * send, so an empty line is sent, and must leave.
 *
 * A boot loader or a BIOS may still be sending on the UART and may have left any values in its registers. A
 * byte that is being sent when loopback begins would come back garbled, so uart_init() first waits until the
 * transmitter is idle, and drops bytes that arrive before its own.
 *
 * Registers in memory are bytes, or words of 32 bits. Firmware's tables are wrong about that at times, so the
 * scratch register says which. The clock of such a UART is not known, so the divisor that the firmware chose
 * stays.
 */
#include "console.h"
#include "kernel/x86/cpu.h"

/* Registers, from the first one. With LCR_DLAB the first two are the divisor. */
enum uart_register {
    UART_DATA = 0,
    UART_IER = 1,
    UART_IIR = 2, /* read */
    UART_FCR = 2, /* write */
    UART_LCR = 3,
    UART_MCR = 4,
    UART_LSR = 5,
    UART_SCRATCH = 7,
};

#define IIR_FIFO_MASK 0xC0u /* both set: the FIFO works */
#define FCR_ENABLE    0x01u
#define FCR_CLEAR     0x06u /* receiver and transmitter */
#define LCR_8N1       0x03u
#define LCR_DLAB      0x80u
#define MCR_DTR_RTS   0x03u /* CTS is ignored here, but the other side may use flow control */
#define MCR_OUT2      0x08u
#define MCR_LOOPBACK  0x10u
#define LSR_READY     0x01u
#define LSR_HOLDING   0x20u /* holding register (FIFO) empty */
#define LSR_IDLE      0x40u /* shift register empty too */

#define BASE_BAUD  115200u
#define FIFO_BYTES 16u

/*
 * Bounds are counted in polls of the line status. A character takes 87 microseconds times the divisor. A poll
 * takes about one microsecond on the slowest bus and never less than a tenth, so ten polls per microsecond
 * are enough.
 */
#define POLLS_PER_CHARACTER (87u * 10)

/* The divisor of 9600 baud: the rate assumed for bytes that other software is still sending, and where the
 * rate is left as it was found. */
#define FORMER_DIVISOR 12u

/* Extra polls for a UART that has answered and then pauses: an emulator's pipe or a serial line over LAN
 * holds bytes back for a moment. They take about five seconds on a board and half a second in an emulator,
 * once. */
#define PATIENCE_POLLS 5000000u

static struct {
    uint32_t base; /* 0: none */
    bool words;    /* in memory, of 32 bits each */
    uint32_t divisor;
    bool fifo, fifo_loses; /* it is on; it lost bytes in loopback */
    bool timed_out;        /* a UART that had answered stopped taking bytes */
} uart;

static uint8_t reg_read(enum uart_register reg)
{
    if (uart.base < UART_MEMORY)
        return in8((uint16_t)(uart.base + reg));
    return uart.words ? (uint8_t)((const volatile uint32_t *)(uintptr_t)uart.base)[reg]
                      : ((const volatile uint8_t *)(uintptr_t)uart.base)[reg];
}

static void reg_write(enum uart_register reg, uint8_t value)
{
    if (uart.base < UART_MEMORY)
        out8((uint16_t)(uart.base + reg), value);
    else if (uart.words)
        ((volatile uint32_t *)(uintptr_t)uart.base)[reg] = value;
    else
        ((volatile uint8_t *)(uintptr_t)uart.base)[reg] = value;
}

/* A port behind which there is no UART any more reads FFH; the errors in LSR are gone when it has been read.
 */
static bool has_status(uint8_t status)
{
    const uint8_t lsr = reg_read(UART_LSR);

    return (lsr & status) && lsr != 0xFF;
}

static bool wait_for(uint8_t status, uint32_t divisor, unsigned characters, uint32_t patience)
{
    uint32_t polls = divisor * POLLS_PER_CHARACTER * characters + patience;

    while (!has_status(status))
        if (polls-- == 0)
            return false;
    return true;
}

static bool scratch_holds(uint8_t value)
{
    reg_write(UART_SCRATCH, value);
    return reg_read(UART_SCRATCH) == value;
}

static bool loops_back(uint8_t value)
{
    bool good = false;

    reg_write(UART_MCR, MCR_LOOPBACK | MCR_OUT2);
    reg_write(UART_DATA, value);
    for (unsigned i = 0; i <= FIFO_BYTES && !good && wait_for(LSR_READY, uart.divisor, 2, 0); i++)
        good = reg_read(UART_DATA) == value;
    return good;
}

static bool has_fifo(void)
{
    return (reg_read(UART_IIR) & IIR_FIFO_MASK) == IIR_FIFO_MASK;
}

/* In loopback: what fills the FIFO comes back, in order. */
static bool fifo_holds(void)
{
    for (uint8_t i = 0; i < FIFO_BYTES; i++)
        reg_write(UART_DATA, i);
    for (uint8_t i = 0; i < FIFO_BYTES; i++)
        if (!wait_for(LSR_READY, uart.divisor, 2, 0) || reg_read(UART_DATA) != i)
            return false;
    return true;
}

/* Loopback itself holds the lines down, whatever their bits say (PC16550D, 8.6). */
static bool lines_are_up(void)
{
    const uint8_t mcr = reg_read(UART_MCR);

    return (mcr & MCR_DTR_RTS) != 0 && (mcr & MCR_LOOPBACK) == 0;
}

static void program(uint32_t baud)
{
    reg_write(UART_LCR, LCR_8N1); /* clears DLAB, else the next write would go to the divisor, not IER */
    reg_write(UART_IER, 0);
    reg_write(UART_LCR, LCR_DLAB | LCR_8N1);
    if (baud != 0) {
        reg_write(UART_DATA, uart.divisor & 0xFF);
        reg_write(UART_IER, (uart.divisor >> 8) & 0xFF);
    }
    reg_write(UART_LCR, LCR_8N1);
    reg_write(UART_FCR, FCR_ENABLE | FCR_CLEAR);
}

static bool is_there(void)
{
    return uart.base != 0 && scratch_holds(0x5A) && scratch_holds(0xA5);
}

bool uart_init(uint32_t base, uint32_t baud)
{
    bool up, answers;

    uart_drain(); /* of bytes sent after an earlier call, maybe at another rate */
    uart.base = base;
    uart.words = false;
    if (!is_there()) {
        uart.words = true;
        if (!is_there()) {
            uart.base = 0;
            return false;
        }
    }
    uart.divisor = baud != 0 ? BASE_BAUD / baud : FORMER_DIVISOR;
    wait_for(LSR_IDLE, FORMER_DIVISOR, FIFO_BYTES + 2, 0);
    program(baud);
    up = lines_are_up();
    answers = up || loops_back(0xC3);
    uart.fifo = has_fifo();
    uart.fifo_loses = answers && !up && uart.fifo && !fifo_holds();
    reg_write(UART_MCR, MCR_DTR_RTS);
    if (up) {
        reg_write(UART_DATA, '\r');
        reg_write(UART_DATA, '\n');
    }
    if (!answers || !wait_for(LSR_IDLE, uart.divisor, FIFO_BYTES + 2, up ? PATIENCE_POLLS : 0))
        uart.base = 0;
    return uart.base != 0;
}

bool uart_present(void)
{
    return uart.base != 0;
}

bool uart_timed_out(void)
{
    return uart.timed_out;
}

/* Wait, bounded. After one time-out the UART is given up and there are no more waits. */
static bool ready(uint8_t status)
{
    if (wait_for(status, uart.divisor, FIFO_BYTES + 2, PATIENCE_POLLS))
        return true;
    uart.base = 0;
    uart.timed_out = true;
    return false;
}

const char *uart_wrong(void)
{
    if (!ready(LSR_IDLE))
        return "transmitter does not become empty";
    if (reg_read(UART_LCR) != LCR_8N1)
        return "not 8n1 any more";
    if (has_fifo() != uart.fifo)
        return "FIFO on or off by itself";
    if (uart.fifo_loses)
        return "FIFO loses bytes";
    return (reg_read(UART_MCR) & (MCR_DTR_RTS | MCR_LOOPBACK)) == MCR_DTR_RTS ? NULL : "DTR or RTS is down";
}

void uart_write(const char *bytes, size_t length)
{
    const unsigned room =
        uart.fifo && !uart.fifo_loses ? FIFO_BYTES : 1; /* when the holding register is empty */

    while (uart.base != 0 && length > 0) {
        if (!ready(LSR_HOLDING))
            return;
        for (unsigned i = 0; i < room && length > 0; i++, length--)
            reg_write(UART_DATA, (uint8_t)*bytes++);
    }
}

void uart_drain(void)
{
    if (uart.base != 0)
        ready(LSR_IDLE);
}
