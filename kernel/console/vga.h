/* The 80x25 colour text screen as a back end of the screen (kernel/console/screen.c). Nothing is ever read
 * from it.
 */
#ifndef KERNEL_CONSOLE_VGA_H
#define KERNEL_CONSOLE_VGA_H

#include <stdbool.h>
#include <stdint.h>

#define VGA_COLUMNS 80u
#define VGA_ROWS    25u

/* Does the BIOS data area say that a VGA shows 80-column colour text? UEFI leaves nothing of the kind there.
 */
bool vga_shows_text(void);
/* Show memory from B8000H on, hide the cursor, and clear the screen. */
void vga_init(void);
/* Put a cell (screen.h) at column x and row y. */
void vga_draw(unsigned x, unsigned y, uint16_t cell);

#endif
