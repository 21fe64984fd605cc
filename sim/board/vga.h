/* The text screen of a VGA card: 80x25 characters with attributes in memory at B8000H. */
#ifndef SIM_BOARD_VGA_H
#define SIM_BOARD_VGA_H

#include <stdint.h>

#define SCREEN_ROWS    25u
#define SCREEN_COLUMNS 80u
#define SCREEN_BYTES   (2 * SCREEN_ROWS * SCREEN_COLUMNS)

/* The SCREEN_BYTES of the screen in ram: for each cell the character and its attribute. */
const uint8_t *screen_bytes(const uint8_t *ram);

/*
 * Copy a row (0..24) of the screen in ram to text, without trailing blanks. A full block (DBH) becomes '#',
 * any other character that does not print a blank.
 */
void screen_row(const uint8_t *ram, unsigned row, char text[SCREEN_COLUMNS + 1]);

#endif
