/*
 * A linear framebuffer as a back end of the screen (kernel/console/screen.c): character cells of 8 x 16
 * pixels. Nothing is ever read from its memory, which is slow. Portable C: the host tests compile the same
 * file.
 *
 * Sources: Multiboot specification 3.3 (framebuffer_*), Multiboot2 specification 3.6.12.
 */
#ifndef KERNEL_CONSOLE_FRAMEBUFFER_H
#define KERNEL_CONSOLE_FRAMEBUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define FRAMEBUFFER_CELL_WIDTH  8u
#define FRAMEBUFFER_CELL_HEIGHT 16u

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

/* What both multiboot versions tell, from the address to the last mask. */
#define FRAMEBUFFER_TOLD_BYTES 30u

/* Read these bytes into *framebuffer, when they are of the type with a mask for each colour; else it stays as
 * it is. */
void framebuffer_told(struct framebuffer *framebuffer, const uint8_t *told);

/*
 * Can text be shown there? 24 or 32 bits a pixel with colour fields that lie in them, at least 640 x 400 (80
 * x 25 cells) and at most 8192 x 8192 pixels, a pitch that holds a line, and all of it above 1 MB and below 4
 * GB.
 */
bool framebuffer_usable(const struct framebuffer *framebuffer);

/* Use this one, which must be usable, and make it black. */
void framebuffer_init(const struct framebuffer *framebuffer);

/*
 * Draw a cell (screen.h) at column x and row y, which must lie within the width and height over those of a
 * cell. A character that is neither printable ASCII nor SCREEN_BLOCK shows as a blank.
 */
void framebuffer_draw(unsigned x, unsigned y, uint16_t cell);

#endif
