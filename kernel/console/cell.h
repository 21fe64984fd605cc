/* Character cells, and the interface of a device that shows them. */
#ifndef KERNEL_CONSOLE_CELL_H
#define KERNEL_CONSOLE_CELL_H

#include <stdint.h>

/* A cell has 16 bits: [7:0] the character, [15:8] the attribute, as the VGA has it: [11:8] colour of the
 * character, [14:12] colour of the background. */
enum screen_colour {
    SCREEN_NORMAL = 0x07, /* light grey on black */
    SCREEN_GREEN = 0x2F,  /* white on green */
    SCREEN_RED = 0x4F,    /* white on red */
    SCREEN_YELLOW = 0x6F, /* white on brown, the nearest to yellow that a text screen has */
};

#define SCREEN_FULL_BLOCK 0xDB /* a character of code page 437 that fills its cell */

/* A device that shows cells, cleared to blanks in SCREEN_NORMAL. */
struct screen_device {
    unsigned columns, rows;
    void (*draw)(unsigned x, unsigned y, uint16_t cell); /* column x, row y, counted from the upper left */
};

#endif
