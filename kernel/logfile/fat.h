/* Finds PMULOG.TXT on a FAT file system. Portable C over disk.h; writes nothing. */
#ifndef KERNEL_LOGFILE_FAT_H
#define KERNEL_LOGFILE_FAT_H

#include <stdint.h>

struct fat_extent {
    uint32_t lba, bytes; /* first sector on the drive, and size of the file */
};

#define FAT_FILE_MOST 0x100000u /* bytes; the chain of a larger file is not followed */

/*
 * Find PMULOG.TXT in the root directory of the FAT12, FAT16 or FAT32 file system in the sectors [lba, lba +
 * sectors). Returns null and fills *extent when the file lies in one piece within those sectors, else the
 * reason why it cannot be used.
 */
const char *fat_find(struct fat_extent *extent, uint32_t lba, uint32_t sectors);

#endif
