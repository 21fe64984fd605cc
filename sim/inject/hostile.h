/*
 * Hostile boards: what may be broken, missing or in the way around the PMU (p4sim --board). Each is one thing
 * that goes wrong on an otherwise good machine, so that a kernel can be seen to end with the right verdict.
 * Without one of them nothing happens here.
 */
#ifndef SIM_INJECT_HOSTILE_H
#define SIM_INJECT_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/board/firmware.h"
#include "sim/netburst/faults.h"

struct machine;
struct core;
struct processor;

enum hostile_board {
    HOSTILE_UART_STUCK,
    HOSTILE_UART_DIES,
    HOSTILE_LP1_SILENT,
    HOSTILE_LP1_DIES,
    HOSTILE_PMI_STORM,
    HOSTILE_NMI_ANYTIME,
    HOSTILE_MSR_FAULT,
    HOSTILE_MSR_ZERO,
    HOSTILE_MSR_ALL_FAULT,
    HOSTILE_ACPI_TRUNCATED,
    HOSTILE_ACPI_CHECKSUM,
    HOSTILE_ACPI_LOOP,
    HOSTILE_NO_TABLES,
    HOSTILE_PIT_DEAD,
    HOSTILE_APIC_DEAD,
    HOSTILE_PMI_LEFT,
    HOSTILE_COM_MOVED,
    HOSTILE_COM_SPCR,
    HOSTILE_TCO_STRAPPED,
    HOSTILE_NO_PCI,
    HOSTILE_UART_BUSY,
    HOSTILE_TCO_SMI,
    HOSTILE_LVT_LEFT,
    HOSTILE_APIC_OFF,
    HOSTILE_APIC_NONE,
    HOSTILE_BOOT_ON_LP1,
    HOSTILE_TWO_PACKAGES,
    HOSTILE_APIC_RENUMBERED,
    HOSTILE_CPUID_LIMITED,
    HOSTILE_BOARDS
};

struct hostile {
    uint32_t boards;    /* set of enum hostile_board */
    uint32_t random;    /* state of the generator of NMI moments, */
    uint64_t nmi_clock; /* and the next of them, in core clocks */
};

/* Add the board called name, or of "counter-dead:N" the fault. False when there is none of that name. */
bool hostile_add(struct hostile *hostile, const char *name, struct pmu_fault *fault);
/* One line per board: name and what is wrong with it. */
void hostile_list(FILE *out);

bool hostile_is(const struct hostile *hostile, enum hostile_board board);

/* What this board's BIOS numbered the local APICs from, in them and in its tables. */
uint8_t hostile_first_apic_id(const struct hostile *hostile);

/* What the BIOS of this board has for tables. */
enum firmware_tables hostile_tables(const struct hostile *hostile);

/* Power-up: break the devices, and leave behind what a BIOS should not. */
void hostile_init(struct machine *machine);

/* How an access to an MSR ends here: as the register says, with #GP(0), or as if it held 0 and kept nothing.
 */
enum hostile_access { ACCESS_WORKS, ACCESS_FAULTS, ACCESS_IS_ZERO };
enum hostile_access hostile_msr(const struct hostile *hostile, bool of_pmu);

/* Between two instructions: NMIs that are due, and the end of the second logical processor. */
void hostile_run(struct machine *machine, struct core *core);
/* Core clock by which hostile_run() wants to be called again. */
uint64_t hostile_next(const struct machine *machine);
/* A processor is about to execute the first instruction of a handler. */
void hostile_handler_entered(struct processor *processor);

#endif
