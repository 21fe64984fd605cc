/*
 * The names of board and BIOS, from SMBIOS (DMTF DSP0134). Portable C: the host tests compile this file too.
 * The tables are not trusted: lengths are checked against the memory that they lie in, and text is cut and
 * made printable.
 */
#ifndef KERNEL_FIRMWARE_SMBIOS_H
#define KERNEL_FIRMWARE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_CHARS 40 /* size of a text with its NUL; a longer text is cut */

/* A text that the tables lack is "". */
struct smbios {
    char board_vendor[SMBIOS_CHARS], board[SMBIOS_CHARS]; /* those of the system when no board is described */
    char bios_vendor[SMBIOS_CHARS], bios_version[SMBIOS_CHARS], bios_date[SMBIOS_CHARS];
};

/*
 * Find the entry point, where UEFI says it is or else in the BIOS area (F0000H to FFFFFH), and read the
 * tables. Returns null, or in words why nothing could be read; every text of *smbios is "" then.
 */
const char *smbios_read(struct smbios *smbios);

#endif
