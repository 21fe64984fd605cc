/*
 * The loader's description of the framebuffer that it left on. Portable C: the host tests compile the same
 * file.
 *
 * Sources: Multiboot specification 3.3 (framebuffer_*), Multiboot2 specification 3.6.12.
 */
#ifndef KERNEL_FRAMEBUFFER_DESCRIPTION_H
#define KERNEL_FRAMEBUFFER_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
