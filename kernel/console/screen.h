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

/* Cells of a device beyond these limits are not used. */
#define SCREEN_COLUMNS_MAX 160u
#define SCREEN_ROWS_MAX    64u

/* Begin at the top of this device, which shows blanks. Null: there is no screen, and all calls do nothing. */
void screen_init(const struct screen_device *device);

/* True if there is a screen. */
bool screen_shown(void);

/* Write text of the log. '\n' ends a line, '\r' is ignored; other non-printing characters show as '?'. */
void screen_write(const char *text, size_t length);

/* Show the text in the bottom line, in this colour; a text longer than the line is cut. */
void screen_bottom(const char *text, enum screen_colour colour);

/*
 * Show the name in the first row, the word in huge letters below, and below these the text, in rows of whole
 * words; a
 * '\n' ends a row, and what does not fit above the bottom line is left out. The rest of the screen shows as
 * many of the log's last lines as fit, or nothing.
 */
void screen_verdict(const char *name, const char *word, const char *text, bool log_below,
                    enum screen_colour colour);

#endif
