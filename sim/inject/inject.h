/*
 * What disturbs a run: defective boards (--defect) and noise (--noise), which main.c registers as injectors.
 */
#ifndef SIM_INJECT_INJECT_H
#define SIM_INJECT_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/machine/machine.h"
#include "sim/board/firmware.h"
#include "sim/cpu/core.h"
#include "sim/cpu/processor.h"
#include "sim/lib/random.h"
#include "sim/faults/nbpmu_fault.h"

#define APIC_LVTPC 0x340u

/*
 * ---- smi.c ----
 * System-management interrupts. From SMI to RSM some microseconds pass on any board.
 */
#define SMI_LEAST_US 5u

/* Let the processor, active or halted, handle an SMI that takes so many clocks, at least SMI_LEAST_US. TSC
 * and PMU go on, and the handler's instructions are counted; of the program none is executed. */
void smi_strike(struct random *random, struct processor *processor, uint64_t clocks);

/*
 * ---- defect_run.c ----
 * Clock modulation (SDM vol. 3, 14.7.2.1 and 14.7.3): while the processor is hot, TM1 stops its clocks for a
 * part of the time, at most 3 us at once; software may do so with IA32_CLOCK_MODULATION. Time, bus clocks and
 * TSC go on; the PMU and both logical processors stand still.
 */

/* In core clocks. period 0: never hot. */
struct throttle {
    uint64_t period, stopped; /* once in a period the clocks stop for so long */
    uint64_t phase;           /* of heat, */
    unsigned one_in;          /* which is one of so many phases; 1: always */
    uint64_t next[MACHINE_CORES];
};

/* A duty cycle of so many eighths (1 to 7), in stops of 3 us. */
struct throttle throttle_at(uint64_t clock_hz, unsigned run_eighths, unsigned hot_us, unsigned one_in);
/* Core clock by which throttle_run() is to be called for core number c. */
uint64_t throttle_next(const struct throttle *throttle, unsigned c);
/* Stop the core if it is time. */
void throttle_run(struct throttle *throttle, unsigned c, struct core *core, struct run_control *control);
/* So many clocks have passed in an SMI, whose length has the stops in it already. */
void throttle_wait(struct throttle *throttle, unsigned c, uint64_t clocks);

/*
 * ---- defect.c ----
 * Defective and unusual boards (p4sim --board): what may be broken, missing or different around the PMU. Each
 * board differs from a sound one in one thing, so that tests can check which verdict the kernel then ends
 * with.
 */

