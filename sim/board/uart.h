/*
 * A 16550 UART. Its transmitter is always ready: a byte that is written goes to a sink at once. Registers,
 * FIFO identification, scratch and loopback are those of the PC16550D data sheet; no byte is received from
 * outside. A defective board may start it while it is transmitting: a byte that is still being sent when
 * loopback is switched on is received damaged.
 */
#ifndef SIM_BOARD_UART_H
#define SIM_BOARD_UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_NEVER_STOPS UINT32_MAX
#define UART_PORTS       8 /* number of I/O ports */

typedef void uart_sink_fn(void *context, uint8_t byte);

#define UART_FIFO_BYTES 16u

struct uart {
    uart_sink_fn *sink;
    void *context;
    uint8_t ier, fcr, lcr, mcr, scratch, dll, dlm;
    uint8_t received[UART_FIFO_BYTES]; /* what loopback received, the oldest first */
    unsigned receives;
    uint32_t takes; /* at the last of so many bytes it stops for good */
    uint32_t
        sending; /* reads of the line status register until it has sent the bytes that it had at power-up */
    bool cut_short; /* a byte that loopback interrupted comes first */
    bool hangs_up;  /* the other side hangs up for good when DTR falls */
    bool hung_up;   /* the other side has hung up */
};

void uart_init(struct uart *uart, uart_sink_fn *sink, void *context);

/* Access to register 0 to 7. */
uint8_t uart_read(struct uart *uart, unsigned reg);
void uart_write(struct uart *uart, unsigned reg, uint8_t value);

#endif
