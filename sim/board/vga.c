/* Reads the text screen of a VGA card out of the board's memory, for what p4sim prints of it. */
#include "vga.h"

#define SCREEN_MEMORY 0xB8000u
#define FULL_BLOCK    0xDB /* a full block of code page 437: the whole cell in the foreground colour */

const uint8_t *screen_bytes(const uint8_t *ram)
{
    return ram + SCREEN_MEMORY;
}

void screen_row(const uint8_t *ram, unsigned row, char text[SCREEN_COLUMNS + 1])
{
    unsigned length = 0;
    for (unsigned column = 0; column < SCREEN_COLUMNS; column++) {
        uint8_t c = ram[SCREEN_MEMORY + 2 * (row * SCREEN_COLUMNS + column)];
        text[column] = c == FULL_BLOCK ? '#' : c >= ' ' && c <= '~' ? (char)c : ' ';
        if (text[column] != ' ')
            length = column + 1;
    }
    text[length] = '\0';
}
