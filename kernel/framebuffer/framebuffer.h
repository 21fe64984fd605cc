/*
 * A linear framebuffer as a screen device: character cells of 8 x 16 pixels. Nothing is ever read from its
 * memory, which is slow. Portable C: the host tests compile the same file.
 */
#ifndef KERNEL_FRAMEBUFFER_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_FRAMEBUFFER_H

#include "description.h"
#include "kernel/console/cell.h"

#define FRAMEBUFFER_CELL_WIDTH  8u
#define FRAMEBUFFER_CELL_HEIGHT 16u

/* Clear the framebuffer that the loader left on, and return it as a screen device; null when there is no
 * usable one. Call it after multiboot_read(). */
const struct screen_device *framebuffer_open(void);

/* Second half of framebuffer_open(), for tests: use this (usable) framebuffer and make it black. */
void framebuffer_init(const struct framebuffer *framebuffer);

/*
 * Draw a cell at column x and row y, which must lie within the framebuffer's size in cells. A
 * character that is neither printable ASCII nor SCREEN_FULL_BLOCK shows as a blank.
 */
void framebuffer_draw(unsigned x, unsigned y, uint16_t cell);

#endif
