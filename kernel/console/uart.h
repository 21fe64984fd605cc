/* A 16550 UART (or its ancestors without FIFO), polled, without flow control. */
#ifndef KERNEL_CONSOLE_UART_H
#define KERNEL_CONSOLE_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Probe the UART at I/O address port (0: none) and program it to baud 8n1 (baud divides 115200, 2 or more).
 * False when none answers; then the other calls do nothing. */
bool uart_init(uint16_t port, uint32_t baud);

/* True when a UART answered and has not timed out since. */
bool uart_present(void);

/* True when a UART that had answered stopped taking bytes: the output is cut short. */
bool uart_timed_out(void);

/* Send bytes. A transmitter that stays busy far longer than the characters in it take is given up for good,
 * so that a dead UART delays the run once. */
void uart_write(const char *bytes, size_t length);

/* Wait, with the same bound, until the last bit is out. */
void uart_drain(void);

#endif
