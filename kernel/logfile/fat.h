/* Where PMULOG.TXT lies on a FAT file system. Portable C over disk.h; nothing is written. */
#ifndef KERNEL_LOGFILE_FAT_H
#define KERNEL_LOGFILE_FAT_H

#include <stdint.h>

struct fat_extent {
    uint32_t lba, bytes;
};

#define FAT_FILE_MOST 0x100000u /* bytes; the chain of a larger file is not followed */

/*
 * PMULOG.TXT in the root directory of the FAT12, FAT16 or FAT32 that fills the sectors [lba, lba + sectors).
 * Returns null and fills *extent when it lies in one piece and all of it within those sectors, else why not.
 */
const char *fat_find(struct fat_extent *extent, uint32_t lba, uint32_t sectors);

#endif
