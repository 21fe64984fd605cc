/* The interface of the suite, which main.c calls once the machine is set up. tests/suite implements it; the
 * kernel knows nothing else of the suite. */
#ifndef KERNEL_RUN_SUITE_H
#define KERNEL_RUN_SUITE_H

#include "options.h"
#include "kernel/log/tap.h"

/*
 * Decide whether this machine has the PMU, remember what its registers hold, and print the plan, in which a
 * PMU that is not there is the reason of a SKIP. Strict readers of TAP want nothing between the version line
 * and the plan: so this is called directly after the version line, as soon as faults are caught, and is all
 * that can hang a machine there. Ends the run if the boot line selects nothing. Both arguments are kept by
 * address.
 */
void suite_plan(const struct options *options, const char *boot_line);

/*
 * After suite_plan(). False when the machine is left alone, because it has no PMU to test: then neither
 * suite_prepare() nor anything else that changes the machine is called before suite_run(), and the log goes
 * to no drive. The boot words inventory and selftest=dead do use such a machine.
 */
bool suite_uses_machine(void);

/* Clear the registers of the PMU. Call it as soon as LVTPC is masked, because counters that a BIOS left
 * running overflow and interrupt until then. */
void suite_prepare(void);

/* Print the inventory, run the vectors, print the END line. */
enum verdict suite_run(void);

#endif
