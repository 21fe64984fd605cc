/*
 * Whether the loader left a framebuffer on, and whether its description is one that framebuffer.c can draw
 * with.
 */
#include "framebuffer.h"
#include <stddef.h>
#include "kernel/firmware/firmware.h"

#define WIDTH_MIN  640u
#define HEIGHT_MIN 400u
#define SIDE_MAX   8192u
#define ONE_MB     0x100000u
#define FOUR_GB    0x100000000u

/*
 * The table in multiboot 1's specification has the masks two bytes earlier; the structure in its appendix,
 * which GRUB is built with, has them here, on a 4-byte boundary.
 */
struct loader_description {
    uint64_t address;
    uint32_t pitch, width, height;
    uint8_t bits, type;
    uint16_t unused;
    struct framebuffer_field red, green, blue;
} __attribute__((packed));
_Static_assert(sizeof(struct loader_description) == MULTIBOOT_FRAMEBUFFER_BYTES, "as the loader lays it out");

#define TYPE_MASKS 1u /* a mask for each colour */

static bool field_good(struct framebuffer_field field, uint8_t bits)
{
    return field.size >= 1 && field.size <= 8 && field.position <= bits - field.size;
}

bool framebuffer_usable(const struct framebuffer *f)
{
    return (f->bits == 24 || f->bits == 32) && field_good(f->red, f->bits) && field_good(f->green, f->bits) &&
           field_good(f->blue, f->bits) && f->width >= WIDTH_MIN && f->width <= SIDE_MAX &&
           f->height >= HEIGHT_MIN && f->height <= SIDE_MAX && f->pitch >= f->width * (f->bits / 8) &&
           f->address >= ONE_MB && f->address < FOUR_GB &&
           (uint64_t)f->pitch * f->height <= FOUR_GB - f->address;
}

bool framebuffer_find(struct framebuffer *framebuffer)
{
    const struct loader_description *d = (const struct loader_description *)multiboot_framebuffer();

    if (d == NULL || d->type != TYPE_MASKS)
        return false;
    *framebuffer =
        (struct framebuffer){d->address, d->pitch, d->width, d->height, d->bits, d->red, d->green, d->blue};
    return framebuffer_usable(framebuffer) &&
           !memory_map_touches_ram(framebuffer->address, (uint64_t)framebuffer->pitch * framebuffer->height);
}
