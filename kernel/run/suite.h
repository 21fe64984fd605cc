/* The interface of the suite, which main.c calls once the machine is set up. tests/suite implements it; the
 * kernel knows nothing else of the suite. */
#ifndef KERNEL_RUN_SUITE_H
#define KERNEL_RUN_SUITE_H

#include "options.h"
#include "kernel/log/tap.h"

/*
 * Decide whether this machine has the PMU, remember what its registers hold and clear them. Prints nothing.
 * Call it as soon as faults are caught and LVTPC is masked, because counters that a BIOS left running
 * overflow and interrupt until then.
 */
void suite_prepare(void);

/* Print the plan, run the vectors, print the END line. After suite_prepare(). */
enum verdict suite_run(const struct options *options, const char *boot_line);

#endif
