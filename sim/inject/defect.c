/*
 * The table of the boards, and what each of them changes in the machine at power-up.
 */
#include "inject.h"

#include <stdlib.h>
#include <string.h>
#include "pmc/netburst/regs.h"

static const struct {
    const char *name, *meaning;
} BOARDS[BOARD_DEFECTS] = {
    [BOARD_UART_STUCK] = {"uart-stuck", "the transmitter of COM1 never becomes empty"},
    [BOARD_UART_DIES] = {"uart-dies", "COM1 stops in the middle of the log"},
    [BOARD_UART_MUTE] = {"uart-mute", "the loader raised DTR, and COM1 stops at the first byte"},
    [BOARD_LP1_SILENT] = {"lp1-silent",
                          "the second logical processor is listed in the MADT but never starts"},
    [BOARD_LP1_DIES] = {"lp1-dies", "the second logical processor stops for good during the run"},
    [BOARD_SIPI_LOST] = {"sipi-lost", "the first start-up IPI does not reach the second logical processor"},
    [BOARD_LP1_HALTS_LATE] = {"lp1-halts-late", "the second logical processor takes 15 us into each HLT"},
    [BOARD_PMI_STORM] = {"pmi-storm", "a PMI is raised whenever LVTPC is unmasked"},
    [BOARD_NMI_ANYTIME] = {"nmi-anytime",
                           "unexpected NMIs and interrupts come at any moment, even in handlers"},
    [BOARD_NMI_BURST] = {"nmi-burst", "9000 NMIs come at once, a microsecond apart"},
    [BOARD_MSR_FAULT] = {"msr-fault", "every access to an MSR of the PMU is #GP(0)"},
    [BOARD_MSR_ZERO] = {"msr-zero", "the MSRs of the PMU read 0 and ignore writes"},
    [BOARD_MSR_ALL_FAULT] = {"msr-all-fault", "every access to any MSR is #GP(0)"},
    [BOARD_ACPI_TRUNCATED] = {"acpi-truncated", "the MADT ends in the middle of its last processor"},
    [BOARD_ACPI_CHECKSUM] = {"acpi-checksum", "the checksum of the MADT is wrong"},
    [BOARD_ACPI_LOOP] = {"acpi-loop", "the RSDT lists itself, and a MADT entry has length 0"},
    [BOARD_NO_TABLES] = {"no-tables", "there are no ACPI tables"},
    [BOARD_PIT_DEAD] = {"pit-dead", "the output of the 8254's channel 2 never rises"},
    [BOARD_APIC_DEAD] = {"apic-dead", "the timer of the local APIC counts but never interrupts"},
    [BOARD_PMI_LEFT] = {"pmi-left", "the BIOS left LVTPC unmasked, an overflow flag set and its PMI pending"},
    [BOARD_COM_MOVED] = {"com-moved", "the serial port is at 2E8H; the BIOS data area says so"},
    [BOARD_COM_SPCR] = {"com-spcr", "the serial port is at 2E8H; only ACPI's SPCR says so"},
    [BOARD_TCO_STRAPPED] = {"tco-strapped", "NO_REBOOT is strapped: the watchdog cannot reset the board"},
    [BOARD_NO_PCI] = {"no-pci", "there is no PCI, and so no watchdog"},
    [BOARD_UART_BUSY] = {"uart-busy",
                         "COM1 is still sending for the boot loader, with registers half set up"},
    [BOARD_LINE_HANGS_UP] = {"line-hangs-up",
                             "the loader raised DTR, and the other side of COM1 hangs up when it falls"},
    [BOARD_TCO_SMI] = {"tco-smi", "the BIOS's SMI handler clears each first time-out of the watchdog"},
    [BOARD_LVT_LEFT] = {"lvt-left", "the BIOS left the error interrupt of the local APIC unmasked"},
    [BOARD_APIC_OFF] = {"apic-off", "the BIOS disabled the local APIC in IA32_APIC_BASE"},
    [BOARD_APIC_NONE] = {"apic-none", "the local APIC is disabled in IA32_APIC_BASE and cannot be enabled"},
    [BOARD_BOOT_ON_LP1] = {"boot-on-lp1", "the board starts on the second logical processor"},
    [BOARD_TWO_PACKAGES] = {"two-packages", "the MADT also lists a second package, which must be left alone"},
    [BOARD_APIC_RENUMBERED] = {"apic-renumbered", "the IDs of the local APICs differ from those in CPUID"},
    [BOARD_OTHER_PACKAGE] = {"other-package",
                             "Hyper-Threading is off, and local APIC 1 is that of a second package"},
    [BOARD_HT_OFF] = {"ht-off",
                      "the BIOS turned Hyper-Threading off, and CPUID still says that there are two"},
    [BOARD_CPUID_LIMITED] = {"cpuid-limited", "the BIOS limits CPUID to leaf 3"},
    [BOARD_HYPERVISOR] = {"hypervisor", "CPUID says that the processor is a virtual one"},
    [BOARD_SMI_LONG] = {"smi-long", "an SMI of 2 ms comes after each millisecond"},
    [BOARD_SMI_COOLS] = {"smi-cools",
                         "the BIOS cools by an SMI of the thermal LVT: without it the board switches off"},
    [BOARD_IO_APIC_OPEN] = {"io-apic-open",
                            "the BIOS left a level-triggered interrupt open whose line is active for good"},
    [BOARD_IO_APIC_FIRMWARE] = {"io-apic-firmware",
                                "the BIOS uses the I/O APIC for an SMI and for the 8259s"},
    [BOARD_IO_APIC_FORGETS] = {"io-apic-forgets",
                               "a read of the I/O APIC makes it forget its register index"},
    [BOARD_MACHINE_CHECK] = {"machine-check", "the processor reports a machine check during the run"},
    [BOARD_BIOS_CALLS] =
        {"bios-calls", "the boot drive is one that INT 13H does not know; a call uses all free low memory"},
    [BOARD_BIOS_HANGS] = {"bios-hangs", "INT 13H does not return"},
    [BOARD_BTS_LEFT] = {"bts-left", "the BIOS left the branch trace store on"},
    [BOARD_SLOW_PORTS] = {"slow-ports", "an access to an I/O port takes 20 us longer"},
    [BOARD_HOT] = {"hot", "TM1 stops the clocks for 3 us of each 6"},
    [BOARD_MACHINE_CHECK_LEFT] = {"mc-left", "a bank holds a machine check from before the start"},
};

