/* The 80x25 colour text screen. Lines 0 to 23 scroll, line 24 is the banner. */
#ifndef KERNEL_VGA_H
#define KERNEL_VGA_H

#include <stddef.h>
#include <stdint.h>

#define VGA_COLUMNS 80u
#define VGA_ROWS    25u

enum vga_colour {
    VGA_NORMAL = 0x07, /* light grey on black */
    VGA_GOOD = 0x2F,   /* white on green */
    VGA_BAD = 0x4F,    /* white on red */
};

/* Clear the screen, show memory from B8000H on, hide the cursor. */
void vga_init(void);
/* Text with '\n' as line end; other control and non-ASCII characters show as '?', '\r' not at all. */
void vga_write(const char *text, size_t length);
/* The banner line in that colour; a longer text is cut. */
void vga_banner(const char *text, enum vga_colour colour);

#endif
