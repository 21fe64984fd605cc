/* The font: printable ASCII, made at build time by tools/font (for its source see docs/licences.md). */
#ifndef KERNEL_CONSOLE_FONT_H
#define KERNEL_CONSOLE_FONT_H

#include <stdint.h>

#define FONT_FIRST  ' '
#define FONT_GLYPHS 95u /* ' ' to '~' */
#define FONT_WIDTH  8u  /* pixels; the leftmost is the highest bit of a row */
#define FONT_ROWS   13u

extern const uint8_t FONT[FONT_GLYPHS][FONT_ROWS];

#endif