#define BTS_LEFT        0x1Cu /* IA32_DEBUGCTL: TR, BTS, BTINT */
#define BTS_LEFT_AREA   0x9F000u
#define UART_DIES_AFTER 10000u /* bytes */
#define LEFT_INTERRUPT  0xD5u  /* a BIOS might have used it for its PMI */
#define LEFT_COUNTER    12u
#define MOVED_PORT      0x2E8u
#define RENUMBERED_FROM 8u
#define SLOW_PORT_US    20u
#define ERROR_INTERRUPT 0xD6u /* a BIOS might have used it for errors of its local APIC */

/* Line status reads, each a microsecond, until the bytes that a loader at 9600 baud left in FIFO and shift
 * register are sent. */
#define BUSY_LOOKS (17u * 1042)
/* UART as left by software that stopped in the middle of setting it up: DLAB set, all interrupts enabled. */
#define BUSY_LCR    0x9Bu
#define BUSY_IER    0x0Fu
#define MCR_DTR_RTS 0x03u

#define COUNTER_DEAD "counter-dead:"
#define MSR_FAULT    "msr-fault:"

const char NO_SUCH_BOARD[] = "no such board";

/* The board with a dead counter is a fault of the PMU, from the fault catalogue. */
static bool add_dead_counter(const char *number, struct nbpmu_fault *fault)
{
    char name[40];

    snprintf(name, sizeof name, "counter-dead-%s", number);
    return nbpmu_fault_find(name, fault);
}

static const char *add_faulting_msr(const char *address, struct defects *defects)
{
    char *end;
    unsigned long msr = strtoul(address, &end, 16);

    if (end == address || *end != '\0' || msr == 0 || msr > UINT32_MAX)
        return NO_SUCH_BOARD;
    if (defects->faulting_count == FAULTING_MSRS)
        return "too many registers fault already";
    defects->faulting_msrs[defects->faulting_count++] = (uint32_t)msr;
    return NULL;
}

