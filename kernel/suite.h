/* What the kernel calls once the machine stands. Implemented in tests/vectors/; the kernel knows nothing else
 * of it. */
#ifndef KERNEL_SUITE_H
#define KERNEL_SUITE_H

#include "options.h"
#include "tap.h"

/* Decide whether this machine has the PMU, print the plan, run the vectors, print the END line. */
enum verdict suite_run(const struct options *options, const char *boot_line);

#endif
