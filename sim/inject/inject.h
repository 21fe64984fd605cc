/*
 * What disturbs a run: defective boards (--defect) and noise (--noise), which main.c registers as injectors.
 */
#ifndef SIM_INJECT_INJECT_H
#define SIM_INJECT_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/machine/machine.h"
#include "sim/board/board.h"
#include "sim/cpu/core.h"
#include "sim/cpu/processor.h"
#include "sim/lib/random.h"
#include "sim/faults/nbpmu_fault.h"

/*
 * ---- throttle.c ----
 * The thermal monitor TM1 (SDM vol. 3, 14.7.2.1): while the processor is hot, its clocks are stopped about
 * half of the time, some microseconds at once. Time, bus clocks and TSC go on; the PMU and both logical
 * processors stand still.
 */

/* In core clocks. period 0: never hot. */
struct throttle {
    uint64_t period, stopped; /* once in a period the clocks stop for so long */
    uint64_t phase;           /* of heat, */
    unsigned one_in;          /* which is one of so many phases; 1: always */
    uint64_t next[MACHINE_CORES];
};

/* A duty cycle of 50 %, and stops of 3 us. */
struct throttle throttle_at(uint64_t clock_hz, unsigned hot_us, unsigned one_in);
/* Core clock by which throttle_run() is to be called for core number c. */
uint64_t throttle_next(const struct throttle *throttle, unsigned c);
/* Stop the core if it is time. */
void throttle_run(struct throttle *throttle, unsigned c, struct core *core, struct run_control *control);

/*
 * ---- defect.c ----
 * Defective and unusual boards (p4sim --board): what may be broken, missing or different around the PMU. Each
 * board differs from a sound one in one thing, so that tests can check which verdict the kernel then ends
 * with.
 */

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

/*
 * ---- lapic_defects.c ----
 * What may be wrong with the local APICs: the faults of LVTPC in the catalogue (R1, R45, R50 to R53), and two
 * boards.
 */

struct lapic_defects {
    enum nbpmu_lvtpc_fault fault;
    uint32_t stuck_bit, stuck_at;  /* of a fault that has them: the bit, and the bit or 0 */
    uint32_t field;                /* of a fault that concerns one: a field of LVTPC, */
    unsigned lp;                   /* and a logical processor */
    uint32_t last_written;         /* by either logical processor */
    bool masked_by_pmi[NBPMU_LPS]; /* a PMI has set the mask since the entry was written */
    bool nmi_sticks[NBPMU_LPS];    /* it was written fixed over NMI, and not masked since then */
    bool timer_silent, pmi_storm;
    struct machine *machine;
};

/* Fill in *found. False when the local APICs are sound with this fault and on these boards. */
bool lapic_defects_of(struct lapic_defects *found, const struct nbpmu_fault *fault,
                      const struct defects *boards);

/* For machine_config.injectors, before the others. *defects must live as long as the machine. */
struct injector lapic_defects_injector(struct lapic_defects *defects);

/*
 * ---- noise.c ----
 * What a real board adds to a measurement (pmu-rules 8.4), all of it decided by one seed: SMIs, the skid of
 * PMIs (R54), wrong-path uops (pmu-rules 8.3), spurious and unexpected interrupts, reads of other agents of
 * the bus, uneven quanta of the two logical processors, and what a BIOS leaves behind in the PMU and the
 * local APICs (docs/campaign.md). The errata that strike at random moments belong to it: E1 and E2,
 * known of every NetBurst part, and E9.
 */

struct noise {
    struct random random;
    struct machine *machine;
    uint64_t disturbance[MACHINE_CORES]; /* core clock of the next one */
    /* What kind of board the seed makes. */
    uint32_t interval_us, smi_us; /* between two disturbances, on average; of an SMI, at most */
    unsigned skid_log2;           /* a PMI comes up to 2^skid_log2 clocks late */
    uint32_t port_us;             /* by which an access to an I/O port takes longer */
    bool hot;                     /* so that TM1 stops the clocks now and then */
    struct throttle throttle;
    uint32_t agents_one_in; /* another agent of the bus reads at one branch of so many */
};

/* The noise of this seed, for machine_config.injectors. Fills in *noise, which must live as long as the
 * machine. */
struct injector noise_injector(struct noise *noise, uint32_t seed);

#endif
