/*
 * The log on the boot medium, for a board without a serial port: the file PMULOG.TXT, written through the
 * BIOS. logfile_attach() is all that the rest of the kernel calls; what the log file does then,
 * kernel/log/store.c asks of it.
 */
#ifndef KERNEL_LOGFILE_LOGFILE_H
#define KERNEL_LOGFILE_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- logfile.c: the log file as the store of the log ---- */

/*
 * Make the log file the store of the log. When it is not allowed (logfile=off) no drive is read or written,
 * and the log says so. Until this call there is no store.
 */
void logfile_attach(bool allowed);

/* ---- file.c: PMULOG.TXT, a file of fixed size, found and written in place ---- */

/*
 * It is found through partition table, FAT and root directory. No directory entry and no FAT is ever written.
 *
 * All bytes of the file are text, in these lines:
 *
 *   pmuproof log file, 131072 bytes reserved        the mark, with the size of the file; never changed
 *   state: ...                                      whether the run has ended
 *   the log as it went to the serial line, then blanks up to the size, the last byte a line end
 */

#define LOGFILE_LEAST 1024u         /* bytes: a smaller file is refused */
#define LOGFILE_MOST  FAT_FILE_MOST /* bytes: a larger file is refused */

struct logfile {
    unsigned partition;  /* 1 to 4 */
    uint32_t lba, bytes; /* first sector on the drive, and size */
    /* Offsets after the last logfile_write(): the log before log_end will not change any more; from text_end
     * on there is only padding. Before the first write they are 0 and the size. */
    uint32_t log_end, text_end;
    bool cut; /* the file is full, and its last line says so: nothing more is written until the run has ended
               */
};

/*
 * Find the file on the drive. Returns null and fills *file, or returns why there is no file to write to.
 * The file is PMULOG.TXT in the root directory of a FAT partition (types 01, 04, 06, 0B, 0C, 0E and EF of an
 * MBR). It must lie in one piece, begin with the mark and hold nothing but text.
 */
const char *logfile_find(struct logfile *file);

/*
 * Write the log so far: length bytes, whole lines ended by CR LF. A log that does not fit is cut, and a last
 * line says so. `ended` selects the state line. Only what has changed since the last call is written; since
 * then text may only grow, but its last line may be another one. Nothing is written unless the first sector
 * holds the mark and all that is to be overwritten is text; every sector is verified again directly before it
 * is written. Returns null, or why the log was not written, or not all of it.
 */
const char *logfile_write(struct logfile *file, const char *text, size_t length, bool ended);

/* Write other text into the second and the last sector of the file, read it back, and put back what was
 * there. Null, or what is wrong; then the next logfile_write() writes all of the file. */
const char *logfile_try(struct logfile *file);

/* ---- fat.c: finds PMULOG.TXT on a FAT file system; writes nothing ---- */

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

/* ---- disk.c: sectors of the boot drive, through the BIOS ---- */

/* The host tests and the fuzz target implement the same functions over a disk of their own. */

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
