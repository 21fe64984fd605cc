/* Writes a trap to the log. */
#ifndef KERNEL_RUN_TRAP_REPORT_H
#define KERNEL_RUN_TRAP_REPORT_H

#include "kernel/x86/trap.h"

/* Write exception, error code, logical processor, registers and CR2 as values of the open diagnosis (tap.h).
 * Writes nothing when the frame is all zero. */
void trap_report_values(const struct trap_report *report);

#endif
