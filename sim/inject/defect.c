/*
 * The table of the boards, and what each of them changes in the machine at power-up.
 */
#include "inject.h"

#include <stdlib.h>
#include <string.h>
#include "pmc/netburst/regs.h"

static const struct {
    const char *name, *meaning;
} BOARD[BOARD_DEFECTS] = {
#define ROW(board, name, meaning) {name, meaning},
    BOARDS(ROW)};

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
#define TM1          "tm1:"
#define SMI_EACH     "smi-each:"
#define ACPI_TIMER   "acpi-timer:"

const char NO_SUCH_BOARD[] = "no such board";

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

/* IA32_CLOCK_MODULATION knows duty cycles in eighths (SDM vol. 3, 14.7.3), which are named by their whole
 * percents. */
#define EIGHTHS 8u

static const char *set_duty(const char *percent, struct defects *defects)
{
    char *end;
    const unsigned long duty = strtoul(percent, &end, 10);

    for (unsigned eighths = 1; eighths < EIGHTHS; eighths++) {
        if (end != percent && *end == '\0' && duty == 100 * eighths / EIGHTHS) {
            defects->boards |= 1ull << BOARD_TM1;
            defects->run_eighths = eighths;
            return NULL;
        }
    }
    return NO_SUCH_BOARD;
}

#define TIMER_MOST_PERCENT 1000u

static const char *set_acpi_timer(const char *percent, struct defects *defects)
{
    char *end;
    const unsigned long rate = strtoul(percent, &end, 10);

    if (end == percent || *end != '\0' || rate > TIMER_MOST_PERCENT)
        return NO_SUCH_BOARD;
    defects->boards |= 1ull << BOARD_ACPI_TIMER;
    defects->acpi_timer_percent = (unsigned)rate;
    return NULL;
}

#define SMI_USUAL_US     100u
#define SMI_EACH_MOST_US 1000000u

/* The pause between two SMIs is at least as long as the shortest SMI, so that the program runs at all. */
static const char *set_smis(const char *periods, struct defects *defects)
{
    char *end;
    const unsigned long each = strtoul(periods, &end, 10);
    unsigned long length = SMI_USUAL_US;

    if (end != periods && *end == ':') {
        periods = end + 1;
        length = strtoul(periods, &end, 10);
    }
    if (end == periods || *end != '\0' || length < SMI_LEAST_US || each > SMI_EACH_MOST_US ||
        each < length + SMI_LEAST_US)
        return NO_SUCH_BOARD;
    defects->boards |= 1ull << BOARD_SMI_EACH;
    defects->smi_each_us = (uint32_t)each;
    defects->smi_us = (uint32_t)length;
    return NULL;
}

const char *defect_add(struct defects *defects, const char *name, struct nbpmu_fault *fault)
{
    if (strncmp(name, COUNTER_DEAD, strlen(COUNTER_DEAD)) == 0) {
        char dead[40]; /* a fault of the PMU, from the fault catalogue */
        snprintf(dead, sizeof dead, "counter-dead-%s", name + strlen(COUNTER_DEAD));
        return nbpmu_fault_find(dead, fault) ? NULL : NO_SUCH_BOARD;
    }
    if (strncmp(name, MSR_FAULT, strlen(MSR_FAULT)) == 0)
        return add_faulting_msr(name + strlen(MSR_FAULT), defects);
    if (strncmp(name, TM1, strlen(TM1)) == 0)
        return set_duty(name + strlen(TM1), defects);
    if (strncmp(name, SMI_EACH, strlen(SMI_EACH)) == 0)
        return set_smis(name + strlen(SMI_EACH), defects);
    if (strncmp(name, ACPI_TIMER, strlen(ACPI_TIMER)) == 0)
        return set_acpi_timer(name + strlen(ACPI_TIMER), defects);
    if (strcmp(name, BOARD[BOARD_TM1].name) == 0)
        return set_duty("50", defects);
    if (strcmp(name, BOARD[BOARD_SMI_EACH].name) == 0)
        return set_smis("3000:2000", defects);
    for (unsigned i = 0; i < BOARD_DEFECTS; i++) {
        if (strcmp(BOARD[i].name, name) == 0) {
            defects->boards |= 1ull << i;
            return NULL;
        }
    }
    return NO_SUCH_BOARD;
}

