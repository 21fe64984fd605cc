/*
 * The consoles: a 16550 UART (serial.h) and a screen (screen.h), which show the same text. A UART that does
 * not answer the presence probe is left alone and costs no time; no wait is unbounded.
 */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cell.h"
#include "serial.h"

/* Open the serial line that the boot line asks for, and begin on the screen device given, or (null) on the
 * VGA's text screen if the BIOS left it on. May be called again. */
void console_init(const struct serial_request *request, const struct screen_device *device);

/* True when a UART answered. */
bool console_has_uart(void);

/* True when a UART that had answered stopped taking bytes: the log on the serial line is cut short. */
bool console_timed_out(void);

/* Write bytes as they are. A '\n' goes out as CR LF, so that any terminal and any TAP tool can read the log.
 */
void console_write(const char *text, size_t length);

/* Wait, bounded, until the transmitter is empty, so that no transmission overlaps a measured region. */
void console_drain(void);

#endif
