/*
 * The screen: the log's last lines, a line at the bottom that says how far the run is, and in the end the
 * verdict in letters that can be read from across the room. A copy of the cells is kept in memory, so that
 * the device is never read, and only cells that change are drawn. Portable C: the host tests compile the same
 * file.
 */
#ifndef KERNEL_CONSOLE_SCREEN_H
#define KERNEL_CONSOLE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cell.h"

/* At most so many cells of a device are used. */
#define SCREEN_COLUMNS_MAX 160u
#define SCREEN_ROWS_MAX    64u

/* Begin at the top of this device, which shows blanks. Null: there is no screen, and all calls do nothing. */
void screen_init(const struct screen_device *device);

/* Text of the log with '\n' as line end; other characters that do not print show as '?', '\r' not at all. */
void screen_write(const char *text, size_t length);

/* The bottom line in that colour; a longer text is cut. */
void screen_bottom(const char *text, enum screen_colour colour);

/* The word in huge letters at the top, the two texts below it (each one line, cut; may be ""), and below
 * these as many of the log's last lines as there is room for. */
void screen_verdict(const char *word, const char *first, const char *second, enum screen_colour colour);

#endif
