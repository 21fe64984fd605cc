/*
 * PMULOG.TXT, a file of fixed size on the boot medium, which receives the log. It is found through partition
 * table, FAT and root directory, and written in place: no directory entry and no FAT is ever written.
 * Portable C over disk.h: the host tests compile this file too.
 *
 * All bytes of the file are text, in these lines:
 *
 *   pmuproof log file, 131072 bytes reserved        the mark, with the size of the file; never changed
 *   state: ...                                      whether the run has ended
 *   the log as it went to the serial line, then blanks up to the size, the last byte a line end
 */
#ifndef KERNEL_LOGFILE_FILE_H
#define KERNEL_LOGFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fat.h"

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

#endif
