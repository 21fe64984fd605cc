/*
 * PMULOG.TXT, the file of fixed size on the boot medium that the log is written into: found by walking
 * partition table, FAT and root directory, written in place. No directory entry and no FAT is ever written.
 * Portable C over disk.h: the host tests compile the same file.
 *
 * The file's lines, all of its bytes text:
 *
 *   pmuproof log file, 131072 bytes reserved        the mark, its number the file's size; never changed
 *   state: ...                                      of the run
 *   the log as it went to the serial line, then blanks up to the size, the last byte a line end
 */
#ifndef KERNEL_LOGFILE_FILE_H
#define KERNEL_LOGFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fat.h"

#define LOGFILE_LEAST 1024u         /* bytes; a smaller file is refused */
#define LOGFILE_MOST  FAT_FILE_MOST /* and a larger one */

struct logfile {
    unsigned partition;  /* 1 to 4 */
    uint32_t lba, bytes; /* where it lies, in one piece, and its size */
    /* What the last logfile_write() left: the end of what will not change any more, and of all that is not
     * padding. At first the whole file may hold anything. */
    uint32_t log_end, text_end;
    bool cut; /* it is full, and a line says so: nothing more is written until the run has ended */
};

/*
 * Find the file on the drive. Returns null and fills *file, or why there is none to write to: a drive without
 * a FAT partition (types 01, 04, 06, 0B, 0C, 0E and EF of an MBR) with a PMULOG.TXT in its root directory, in
 * one piece, with the mark and holding nothing but text.
 */
const char *logfile_find(struct logfile *file);

/*
 * Write the log so far (length bytes, whole lines ended by CR LF; what does not fit is cut, and a last line
 * says so); ended is for the state line. Only what has changed since the last call is written: a text
 * grows, and of what there was no more than its last line changes. Nothing is written unless the first sector
 * holds the mark and all that would be written over is text; every sector is looked at once more directly
 * before it is written. Returns null, or why it was not (wholly) written.
 */
const char *logfile_write(struct logfile *file, const char *text, size_t length, bool ended);

#endif
