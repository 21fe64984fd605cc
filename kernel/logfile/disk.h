/*
 * Sectors of the boot drive. disk.c reads and writes them through the BIOS; the host tests and the fuzz
 * target implement the same functions over a disk of their own.
 */
#ifndef KERNEL_LOGFILE_DISK_H
#define KERNEL_LOGFILE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#define DISK_SECTOR     512u
#define DISK_MOST_COUNT 15u /* sectors in one call */

/* Select the drive with this BIOS number for the calls below. Returns null, or why it cannot be used: there
 * is no such drive, or its sectors have another size (a CD). Call it only where bios_missing() returns null.
 */
const char *disk_open(uint8_t drive);

/* Transfer count sectors (1 to DISK_MOST_COUNT), beginning with sector lba of the drive. False when the drive
 * reports an error or has no such sectors. */
bool disk_read(uint32_t lba, unsigned count, void *to);
bool disk_write(uint32_t lba, unsigned count, const void *from);

#endif
