/* The 80x25 colour text screen as a screen device. Nothing is ever read from its memory. */
#ifndef KERNEL_CONSOLE_VGA_H
#define KERNEL_CONSOLE_VGA_H

#include "cell.h"

/* Clear the text screen, hide its cursor, and return it as a screen device. Null when the BIOS data area does
 * not say that a VGA shows 80-column colour text, and after a start by UEFI. */
const struct screen_device *vga_open(void);

#endif
