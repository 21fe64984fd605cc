/*
 * The log on the boot medium, for a board without a serial port: PMULOG.TXT, written through the BIOS. This
 * function is all that the rest of the kernel knows of the room; what the log file does then,
 * kernel/log/store.h asks of it.
 */
#ifndef KERNEL_LOGFILE_LOGFILE_H
#define KERNEL_LOGFILE_LOGFILE_H

#include <stdbool.h>

/*
 * Make the log file the store of the log. When it is not allowed (logfile=off) no drive is read or written,
 * and the log says so. Until this call there is no store.
 */
void logfile_attach(bool allowed);

#endif