/* Name of a board, and what is wrong with it. */
/* clang-format off */
#define BOARDS(B) \
    B(UART_STUCK, "uart-stuck", "the transmitter of COM1 never becomes empty") \
    B(UART_DIES, "uart-dies", "COM1 stops in the middle of the log") \
    B(UART_MUTE, "uart-mute", "the loader raised DTR, and COM1 stops at the first byte") \
    B(LP1_SILENT, "lp1-silent", "the second logical processor is listed in the MADT but never starts") \
    B(LP1_DIES, "lp1-dies", "the second logical processor stops for good during the run") \
    B(SIPI_LOST, "sipi-lost", "the first start-up IPI does not reach the second logical processor") \
    B(LP1_HALTS_LATE, "lp1-halts-late", "the second logical processor takes 15 us into each HLT") \
    B(PMI_STORM, "pmi-storm", "a PMI is raised whenever LVTPC is unmasked") \
    B(NMI_ANYTIME, "nmi-anytime", "unexpected NMIs and interrupts come at any moment, even in handlers") \
    B(NMI_BURST, "nmi-burst", "9000 NMIs come at once, a microsecond apart") \
    B(MSR_FAULT, "msr-fault", "every access to an MSR of the PMU is #GP(0)") \
    B(MSR_ZERO, "msr-zero", "the MSRs of the PMU read 0 and ignore writes") \
    B(MSR_ALL_FAULT, "msr-all-fault", "every access to any MSR is #GP(0)") \
    B(ACPI_TRUNCATED, "acpi-truncated", "the MADT ends in the middle of its last processor") \
    B(ACPI_CHECKSUM, "acpi-checksum", "the checksum of the MADT is wrong") \
    B(ACPI_LOOP, "acpi-loop", "the RSDT lists itself, and a MADT entry has length 0") \
    B(NO_MADT, "no-madt", "of ACPI's tables there are FADT, BOOT and DSDT, and no MADT") \
    B(NO_TABLES, "no-tables", "there are no ACPI tables") \
    B(ACPI_TIMER, "acpi-timer-dead", "ACPI's timer, which the FADT names, does not count, as acpi-timer:0") \
    B(CMOS_ODD, "cmos-odd", "the CMOS clock says 85 seconds") \
    B(CMOS_STUCK, "cmos-stuck", "the update of the CMOS clock does not end") \
    B(PIT_DEAD, "pit-dead", "the output of the 8254's channel 2 never rises") \
    B(APIC_DEAD, "apic-dead", "the timer of the local APIC counts but never interrupts") \
    B(PMI_LEFT, "pmi-left", "the BIOS left LVTPC unmasked, an overflow flag set and its PMI pending") \
    B(COM_MOVED, "com-moved", "the serial port is at 2E8H; the BIOS data area says so") \
    B(COM_SPCR, "com-spcr", "the serial port is at 2E8H; only ACPI's SPCR says so") \
    B(UART_BYTES, "uart-bytes", "there is no COM1, but a UART in memory, whose registers are bytes; only ACPI's SPCR says so") \
    B(UART_WORDS, "uart-words", "there is no COM1, but a UART in memory, whose registers have 32 bits; only ACPI's SPCR says so") \
    B(TCO_STRAPPED, "tco-strapped", "NO_REBOOT is strapped: the watchdog cannot reset the board") \
    B(NO_PCI, "no-pci", "there is no PCI, and so no watchdog") \
    B(UART_BUSY, "uart-busy", "COM1 is still sending for the boot loader, with registers half set up") \
    B(LINE_HANGS_UP, "line-hangs-up", "the loader raised DTR, and the other side of COM1 hangs up when it falls") \
    B(RESTARTS, "restarts", "the watchdog's reset does not end p4sim: the board starts again, at most three times") \
    B(TCO_CLEARED, "tco-cleared", "as restarts, and the BIOS clears SECOND_TO_STS after a reset, as Intel's data sheets ask it to") \
    B(TCO_SMI, "tco-smi", "the BIOS's SMI handler clears each first time-out of the watchdog") \
    B(LVT_LEFT, "lvt-left", "the BIOS left the error interrupt of the local APIC unmasked") \
    B(APIC_OFF, "apic-off", "the BIOS disabled the local APIC in IA32_APIC_BASE") \
    B(APIC_NONE, "apic-none", "the local APIC is disabled in IA32_APIC_BASE and cannot be enabled") \
    B(BOOT_ON_LP1, "boot-on-lp1", "the board starts on the last logical processor") \
    B(TWO_PACKAGES, "two-packages", "the MADT also lists a second package, which must be left alone") \
    B(APIC_RENUMBERED, "apic-renumbered", "the IDs of the local APICs differ from those in CPUID") \
    B(OTHER_PACKAGE, "other-package", "Hyper-Threading is off, and local APIC 1 is that of a second package") \
    B(HT_OFF, "ht-off", "the BIOS turned Hyper-Threading off, and CPUID still says that there are two") \
    B(CPUID_LIMITED, "cpuid-limited", "the BIOS limits CPUID to leaf 3") \
    B(HYPERVISOR, "hypervisor", "CPUID says that the processor is a virtual one") \
    B(SMI_EACH, "smi-long", "an SMI of 2 ms comes after each millisecond, as smi-each:3000:2000") \
    B(SMI_COOLS, "smi-cools", "the BIOS cools by an SMI of the thermal LVT: without it the board switches off") \
    B(IO_APIC_OPEN, "io-apic-open", "the BIOS left a level-triggered interrupt open whose line is active for good") \
    B(IO_APIC_FIRMWARE, "io-apic-firmware", "the BIOS uses the I/O APIC for an SMI and for the 8259s") \
    B(IO_APIC_FORGETS, "io-apic-forgets", "a read of the I/O APIC makes it forget its register index") \
    B(MACHINE_CHECK, "machine-check", "the processor reports a machine check during the run") \
    B(MACHINE_CHECK_LEFT, "mc-left", "two banks hold machine checks from before the start") \
    B(BIOS_CALLS, "bios-calls", "the boot drive is one that INT 13H does not know; a call uses all free low memory") \
    B(BIOS_HANGS, "bios-hangs", "INT 13H does not return") \
    B(BTS_LEFT, "bts-left", "the BIOS left the branch trace store on") \
    B(SLOW_PORTS, "slow-ports", "an access to an I/O port takes 20 us longer") \
    B(TM1, "hot", "TM1 stops the clocks for 3 us of each 6, as tm1:50")
/* clang-format on */

