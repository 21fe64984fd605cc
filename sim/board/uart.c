/*
 * The registers of the 16550.
 */
#include "uart.h"

#include <string.h>

enum { REG_DATA, REG_IER, REG_IIR_FCR, REG_LCR, REG_MCR, REG_LSR, REG_MSR, REG_SCRATCH };

#define LCR_DLAB        0x80u
#define MCR_DTR         0x01u
#define MCR_LOOP        0x10u
#define MCR_BITS        0x1Fu
#define IER_BITS        0x0Fu
#define FCR_ENABLE      0x01u
#define FCR_CLEAR_RX    0x02u
#define IIR_NONE        0x01u
#define IIR_FIFO        0xC0u
#define LSR_DATA_READY  0x01u
#define LSR_IDLE        0x60u /* holding register and shift register empty */
#define CUT_SHORT       0xFEu /* received for a byte that was being sent when loopback began */
#define MSR_CTS_DSR_DCD 0xB0u

void uart_init(struct uart *uart, uart_sink_fn *sink, void *context)
{
    memset(uart, 0, sizeof *uart);
    uart->sink = sink;
    uart->context = context;
    uart->takes = UART_NEVER_STOPS;
}

/* In loopback the four modem outputs are wired to the inputs: RTS to CTS, DTR to DSR, OUT1 to RI, OUT2 to
 * DCD. */
static uint8_t modem_status(const struct uart *uart)
{
    if (!(uart->mcr & MCR_LOOP))
        return MSR_CTS_DSR_DCD;
    return (uint8_t)((uart->mcr & 2) << 3 | (uart->mcr & 1) << 5 | (uart->mcr & 4) << 4 |
                     (uart->mcr & 8) << 4);
}

static uint8_t take_received(struct uart *uart)
{
    const uint8_t first = uart->received[0];
    memmove(uart->received, uart->received + 1, sizeof uart->received - 1);
    uart->receives -= uart->receives > 0;
    return first;
}

uint8_t uart_read(struct uart *uart, unsigned reg)
{
    switch (reg) {
    case REG_DATA:
        if (uart->lcr & LCR_DLAB)
            return uart->dll;
        if (uart->cut_short) {
            uart->cut_short = false;
            return CUT_SHORT;
        }
        return take_received(uart);
    case REG_IER:
        return uart->lcr & LCR_DLAB ? uart->dlm : uart->ier;
    case REG_IIR_FCR:
        return IIR_NONE | (uart->fcr & FCR_ENABLE ? IIR_FIFO : 0);
    case REG_LCR:
        return uart->lcr;
    case REG_MCR:
        return uart->mcr;
    case REG_LSR:
        uart->sending -= uart->sending > 0;
        return (uart->takes > 0 && uart->sending == 0 ? LSR_IDLE : 0) |
               (uart->receives > 0 || uart->cut_short ? LSR_DATA_READY : 0);
    case REG_MSR:
        return modem_status(uart);
    default:
        return uart->scratch;
    }
}

static void transmit(struct uart *uart, uint8_t value)
{
    if (uart->mcr & MCR_LOOP) {
        if (uart->receives < (uart->fcr & FCR_ENABLE ? UART_FIFO_BYTES : 1))
            uart->received[uart->receives++] = value;
    } else if (uart->takes > 0) {
        uart->takes -= uart->takes != UART_NEVER_STOPS;
        if (uart->takes > 0 && !uart->hung_up)
            uart->sink(uart->context, value);
    }
}

/* Loopback forces the modem outputs inactive, whatever their bits say. */
static bool terminal_ready(uint8_t mcr)
{
    return (mcr & (MCR_DTR | MCR_LOOP)) == MCR_DTR;
}

void uart_write(struct uart *uart, unsigned reg, uint8_t value)
{
    switch (reg) {
    case REG_DATA:
        if (uart->lcr & LCR_DLAB)
            uart->dll = value;
        else
            transmit(uart, value);
        break;
    case REG_IER:
        if (uart->lcr & LCR_DLAB)
            uart->dlm = value;
        else
            uart->ier = value & IER_BITS;
        break;
    case REG_IIR_FCR:
        uart->fcr = value;
        if (value & FCR_CLEAR_RX)
            uart->receives = uart->cut_short = 0;
        break;
    case REG_LCR:
        uart->lcr = value;
        break;
    case REG_MCR:
        if (uart->sending > 0 && (value & ~uart->mcr & MCR_LOOP))
            uart->cut_short = true;
        if (uart->hangs_up && terminal_ready(uart->mcr) && !terminal_ready(value))
            uart->hung_up = true;
        uart->mcr = value & MCR_BITS;
        break;
    case REG_SCRATCH:
        uart->scratch = value;
        break;
    default:
        break;
    }
}
