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
#include "sim/cpu/injector.h"
#include "sim/cpu/quirks.h"
#include "sim/machine/machine.h"
#include "sim/netburst/faults.h"

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

/* A set of enum hostile_board, and what a run with it has to remember. */
struct hostile {
    uint32_t boards;
    struct machine *machine;
    uint32_t random;    /* state of the generator of NMI moments, */
    uint64_t nmi_clock; /* and the next of them, in core clocks */
};

/* Add the board called name, or of "counter-dead:N" the fault. False when there is none of that name. */
bool hostile_add(struct hostile *hostile, const char *name, struct pmu_fault *fault);
/* One line per board: name and what is wrong with it. */
void hostile_list(FILE *out);

bool hostile_is(const struct hostile *hostile, enum hostile_board board);

/* What this board makes of its processors, for machine_config.quirks. */
struct quirks hostile_quirks(const struct hostile *hostile);

/* What the BIOS of this board has for tables. */
enum firmware_tables hostile_tables(const struct hostile *hostile);

/* What this board does otherwise, for machine_config.injectors. *hostile must live as long as the machine. */
struct injector hostile_injector(struct hostile *hostile);

#endif
