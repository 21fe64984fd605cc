/* A screen for kernel/console/screen.c that only stores its cells and counts how many were drawn. */
#ifndef TESTS_HOST_KERNEL_SCREEN_CELLS_H
#define TESTS_HOST_KERNEL_SCREEN_CELLS_H

#include <string.h>
#include "kernel/console/screen.h"
#include "tests/host/support/host_test.h"

#define COLUMNS_MOST 240u /* of the largest framebuffer here, 1920 pixels wide */
#define ROWS_MOST    100u
#define VGA_LINES    25u

static struct {
    unsigned columns, rows; /* of the device in use */
    unsigned draws;
    uint16_t cell[ROWS_MOST][COLUMNS_MOST];
} shown;

static inline void begin(unsigned columns, unsigned rows)
{
    shown.columns = columns;
    shown.rows = rows;
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < columns; x++)
            shown.cell[y][x] = ' ' | SCREEN_NORMAL << 8;
}

static inline void draw(unsigned x, unsigned y, uint16_t cell)
{
    assert_true(x < shown.columns && y < shown.rows);
    shown.cell[y][x] = cell;
    shown.draws++;
}

static inline void use_device(unsigned columns, unsigned rows)
{
    static struct screen_device device = {.draw = draw};

    memset(&shown, 0, sizeof shown);
    device.columns = columns;
    device.rows = rows;
    begin(columns, rows);
    screen_init(&device);
}

static inline void use_vga(void)
{
    use_device(80, VGA_LINES);
}

/* Pixels, in cells of 8 x 16. */
static inline void use_framebuffer(uint32_t width, uint32_t height)
{
    use_device(width / 8, height / 16);
}

static inline void say(const char *text)
{
    screen_write(text, strlen(text));
}

/* The row as text, without blanks at its end, a full block as '#'. */
static const char *row(unsigned y)
{
    static char text[COLUMNS_MOST + 1];
    unsigned length = 0;

    for (unsigned x = 0; x < shown.columns; x++) {
        const uint8_t c = (uint8_t)shown.cell[y][x];
        text[x] = (char)(c == SCREEN_FULL_BLOCK ? '#' : c);
        if (text[x] != ' ')
            length = x + 1;
    }
    text[length] = '\0';
    return text;
}

static inline void assert_colour(unsigned y, enum screen_colour colour)
{
    for (unsigned x = 0; x < shown.columns; x++)
        assert_int_equal(shown.cell[y][x] >> 8, colour);
}

#endif