void defect_list(FILE *out)
{
    for (unsigned i = 0; i < BOARD_DEFECTS; i++)
        fprintf(out, "%-15s %s\n", BOARD[i].name, BOARD[i].meaning);
    fprintf(out, "%-15s %s\n", COUNTER_DEAD "N", "counter N (0 to 17) never counts");
    fprintf(out, "%-15s %s\n", MSR_FAULT "N", "every access to MSR N (hexadecimal) is #GP(0)");
    fprintf(out, "%-15s %s\n", ACPI_TIMER "N",
            "ACPI's timer, which the FADT names, runs at N percent of its rate");
    fprintf(out, "%-15s %s\n", TM1 "N",
            "TM1 stops the clocks for 3 us at a time, so that they run for N percent: 12, 25, 37, 50, 62, 75 "
            "or 87");
    fprintf(out, "%-15s %s\n", SMI_EACH "N:M",
            "an SMI comes each N microseconds and takes M, at least 5; without :M 100");
}

bool defect_is(const struct defects *defects, enum board_defect board)
{
    return defects->boards >> board & 1;
}

struct quirks defect_quirks(const struct defects *defects)
{
    const bool all_fault = defect_is(defects, BOARD_MSR_ALL_FAULT);
    struct quirks quirks = {
        .pmu_msrs = all_fault || defect_is(defects, BOARD_MSR_FAULT) ? MSR_FAULTS
                    : defect_is(defects, BOARD_MSR_ZERO)             ? MSR_IS_ZERO
                                                                     : MSR_WORKS,
        .other_msrs = all_fault ? MSR_FAULTS : MSR_WORKS,
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
    return defect_is(defects, BOARD_NO_TABLES)        ? TABLES_NONE
           : defect_is(defects, BOARD_ACPI_TRUNCATED) ? TABLES_TRUNCATED
           : defect_is(defects, BOARD_ACPI_CHECKSUM)  ? TABLES_CHECKSUM
           : defect_is(defects, BOARD_ACPI_LOOP)      ? TABLES_LOOP
           : defect_is(defects, BOARD_NO_MADT)        ? TABLES_NO_MADT
                                                      : TABLES_SOUND;
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
        machine->board.uart_base = MOVED_PORT;
    machine->board.uart_stride =
        defect_is(defects, BOARD_UART_WORDS) ? 4 : defect_is(defects, BOARD_UART_BYTES);
    if (machine->board.uart_stride != 0)
        machine->board.uart_base = BOARD_UART;
    machine->board.ich.strapped = defect_is(defects, BOARD_TCO_STRAPPED);
    machine->board.ich.absent = defect_is(defects, BOARD_NO_PCI);
    machine->board.ich.smi_handler = defect_is(defects, BOARD_TCO_SMI);
    if (machine->board.ich.smi_handler)
        machine->board.ich.smi_en |= ICH_TCO_EN;
    if (defect_is(defects, BOARD_UART_BUSY)) {
        machine->board.uart.sending = BUSY_LOOKS;
        machine->board.uart.lcr = BUSY_LCR;
        machine->board.uart.ier = BUSY_IER;
    }
    machine->board.uart.hangs_up = defect_is(defects, BOARD_LINE_HANGS_UP);
    if (machine->board.uart.hangs_up || defect_is(defects, BOARD_UART_MUTE))
        machine->board.uart.mcr = MCR_DTR_RTS;
    machine->board.cmos = defect_is(defects, BOARD_CMOS_ODD)     ? CMOS_ODD
                          : defect_is(defects, BOARD_CMOS_STUCK) ? CMOS_STUCK
                                                                 : CMOS_NONE;
    if (defect_is(defects, BOARD_ACPI_TIMER))
        machine->board.ich.acpi_timer_hz = ICH_ACPI_TIMER_HZ / 100 * defects->acpi_timer_percent;
    machine->board.pit.output2_dead = defect_is(defects, BOARD_PIT_DEAD);
    if (defect_is(defects, BOARD_SLOW_PORTS))
        machine->quirks.port_clocks = (uint32_t)(machine->clock_hz / 1000000 * SLOW_PORT_US);
    if (defect_is(defects, BOARD_TM1))
        defects->throttle = throttle_at(machine->clock_hz, defects->run_eighths, 1, 1);
    if (defect_is(defects, BOARD_PMI_LEFT))
        leave_pmi(machine);
    if (defect_is(defects, BOARD_SMI_COOLS))
        leave_thermal_smi(machine);
    if (defect_is(defects, BOARD_MACHINE_CHECK_LEFT)) {
        leave_machine_check(&machine->processor[machine->boot]);
        machine->processor[machine->boot].msrs.machine_check[MC_LEFT_BANK][1] = MC_LEFT_ERROR;
    }
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
