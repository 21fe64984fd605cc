/*
 * Which board this is and which BIOS it has, by SMBIOS (DMTF DSP0134). Portable C: the host tests compile the
 * same file. Everything in the tables is suspect: lengths are checked against what they lie in, and text is
 * cut and made printable.
 */
#ifndef KERNEL_FIRMWARE_SMBIOS_H
#define KERNEL_FIRMWARE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_CHARS 40 /* of a text, with its NUL; a longer one is cut */

/* Texts that the tables do not give are "". */
struct smbios {
    char board_vendor[SMBIOS_CHARS], board[SMBIOS_CHARS]; /* the system's when no board is described */
    char bios_vendor[SMBIOS_CHARS], bios_version[SMBIOS_CHARS], bios_date[SMBIOS_CHARS];
};

/*
 * Find the entry point in the BIOS area (F0000H to FFFFFH), or where UEFI says it is, and read the tables by
 * phys_ptr() of memory_map.h.
 * Returns null, or in words why nothing could be read; *smbios is then all "".
 */
const char *smbios_read(struct smbios *smbios);

#endif
