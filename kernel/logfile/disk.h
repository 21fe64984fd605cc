/*
 * Sectors of the drive we were started from. On the machine the BIOS reads and writes them (disk.c); host
 * tests and the fuzz target have a disk of their own behind the same functions.
 */
#ifndef KERNEL_LOGFILE_DISK_H
#define KERNEL_LOGFILE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#define DISK_SECTOR     512u
#define DISK_MOST_COUNT 15u /* sectors in one call */

/* The drive with this number of the BIOS, for the calls below. Null, or why it cannot be used: no such drive,
 * or sectors of another size (a CD). After bios_missing() said null. */
const char *disk_open(uint8_t drive);

/* count sectors (1 to DISK_MOST_COUNT) from lba on. False when the drive reports an error or has no such
 * sectors. */
bool disk_read(uint32_t lba, unsigned count, void *to);
bool disk_write(uint32_t lba, unsigned count, const void *from);

#endif
