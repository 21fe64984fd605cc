/* Text screen: characters and attributes in memory at B8000H. Nothing is ever read from the hardware. */
#include "vga.h"
#include "cpu.h"
#include "memory.h"

#define SCREEN      ((uint16_t *)0xB8000)
#define SCROLL_ROWS (VGA_ROWS - 1)

#define CRTC_INDEX        0x3D4
#define CRTC_DATA         0x3D5
#define CRTC_CURSOR_START 0x0A
#define CRTC_CURSOR_OFF   0x20
#define CRTC_START_HIGH   0x0C
#define CRTC_START_LOW    0x0D

static unsigned row, column;

static uint16_t cell(char c, enum vga_colour colour)
{
    return (uint16_t)((uint8_t)c | colour << 8);
}

static void clear_row(unsigned y, enum vga_colour colour)
{
    for (unsigned x = 0; x < VGA_COLUMNS; x++)
        SCREEN[y * VGA_COLUMNS + x] = cell(' ', colour);
}

static void crtc_write(uint8_t index, uint8_t value)
{
    out8(CRTC_INDEX, index);
    out8(CRTC_DATA, value);
}

void vga_init(void)
{
    crtc_write(CRTC_START_HIGH, 0);
    crtc_write(CRTC_START_LOW, 0);
    crtc_write(CRTC_CURSOR_START, CRTC_CURSOR_OFF);
    for (unsigned y = 0; y < VGA_ROWS; y++)
        clear_row(y, VGA_NORMAL);
    row = column = 0;
}

static void new_line(void)
{
    column = 0;
    if (row + 1 < SCROLL_ROWS) {
        row++;
        return;
    }
    memmove(SCREEN, SCREEN + VGA_COLUMNS, (SCROLL_ROWS - 1) * VGA_COLUMNS * sizeof(*SCREEN));
    clear_row(row, VGA_NORMAL);
}

void vga_write(const char *text, size_t length)
{
    for (; length > 0; length--, text++) {
        if (*text == '\n') {
            new_line();
        } else if (*text != '\r') {
            if (column == VGA_COLUMNS)
                new_line();
            SCREEN[row * VGA_COLUMNS + column++] =
                cell(*text >= ' ' && *text <= '~' ? *text : '?', VGA_NORMAL);
        }
    }
}

void vga_banner(const char *text, enum vga_colour colour)
{
    clear_row(VGA_ROWS - 1, colour);
    for (unsigned x = 0; x + 1 < VGA_COLUMNS && text[x] != '\0'; x++)
        SCREEN[(VGA_ROWS - 1) * VGA_COLUMNS + x + 1] = cell(text[x], colour);
}
