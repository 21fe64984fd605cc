/*
 * A 16550 UART whose transmitter is always ready: what is written goes straight to a sink. Registers, FIFO
 * identification, scratch and loopback as in the PC16550D data sheet; nothing is ever received from outside.
 * On a defective board it begins with a transmitter at work: a byte that is still on its way when loopback is
 * switched on comes back in pieces.
 */
#ifndef SIM_BOARD_UART_H
#define SIM_BOARD_UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_NEVER_STOPS UINT32_MAX
#define UART_PORTS       8 /* I/O addresses it takes */

typedef void uart_sink_fn(void *context, uint8_t byte);

struct uart {
    uart_sink_fn *sink;
    void *context;
    uint8_t ier, fcr, lcr, mcr, scratch, dll, dlm;
    uint8_t received; /* by loopback */
    bool data_ready;
    uint32_t takes;   /* bytes it transmits before it stops for good (defect.h) */
    uint32_t sending; /* reads of the line status until it has sent what it had at power-up */
    bool cut_short;   /* received: the pieces of a byte that loopback interrupted */
};

void uart_init(struct uart *uart, uart_sink_fn *sink, void *context);

/* Access to register 0..7. */
uint8_t uart_read(struct uart *uart, unsigned reg);
void uart_write(struct uart *uart, unsigned reg, uint8_t value);

#endif
