/*
 * The screen: the log's last lines, a line at the bottom that tells how far the run is, and in the end the
 * verdict in letters that can be read from across the room. Either the VGA's 80x25 text
 * (kernel/console/vga.h) or a linear framebuffer (kernel/console/framebuffer.h), or none. What stands there
 * is kept in memory, so that neither is ever read, and only cells that change are written. Portable C: the
 * host tests compile the same file.
 */
#ifndef KERNEL_CONSOLE_SCREEN_H
#define KERNEL_CONSOLE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framebuffer.h"

/* At most so many cells are used of a framebuffer. */
#define SCREEN_COLUMNS_MAX 160u
#define SCREEN_ROWS_MAX    64u

/* Attributes as the VGA has them: [3:0] colour of the character, [6:4] colour behind it. */
enum screen_colour {
    SCREEN_NORMAL = 0x07, /* light grey on black */
    SCREEN_GREEN = 0x2F,  /* white on green */
    SCREEN_RED = 0x4F,    /* white on red */
    SCREEN_YELLOW = 0x6F, /* white on brown, the nearest that a text screen has */
};

/* A cell: [7:0] character, [15:8] attribute. */
#define SCREEN_BLOCK 0xDB /* a character of code page 437 that fills its cell */

/* Clear the screen and begin at its top: the framebuffer (must be usable), else with text the VGA's, else
 * none, and all calls do nothing. */
void screen_init(const struct framebuffer *framebuffer, bool text);

/* Text of the log with '\n' as line end; other characters that do not print show as '?', '\r' not at all. */
void screen_write(const char *text, size_t length);

/* The bottom line in that colour; a longer text is cut. */
void screen_bottom(const char *text, enum screen_colour colour);

/* The word in huge letters at the top, the two texts below it (each one line, cut; may be ""), and below
 * these as many of the log's last lines as there is room for. */
void screen_verdict(const char *word, const char *first, const char *second, enum screen_colour colour);

#endif