const char *defect_add(struct defects *defects, const char *name, struct nbpmu_fault *fault)
{
    if (strncmp(name, COUNTER_DEAD, strlen(COUNTER_DEAD)) == 0)
        return add_dead_counter(name + strlen(COUNTER_DEAD), fault) ? NULL : NO_SUCH_BOARD;
    if (strncmp(name, MSR_FAULT, strlen(MSR_FAULT)) == 0)
        return add_faulting_msr(name + strlen(MSR_FAULT), defects);
    for (unsigned i = 0; i < BOARD_DEFECTS; i++) {
        if (strcmp(BOARDS[i].name, name) == 0) {
            defects->boards |= 1ull << i;
            return NULL;
        }
    }
    return NO_SUCH_BOARD;
}

void defect_list(FILE *out)
{
    for (unsigned i = 0; i < BOARD_DEFECTS; i++)
        fprintf(out, "%-15s %s\n", BOARDS[i].name, BOARDS[i].meaning);
    fprintf(out, "%-15s %s\n", COUNTER_DEAD "N", "counter N (0 to 17) never counts");
    fprintf(out, "%-15s %s\n", MSR_FAULT "N", "every access to MSR N (hexadecimal) is #GP(0)");
}

bool defect_is(const struct defects *defects, enum board_defect board)
{
    return defects->boards >> board & 1;
}

static enum msr_access pmu_msrs(const struct defects *defects)
{
    if (defect_is(defects, BOARD_MSR_ALL_FAULT) || defect_is(defects, BOARD_MSR_FAULT))
        return MSR_FAULTS;
    return defect_is(defects, BOARD_MSR_ZERO) ? MSR_IS_ZERO : MSR_WORKS;
}

struct quirks defect_quirks(const struct defects *defects)
{
    struct quirks quirks = {
        .pmu_msrs = pmu_msrs(defects),
        .other_msrs = defect_is(defects, BOARD_MSR_ALL_FAULT) ? MSR_FAULTS : MSR_WORKS,
        .hypervisor = defect_is(defects, BOARD_HYPERVISOR),
        .first_apic_id = defect_is(defects, BOARD_APIC_RENUMBERED) ? RENUMBERED_FROM : 0,
        .apic_never_on = defect_is(defects, BOARD_APIC_NONE),
        .two_packages = defect_is(defects, BOARD_OTHER_PACKAGE),
        .ht_manufactured = defect_is(defects, BOARD_HT_OFF) || defect_is(defects, BOARD_OTHER_PACKAGE),
        .boots_on_last = defect_is(defects, BOARD_BOOT_ON_LP1),
    };
    memcpy(quirks.faulting_msrs, defects->faulting_msrs, sizeof quirks.faulting_msrs);
    return quirks;
}

enum firmware_tables defect_tables(const struct defects *defects)
{
    if (defect_is(defects, BOARD_NO_TABLES))
        return TABLES_NONE;
    if (defect_is(defects, BOARD_ACPI_TRUNCATED))
        return TABLES_TRUNCATED;
    if (defect_is(defects, BOARD_ACPI_CHECKSUM))
        return TABLES_CHECKSUM;
    return defect_is(defects, BOARD_ACPI_LOOP) ? TABLES_LOOP : TABLES_SOUND;
}

/* ---- Power-up ---- */

/* The PMI is pending in IRR. Since OVF is set and LVTPC is unmasked, the next PMI follows at once (R49). */
static void leave_pmi(struct machine *machine)
{
    struct core *core = &machine->core[0];
    struct lapic *lapic = &core->processor[0]->lapic;
    const uint32_t open = LVT_DELIVERY_FIXED | LVT_VECTOR(LEFT_INTERRUPT);

    nbpmu_wrmsr(core->pmu, 0, MSR_CCCR(LEFT_COUNTER), CCCR_OVF | CCCR_OVF_PMI_T0);
    lapic->svr |= LAPIC_SVR_ENABLE;
    lapic->lvt[LVT_PERFORMANCE] = open;
    lapic_raise(lapic, LVT_PERFORMANCE);
    lapic->lvt[LVT_PERFORMANCE] = open;
}

static void leave_error_interrupt(struct lapic *lapic)
{
    lapic->svr |= LAPIC_SVR_ENABLE;
    lapic->lvt[LVT_ERROR] = LVT_DELIVERY_FIXED | LVT_VECTOR(ERROR_INTERRUPT);
}

void leave_machine_check(struct processor *processor)
{
    processor->msrs.machine_check[MC_BANK][1] = MC_ERROR;
    processor->msrs.machine_check[MC_BANK][2] = MC_ADDRESS;
}

