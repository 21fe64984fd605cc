/*
 * The log as docs/log.md defines it: every line of it passes here, is counted and summed up (CRC-32), kept in
 * memory, and goes to the consoles. Portable C: the host tests compile the same file.
 */
#ifndef KERNEL_LOG_LOG_H
#define KERNEL_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* A longer line is cut and ends in "...". Its check code is not part of it. */
#define LOG_LINE_CHARS 1000u

/* What log_text() holds at most, in bytes. */
#define LOG_COPY_BYTES 0x40000u

/* The document begins with the next line: count, sum and copy start anew. Lines written before only go to the
 * consoles. */
void log_begin(void);

/* One line, formatted by format.h; the line end is added. A character outside printable ASCII becomes '?'. */
void log_line(const char *fmt, ...);

/* The same for a record (a point, a heartbeat), which ends in its check code: " #hhhh". */
void log_checked(const char *fmt, ...);

/* The end line: "# END OF TAP: verdict, L lines, CRC-32 hhhhhhhh". */
void log_end(const char *verdict);

/*
 * The document so far, as it went to the serial line (CR LF), and its length in bytes. Of one that is longer
 * than LOG_COPY_BYTES, the whole lines at its beginning, and as a last line how many bytes are missing. Good
 * until the next line is written.
 */
const char *log_text(size_t *length);

/*
 * Between log_hold() and log_release() what is written belongs together, as a block of YAML does, and no
 * deadline may cut it in two (guard.c asks). Every line is held by itself. Pairs may nest.
 */
void log_hold(void);
void log_release(void);
bool log_held(void);
/* What was being written when a fault ended guarded work is over. */
void log_release_all(void);

#endif