#define BOARD_NUMBER(board, ...) BOARD_##board,
enum board_defect { BOARDS(BOARD_NUMBER) BOARD_DEFECTS };

/* The interrupt of BOARD_IO_APIC_OPEN. */
#define STUCK_LINE      19u
#define STUCK_INTERRUPT 0x71u
/* The error of the two boards with a machine check: valid, uncorrected, with an address. */
#define MC_BANK    1u
#define MC_ERROR   0xB400000000000135u
#define MC_ADDRESS 0x1234560u
/* A second one, which the BIOS left: valid, uncorrected, without an address. */
#define MC_LEFT_BANK  3u
#define MC_LEFT_ERROR 0xB000000000000175u

/* The SMI of BOARD_IO_APIC_FIRMWARE. */
#define SMI_LINE 20u

/* A set of enum board_defect, and what a run with it has to remember. */
struct defects {
    uint64_t boards;
    uint32_t faulting_msrs[FAULTING_MSRS]; /* the first faulting_count of them */
    unsigned faulting_count;
    struct machine *machine;
    struct random random;              /* draws the moments of NMIs */
    uint64_t nmi_clock;                /* core clock of the next NMI */
    unsigned burst_nmis;               /* that a burst has sent */
    bool failed;                       /* the machine check was raised */
    bool lp1_dead;                     /* the second logical processor has stopped */
    uint32_t heard;                    /* processors that have got a start-up IPI, by index */
    uint64_t halts_at;                 /* core clock until which the HLT that has begun takes, 0: none has */
    unsigned acpi_timer_percent;       /* of its rate at which ACPI's timer runs */
    unsigned run_eighths;              /* the duty cycle of a hot board, */
    struct throttle throttle;          /* and its clocks */
    uint32_t smi_each_us;              /* from one SMI to the next, */
    uint32_t smi_us;                   /* and how long it takes */
    uint64_t smi_clock[MACHINE_CORES]; /* core clock of the next one */
    uint64_t heat_clock;               /* and of the next look at the cooling */
    unsigned hot_ms[NBPMU_LPS];        /* milliseconds without cooling */
};

/* What defect_add() returns for a name that no board has. */
extern const char NO_SUCH_BOARD[];

/* Add the board called name to defects; "counter-dead:N" sets *fault instead, "msr-fault:N" names an MSR by
 * its hexadecimal address, and may be added FAULTING_MSRS times. "tm1:N" is BOARD_TM1 with a duty cycle of N
 * percent; "acpi-timer:N" is BOARD_ACPI_TIMER at N percent of its rate;
 * "smi-each:N" and "smi-each:N:M" are BOARD_SMI_EACH with an SMI each N microseconds, which takes M.
 * Null, or in words why it cannot be added. */
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
 * What may be wrong with the local APICs: a fault of LVTPC (R1, R45, R50 to R53), and two
 * boards.
 */

struct lapic_defects {
    struct nbpmu_fault fault; /* a composed fault of LVTPC; all zero: none */
    bool strikes;             /* it acts in the present act, */
    bool drawn;               /* if that was drawn yet, */
    uint64_t acts, struck;    /* and these are the acts so far */
    bool timer_silent, pmi_storm;
    struct machine *machine;
};

/* Fill in *found. False when the local APICs are sound with this fault and on these boards. */
bool lapic_defects_of(struct lapic_defects *found, const struct nbpmu_fault *fault,
                      const struct defects *boards);

/* For machine_config.injectors, before the others. *defects must live as long as the machine. */
struct injector lapic_defects_injector(struct lapic_defects *defects);

/*
 * ---- lapic_programs.c ----
 * As nbpmu_fault_try(), for faults of LVTPC. False when out of memory, or for another fault.
 */
bool lapic_try(const struct nbpmu_part *part, const struct nbpmu_fault *fault, uint32_t seed,
               uint32_t programs, struct nbpmu_fault_trial *trial);

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
    uint32_t interval_us;   /* between two disturbances, on average */
    uint32_t smi_spread_us; /* by which an SMI may be longer than SMI_LEAST_US */
    unsigned skid_log2;     /* a PMI comes up to 2^skid_log2 clocks late */
    uint32_t port_us;       /* by which an access to an I/O port takes longer */
    bool hot;               /* so that TM1 stops the clocks now and then */
    struct throttle throttle;
    uint32_t agents_one_in; /* another agent of the bus reads at one branch of so many */
};

/* The noise of this seed, for machine_config.injectors. Fills in *noise, which must live as long as the
 * machine. */
struct injector noise_injector(struct noise *noise, uint32_t seed);

#endif
