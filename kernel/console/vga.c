/* Text screen: characters and attributes in memory at B8000H. */
#include "console.h"
#include <stdbool.h>
#include <stddef.h>
#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"

#define COLUMNS 80u
#define ROWS    25u

#define TEXT ((volatile uint16_t *)0xB8000)

#define MODE_TEXT_GREY    2 /* on a VGA identical to mode 3 */
#define MODE_TEXT_COLOURS 3

#define CRTC_INDEX        0x3D4
#define CRTC_DATA         0x3D5
#define CRTC_CURSOR_START 0x0A
#define CRTC_CURSOR_OFF   0x20
#define CRTC_START_HIGH   0x0C
#define CRTC_START_LOW    0x0D

static void crtc_write(uint8_t index, uint8_t value)
{
    out8(CRTC_INDEX, index);
    out8(CRTC_DATA, value);
}

static bool shows_text(void)
{
    const uint8_t *bda = multiboot_under_uefi() ? NULL : phys_ptr(BDA, BDA_BYTES);
    uint8_t mode;

    if (bda == NULL)
        return false;
    mode = bda[BDA_VIDEO_MODE - BDA];
    return (mode == MODE_TEXT_GREY || mode == MODE_TEXT_COLOURS) &&
           load16le(bda + (BDA_CRTC - BDA)) == CRTC_INDEX;
}

static void draw(unsigned x, unsigned y, uint16_t cell)
{
    TEXT[y * COLUMNS + x] = cell;
}

const struct screen_device *vga_open(void)
{
    static const struct screen_device device = {COLUMNS, ROWS, draw};

    if (!shows_text())
        return NULL;
    crtc_write(CRTC_START_HIGH, 0);
    crtc_write(CRTC_START_LOW, 0);
    crtc_write(CRTC_CURSOR_START, CRTC_CURSOR_OFF);
    for (unsigned i = 0; i < COLUMNS * ROWS; i++)
        TEXT[i] = ' ' | SCREEN_NORMAL << 8;
    return &device;
}
