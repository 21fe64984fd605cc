/*
 * The lines of the log, as docs/log.md defines them: each is counted, added to the CRC-32, kept in memory and
 * written to the consoles. Portable C: the host tests compile the same file.
 */
#ifndef KERNEL_LOG_LOG_H
#define KERNEL_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* A longer line is cut and ends in "...". Its check code is not part of it. */
#define LOG_LINE_CHARS 1000u

/* What log_text() holds at most, in bytes. */
#define LOG_COPY_BYTES 0x40000u

/* Begin a document with the next line: line count, CRC and copy start again. Lines written before a document
 * go to the consoles only. */
void log_begin(void);

/* One line, formatted by format.h; the line end is added. A character outside printable ASCII becomes '?'. */
void log_line(const char *fmt, ...);

/*
 * Write a line, and wait until the consoles have it, before something is tried that may hang the machine:
 * then the line is the last one. A comment that begins with ABOUT_TO names what is tried.
 */
#define ABOUT_TO "# pmuproof is about to "
void log_attempt(const char *fmt, ...);

/* Write a checked line: a point or a heartbeat. Its check code " #hhhh" is added. */
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
 * Lines written between log_hold() and log_release() belong together, for example a diagnosis. While
 * log_held(), no deadline ends the vector (guard.c). Each line is held while it is written. Calls may nest.
 */
void log_hold(void);
void log_release(void);
bool log_held(void);
/* End all holds: an exception ended the code that would have released them. */
void log_release_all(void);

#endif
