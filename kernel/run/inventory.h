/*
 * The head of the log: lines "# key: value" about the build, the processor and the board (docs/log.md). A
 * value that cannot be determined is printed as "unknown", with the reason.
 */
#ifndef KERNEL_RUN_INVENTORY_H
#define KERNEL_RUN_INVENTORY_H

#include "pmc/netburst/cpu.h"

/* Set the text of the line "# watchdog:" (watchdog_start() returns it). Without this call the log has
 * no such line. */
void inventory_set_watchdog(const char *description);

/* Print build, boot line and loader. */
void inventory_image(const char *boot_line);

/*
 * Print processor, clocks and board. core is the part's name ("Northwood D1", "not NetBurst"). For a
 * processor that is not Intel's only the values of CPUID are printed. set_up: local APIC, clocks and second
 * processor have been set up; otherwise nothing is known of them.
 */
void inventory_machine(const struct pmc_cpuid *id, const char *core, bool set_up);

/* Print CPUID leaf by leaf and, if set_up, the APICs as the firmware left them. */
void inventory_raw(bool set_up);

#endif
