/* What the kernel calls once the machine stands. Implemented in tests/vectors/; the kernel knows nothing else
 * of it. */
#ifndef KERNEL_RUN_SUITE_H
#define KERNEL_RUN_SUITE_H

#include "options.h"
#include "kernel/log/tap.h"

/*
 * Decide whether this machine has the PMU, note what its registers hold and clear them. Prints nothing. Call
 * it as soon as faults are caught and LVTPC is masked: what a BIOS left running would count, overflow and
 * interrupt until then.
 */
void suite_prepare(void);

/* Print the plan, run the vectors, print the END line. After suite_prepare(). */
enum verdict suite_run(const struct options *options, const char *boot_line);

#endif
