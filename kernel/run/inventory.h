/*
 * The head of the log: lines "# key: value" about the build, the processor and the board (docs/log.md). What
 * cannot be found out is printed as "unknown", with the reason.
 */
#ifndef KERNEL_RUN_INVENTORY_H
#define KERNEL_RUN_INVENTORY_H

#include "pmc/netburst/cpu.h"

/* What became of the watchdog that the boot line asked for. Without this call the log has no line of it. */
void inventory_set_watchdog(const char *description);

/* Build, boot line and loader. */
void inventory_image(const char *boot_line);

/*
 * Processor, clocks and board. core is what the part is called ("Northwood D1", "not NetBurst"); of a
 * processor that is not Intel's, only what CPUID says is printed.
 */
void inventory_machine(const struct pmc_cpuid *id, const char *core);

#endif
