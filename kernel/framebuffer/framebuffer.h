/* The screen of a board that boots in graphics mode, as UEFI always does. The host tests compile the same
 * files. */
#ifndef KERNEL_FRAMEBUFFER_FRAMEBUFFER_H
#define KERNEL_FRAMEBUFFER_FRAMEBUFFER_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/console/console.h"

/* ---- description.c: the loader's description of the framebuffer that it left on ---- */

/* Sources: Multiboot specification 3.3 (framebuffer_*), Multiboot2 specification 3.6.12. */

struct framebuffer_field {
    uint8_t position; /* of its lowest bit in a pixel */
    uint8_t size;     /* in bits */
};

struct framebuffer {
    uint64_t address;       /* physical */
    uint32_t pitch;         /* bytes from one line to the next */
    uint32_t width, height; /* pixels */
    uint8_t bits;           /* of a pixel */
    struct framebuffer_field red, green, blue;
};

/*
 * Read the loader's description into *framebuffer. False when there is none, when its pixels have no mask for
 * each colour, when it is not usable (below), or when it overlaps what the memory map calls RAM.
 */
bool framebuffer_find(struct framebuffer *framebuffer);

/*
 * Can text be shown there? 24 or 32 bits a pixel with colour fields that lie in them, at least 640 x 400 (80
 * x 25 cells) and at most 8192 x 8192 pixels, a pitch that holds a line, and all of it above 1 MB and below 4
 * GB.
 */
bool framebuffer_usable(const struct framebuffer *framebuffer);

/* ---- framebuffer.c: a screen device with cells of 8 x 16 pixels; its slow memory is never read ---- */

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