static void leave_thermal_smi(struct machine *machine)
{
    for (unsigned i = 0; i < machine->processors; i++) {
        machine->processor[i].lapic.svr |= LAPIC_SVR_ENABLE;
        machine->processor[i].lapic.lvt[LVT_THERMAL] = LVT_DELIVERY_SMI;
    }
}

static void leave_uart_busy(struct uart *uart)
{
    uart->sending = BUSY_LOOKS;
    uart->lcr = BUSY_LCR;
    uart->ier = BUSY_IER;
}

void defect_init(void *context, struct machine *machine)
{
    struct defects *defects = context;

    defects->machine = machine;
    defects->random = random_of_seed(1);
    if (defect_is(defects, BOARD_UART_STUCK))
        machine->board.uart.takes = 0;
    else if (defect_is(defects, BOARD_UART_DIES))
        machine->board.uart.takes = UART_DIES_AFTER;
    else if (defect_is(defects, BOARD_UART_MUTE))
        machine->board.uart.takes = 1;
    if (defect_is(defects, BOARD_COM_MOVED) || defect_is(defects, BOARD_COM_SPCR))
        machine->board.uart_port = MOVED_PORT;
    machine->board.ich.strapped = defect_is(defects, BOARD_TCO_STRAPPED);
    machine->board.ich.absent = defect_is(defects, BOARD_NO_PCI);
    machine->board.ich.smi_handler = defect_is(defects, BOARD_TCO_SMI);
    if (machine->board.ich.smi_handler)
        machine->board.ich.smi_en |= ICH_TCO_EN;
    if (defect_is(defects, BOARD_UART_BUSY))
        leave_uart_busy(&machine->board.uart);
    machine->board.uart.hangs_up = defect_is(defects, BOARD_LINE_HANGS_UP);
    if (machine->board.uart.hangs_up || defect_is(defects, BOARD_UART_MUTE))
        machine->board.uart.mcr = MCR_DTR_RTS;
    machine->board.pit.output2_dead = defect_is(defects, BOARD_PIT_DEAD);
    if (defect_is(defects, BOARD_SLOW_PORTS))
        machine->quirks.port_clocks = (uint32_t)(machine->clock_hz / 1000000 * SLOW_PORT_US);
    if (defect_is(defects, BOARD_HOT))
        defects->throttle = throttle_at(machine->clock_hz, 1, 1);
    if (defect_is(defects, BOARD_PMI_LEFT))
        leave_pmi(machine);
    if (defect_is(defects, BOARD_SMI_COOLS))
        leave_thermal_smi(machine);
    if (defect_is(defects, BOARD_MACHINE_CHECK_LEFT))
        leave_machine_check(&machine->processor[machine->boot]);
    if (defect_is(defects, BOARD_IO_APIC_OPEN))
        machine->board.io_apic.entry[2 * STUCK_LINE] = IO_APIC_LEVEL | STUCK_INTERRUPT;
    machine->board.io_apic.forgets = defect_is(defects, BOARD_IO_APIC_FORGETS);
    if (defect_is(defects, BOARD_IO_APIC_FIRMWARE)) {
        machine->board.io_apic.entry[0] = LVT_DELIVERY_EXTINT;
        machine->board.io_apic.entry[2 * SMI_LINE] = LVT_DELIVERY_SMI;
    }
    if (defect_is(defects, BOARD_APIC_OFF) || defect_is(defects, BOARD_APIC_NONE))
        machine->processor[machine->boot].msrs.apic_base &= ~(uint64_t)APIC_BASE_ENABLE;
    for (unsigned i = 0; i < machine->processors && defect_is(defects, BOARD_BTS_LEFT); i++) {
        machine->processor[i].msrs.debugctl = BTS_LEFT;
        machine->processor[i].msrs.ds_area = BTS_LEFT_AREA;
    }
    for (unsigned i = 0; i < machine->processors && defect_is(defects, BOARD_CPUID_LIMITED); i++)
        machine->processor[i].msrs.misc_enable |= MISC_ENABLE_CPUID_LIMITED;
    if (defect_is(defects, BOARD_BIOS_CALLS))
        leave_bios_interrupts(machine);
    if (defect_is(defects, BOARD_LVT_LEFT))
        leave_error_interrupt(&machine->processor[machine->boot].lapic);
}
