/*
 * The log on the boot medium, for a board without a serial port: PMULOG.TXT, through the BIOS (logfile.h,
 * disk.h). A call takes as long as the BIOS takes, seconds on an old one with a slow stick, and nothing of
 * ours can interrupt it. So it is made only between the vectors: the PMU at rest, the sibling parked, no
 * deadline running.
 */
#ifndef KERNEL_LOGFILE_LOGFILE_H
#define KERNEL_LOGFILE_LOGFILE_H

#include <stdbool.h>

/* From the boot line: without it, nothing below reads or writes anything. Off until told. */
void disklog_allow(bool allowed);

/* Behind the inventory: look for the file, say in the log where it is or why there is none, and save the log
 * so far as that of a run that has not ended. */
void disklog_begin(void);

/* Save what has come since. Does nothing without a file. A failure is remarked in the log, and ends the
 * saving. */
void disklog_save(void);

/* The log is complete. Look for the file when disklog_begin() was not called: a run may break off early.
 * Null, or why the log is not on the boot medium, to tell behind it: it can hold nothing more itself. Of a
 * medium that could not be written anyway (UEFI, a CD, none) disklog_begin() said enough. */
const char *disklog_find(void);

/* True when disklog_end() has something to write. */
bool disklog_pending(void);

/* Behind disklog_find(): save the log as that of a run that has ended. Null, or why its end is not on the
 * boot medium. */
const char *disklog_end(void);

#endif
