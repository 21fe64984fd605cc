/*
 * Probes of what the board and its firmware do to a measurement: SMIs, clock rates and throttling (question
 * 10.16; F22 to F24). A probe judges nothing; its lines go to the sheet.
 */
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/cost.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

/* ---- Gaps: with interrupts off only an SMI, or a stopped clock, delays one reading of the TSC ---- */

#define WATCHED_US 4000
#define FIRST      64 /* readings whose median is the usual distance */
#define FAR        8  /* times the usual distance: a gap */

static void gaps(void)
{
    uint32_t distance[FIRST], longest = 0, sum = 0, many = 0;
    bool were_on = irq_off();
    struct timeout end = timeout_in_us(WATCHED_US);
    uint64_t before = rdtsc();

    for (unsigned i = 0; i < FIRST; i++) {
        uint64_t now = rdtsc();

        distance[i] = (uint32_t)(now - before);
        before = now;
    }
    uint32_t usual = spread_of(distance, FIRST).median;
    before = rdtsc();
    while (before < end.end_tsc) {
        uint64_t now = rdtsc();
        uint32_t passed = (uint32_t)(now - before);

        longest = passed > longest ? passed : longest;
        if (passed > FAR * usual) {
            many++;
            sum += passed;
        }
        before = now;
    }
    irq_restore(were_on);
    sheet_line("10.16a", "%u in %u us, %u clocks in all; longest distance %u clocks, usual %u", many,
               WATCHED_US, sum, longest, usual);
}

/* ---- Clock rates, in thousandths ---- */

#define WINDOWS   16
#define WINDOW_US 100
#define COUNTER   3

#define RATE(thousandths) (thousandths) / 1000, (thousandths) % 1000

static void rates(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, COUNTER);
    uint32_t rate[WINDOWS];

    pmc_arm(&p, 0);
    pmc_start(&p);
    for (unsigned i = 0; i < WINDOWS; i++) {
        struct progress window = progress_of(pmc_read, COUNTER, delay_us, WINDOW_US);

        rate[i] = share(window.value, window.ticks, 1000);
    }
    pmc_stop_all();
    struct spread s = spread_of(rate, WINDOWS);
    sheet_line("10.16b", "%u.%03u to %u.%03u in %u windows of %u us", RATE(s.least), RATE(s.most), WINDOWS,
               WINDOW_US);
}

static uint64_t counted_down(unsigned lapic_register)
{
    return -lapic_read(lapic_register);
}

/* The deadline's timer runs meanwhile; it counts down at the bus clock, which nothing throttles. */
static void bus_rate(void)
{
    struct progress bus = progress_of(counted_down, LAPIC_TIMER_CURRENT, delay_us, WINDOWS * WINDOW_US);

    if (bus.value == 0) {
        sheet_line("10.16c", "the timer stands still");
        return;
    }
    uint32_t at_boot = share(clock_tsc_khz(), clock_apic_khz(), 1000);
    uint32_t relation = share(share(bus.ticks, bus.value * LAPIC_TIMER_DIVIDER, 1000), at_boot, 1000);
    sheet_line("10.16c", "%u.%03u of that at boot", RATE(relation));
}

/* ---- Thermal monitor ---- */

#define CPUID_1_EDX_ACPI FIELD_MASK(22, 22) /* thermal monitor and clock modulation registers */
#define CPUID_1_EDX_TM   FIELD_MASK(29, 29)
#define THERM_HOT_NOW    FIELD_MASK64(0, 0)
#define THERM_HOT_ONCE   FIELD_MASK64(1, 1) /* sticky until software clears it */
#define MODULATION_ON    FIELD_MASK64(4, 4)

static void thermal(void)
{
    uint32_t features = cpuid(1, 0).edx;
    uint64_t status, modulation;

    if ((features & CPUID_1_EDX_ACPI) == 0) {
        sheet_line("10.16d", "CPUID has no thermal monitor");
        return;
    }
    if (msr_try_read(MSR_IA32_THERM_STATUS, &status) != NO_FAULT ||
        msr_try_read(MSR_IA32_CLOCK_MODULATION, &modulation) != NO_FAULT) {
        sheet_line("10.16d", "RDMSR faults");
        return;
    }
    sheet_line("10.16d", "%8llH, %s; %8llH, modulation %s%s", status,
               status & THERM_HOT_NOW    ? "hot now"
               : status & THERM_HOT_ONCE ? "was hot"
                                         : "never hot",
               modulation, modulation & MODULATION_ON ? "on" : "off",
               features & CPUID_1_EDX_TM ? "" : "; no automatic throttling");
}

static const struct vector probes_board_rows[] = {
    PROBE("probe.board.gaps", "gaps in a loop of RDTSC", .also = "10.16", .run = gaps),
    PROBE("probe.board.rates", "core clock by the TSC", .also = "R42 10.16", .stages = STAGE_COUNT,
          .run = rates),
    PROBE("probe.board.bus", "TSC by the local APIC's timer", .also = "10.16", .needs = NEED_LAPIC,
          .run = bus_rate),
    PROBE("probe.board.thermal", "thermal monitor and clock modulation", .also = "10.16", .run = thermal),
};
VECTOR_GROUP(probes_board);
