/*
 * Defective and unusual boards (p4sim --board): what may be broken, missing or different around the PMU. Each
 * board differs from a sound one in one thing, so that tests can check which verdict the kernel then ends
 * with.
 */
#ifndef SIM_INJECT_DEFECT_H
#define SIM_INJECT_DEFECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/board/firmware.h"
#include "sim/cpu/injector.h"
#include "sim/cpu/quirks.h"
#include "sim/lib/random.h"
#include "sim/machine/machine.h"
#include "throttle.h"
#include "sim/faults/nbpmu_fault.h"

enum board_defect {
    BOARD_UART_STUCK,
    BOARD_UART_DIES,
    BOARD_UART_MUTE,
    BOARD_LP1_SILENT,
    BOARD_LP1_DIES,
    BOARD_SIPI_LOST,
    BOARD_LP1_HALTS_LATE,
    BOARD_PMI_STORM,
    BOARD_NMI_ANYTIME,
    BOARD_NMI_BURST,
    BOARD_MSR_FAULT,
    BOARD_MSR_ZERO,
    BOARD_MSR_ALL_FAULT,
    BOARD_ACPI_TRUNCATED,
    BOARD_ACPI_CHECKSUM,
    BOARD_ACPI_LOOP,
    BOARD_NO_TABLES,
    BOARD_PIT_DEAD,
    BOARD_APIC_DEAD,
    BOARD_PMI_LEFT,
    BOARD_COM_MOVED,
    BOARD_COM_SPCR,
    BOARD_TCO_STRAPPED,
    BOARD_NO_PCI,
    BOARD_UART_BUSY,
    BOARD_LINE_HANGS_UP,
    BOARD_TCO_SMI,
    BOARD_LVT_LEFT,
    BOARD_APIC_OFF,
    BOARD_APIC_NONE,
    BOARD_BOOT_ON_LP1,
    BOARD_TWO_PACKAGES,
    BOARD_APIC_RENUMBERED,
    BOARD_OTHER_PACKAGE,
    BOARD_HT_OFF,
    BOARD_CPUID_LIMITED,
    BOARD_HYPERVISOR,
    BOARD_SMI_LONG,
    BOARD_SMI_COOLS,
    BOARD_IO_APIC_OPEN,
    BOARD_IO_APIC_FIRMWARE,
    BOARD_IO_APIC_FORGETS,
    BOARD_MACHINE_CHECK,
    BOARD_MACHINE_CHECK_LEFT,
    BOARD_BIOS_CALLS,
    BOARD_BIOS_HANGS,
    BOARD_BTS_LEFT,
    BOARD_SLOW_PORTS,
    BOARD_HOT,
    BOARD_DEFECTS
};

/* The interrupt of BOARD_IO_APIC_OPEN. */
#define STUCK_LINE      19u
#define STUCK_INTERRUPT 0x71u
/* The error of the two boards with a machine check: valid, uncorrected, with an address. */
#define MC_BANK    1u
#define MC_ERROR   0xB400000000000135u
#define MC_ADDRESS 0x1234560u

/* The SMI of BOARD_IO_APIC_FIRMWARE. */
#define SMI_LINE 20u

/* A set of enum board_defect, and what a run with it has to remember. */
struct defects {
    uint64_t boards;
    uint32_t faulting_msrs[FAULTING_MSRS]; /* the first faulting_count of them */
    unsigned faulting_count;
    struct machine *machine;
    struct random random;       /* draws the moments of NMIs */
    uint64_t nmi_clock;         /* core clock of the next NMI */
    unsigned burst_nmis;        /* that a burst has sent */
    bool failed;                /* the machine check was raised */
    bool lp1_dead;              /* the second logical processor has stopped */
    uint32_t heard;             /* processors that have got a start-up IPI, by index */
    uint64_t halts_at;          /* core clock until which the HLT that has begun takes, 0: none has */
    struct throttle throttle;   /* of a hot board */
    uint64_t smi_clock;         /* of the next long SMI, */
    uint64_t heat_clock;        /* and of the next look at the cooling */
    unsigned hot_ms[NBPMU_LPS]; /* milliseconds without cooling */
};

/* What defect_add() returns for a name that no board has. */
extern const char NO_SUCH_BOARD[];

/* Add the board called name to defects; "counter-dead:N" sets *fault instead, "msr-fault:N" names an MSR by
 * its hexadecimal address, and may be added FAULTING_MSRS times. Null, or in words why it cannot be added. */
const char *defect_add(struct defects *defects, const char *name, struct nbpmu_fault *fault);
/* Write one line for each board: name and what is wrong with it. */
void defect_list(FILE *out);

/* Is this board among them? */
bool defect_is(const struct defects *defects, enum board_defect board);

/* How the processors differ on these boards, for machine_config.quirks. */
struct quirks defect_quirks(const struct defects *defects);

/* Which damage the BIOS tables of these boards have. */
enum firmware_tables defect_tables(const struct defects *defects);

/* Leave an error in a bank of the processor's machine-check registers. */
void leave_machine_check(struct processor *processor);

/* BOARD_BIOS_CALLS: the interrupt controllers as the BIOS leaves them, and INT 13H (struct injector). */
void leave_bios_interrupts(struct machine *machine);
bool defect_bios_called(void *context, struct processor *processor, uint8_t interrupt);

/* For defect_injector(): set the machine up at power-up. */
void defect_init(void *context, struct machine *machine);

/* What these boards do beyond quirks and tables, for machine_config.injectors. *defects must live as long as
 * the machine. */
struct injector defect_injector(struct defects *defects);

#endif
