/* Character cells drawn on a linear framebuffer, a line of pixels at a time and four bytes at a write. */
#include "framebuffer.h"
#include <stddef.h>
#include "kernel/console/console.h"

#define COLOURS 16u

#define GLYPH_TOP 1u /* the row of the cell where the glyph begins */

/* For writes at any address: the pitch need not be a multiple of 4. */
struct unaligned {
    uint32_t dword;
} __attribute__((packed));

static struct {
    uintptr_t address;
    uint32_t pitch, width, height;
    unsigned pixel; /* bytes */
    uint32_t colour[COLOURS];
} fb;

/* The bits of a pixel for one component (red, green or blue) of one of the 16 colours. `on` and `intense`
 * each add to its level. */
static uint32_t component(struct framebuffer_field field, bool on, bool intense)
{
    uint32_t level = (on ? 0xAAu : 0) + (intense ? 0x55u : 0);

    return level >> (8 - field.size) << field.position;
}

/* [0] blue, [1] green, [2] red, [3] intensity; dark yellow is brown on a VGA, with half the green. */
static uint32_t colour_of(const struct framebuffer *f, unsigned number)
{
    bool brown = number == 6, intense = (number & 8) != 0;

    return component(f->blue, (number & 1) != 0, intense) |
           component(f->green, (number & 2) != 0 && !brown, intense || brown) |
           component(f->red, (number & 4) != 0, intense);
}

/* length is a multiple of 4. */
static void copy_line(uintptr_t to, const uint8_t *from, unsigned length)
{
    for (unsigned i = 0; i < length; i += 4)
        ((volatile struct unaligned *)(to + i))->dword = ((const struct unaligned *)(from + i))->dword;
}

void framebuffer_init(const struct framebuffer *f)
{
    fb.address = (uintptr_t)f->address;
    fb.pitch = f->pitch;
    fb.width = f->width;
    fb.height = f->height;
    fb.pixel = f->bits / 8u;
    for (unsigned i = 0; i < COLOURS; i++)
        fb.colour[i] = colour_of(f, i);
    for (uint32_t y = 0; y < fb.height; y++) {
        uintptr_t line = fb.address + y * fb.pitch;
        uint32_t length = fb.width * fb.pixel, x = 0;

        for (; x + 4 <= length; x += 4)
            ((volatile struct unaligned *)(line + x))->dword = 0;
        for (; x < length; x++)
            *(volatile uint8_t *)(line + x) = 0;
    }
}

static uint8_t row_of(uint8_t character, unsigned row)
{
    unsigned glyph = (unsigned)character - FONT_FIRST;

    if (character == SCREEN_FULL_BLOCK)
        return 0xFF;
    return glyph < FONT_GLYPHS && row - GLYPH_TOP < FONT_ROWS ? FONT[glyph][row - GLYPH_TOP] : 0;
}

void framebuffer_draw(unsigned x, unsigned y, uint16_t cell)
{
    const uint32_t ink = fb.colour[cell >> 8 & 0xF], paper = fb.colour[cell >> 12 & 0x7];
    uintptr_t to =
        fb.address + y * FRAMEBUFFER_CELL_HEIGHT * fb.pitch + x * FRAMEBUFFER_CELL_WIDTH * fb.pixel;

    for (unsigned row = 0; row < FRAMEBUFFER_CELL_HEIGHT; row++, to += fb.pitch) {
        uint8_t line[FRAMEBUFFER_CELL_WIDTH * 4], *at = line, bits = row_of((uint8_t)cell, row);

        for (unsigned i = 0; i < FRAMEBUFFER_CELL_WIDTH; i++, bits = (uint8_t)(bits << 1), at += fb.pixel) {
            const uint32_t colour = bits & 0x80 ? ink : paper;

            for (unsigned byte = 0; byte < fb.pixel; byte++)
                at[byte] = (uint8_t)(colour >> 8 * byte);
        }
        copy_line(to, line, FRAMEBUFFER_CELL_WIDTH * fb.pixel);
    }
}

const struct screen_device *framebuffer_open(void)
{
    static struct screen_device device = {.draw = framebuffer_draw};
    struct framebuffer found;

    if (!framebuffer_find(&found))
        return NULL;
    framebuffer_init(&found);
    device.columns = found.width / FRAMEBUFFER_CELL_WIDTH;
    device.rows = found.height / FRAMEBUFFER_CELL_HEIGHT;
    return &device;
}
