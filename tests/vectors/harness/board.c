/*
 * The board around the processor: clocks that agree with each other, tables whose sums and lengths are right,
 * memory, the CMOS clock and the serial line. What a board lacks is skipped. What contradicts itself fails if
 * a vector needs it: TSC, PIT, local APIC timer, memory, and the MADT where there may be a second logical
 * processor. Of what no vector needs, a comment says what is wrong, and the point is ok.
 */
#include "kernel/board/board.h"
#include "kernel/console/console.h"
#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/run/run.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "boot/boot.h"
#include "tests/suite/expect.h"
#include "tests/suite/needs.h"
#include "tests/suite/vector.h"

/* ---- Clocks ---- */

#define READS       200u
#define ROUNDS      16u
#define ROUNDS_MOST 96u  /* where SMIs come all the time */
#define ROUND_US    400u /* a round lasts at least so long, and less than twice as long */
#define PART        20u  /* rates agree within a twentieth */
#define PIT_PART    10u  /* of the PIT: two accesses to slow ports, of 20 us each, lengthen a round */

/* What rounds differ by. SMIs that come at a rate of their own would otherwise meet the end of each round. */
#define LENGTH_STEP_US 149u
#define PAUSE_STEP_US  83u

static void tsc(void)
{
    const uint64_t first = rdtsc();
    uint64_t before = first;

    for (unsigned i = 0; i < READS; i++) {
        const uint64_t now = rdtsc();

        require_true(HARNESS, now >= before, "the TSC does not go back");
        before = now;
    }
    expect_true(HARNESS, before > first, "the TSC counts");
}

/* What is measured of the TSC in one round of another clock, which lasts so many microseconds at least: its
 * clocks, and the other one's ticks. */
struct round {
    uint32_t us;
    uint64_t clocks;
    uint32_t ticks;
};

/* The two lowest rates of the TSC in kHz that rounds of another clock gave; UINT32_MAX: there was none. */
struct rates {
    uint32_t least, second;
};

/* By a clock of so many Hz. An SMI, or the host of a virtual machine, lengthens a round, and nothing shortens
 * it: so the shortest of several counts, and another one must come near it. If one of the first ROUNDS was
 * longer, all ROUNDS_MOST are made. */
static struct rates rates_by(bool (*measure)(struct round *), uint64_t hz)
{
    struct rates rates = {UINT32_MAX, UINT32_MAX};
    uint32_t most = 0;

    for (unsigned i = 0; i < ROUNDS || (i < ROUNDS_MOST && most - rates.least > rates.least / PART); i++) {
        struct round round = {.us = ROUND_US + i * LENGTH_STEP_US % ROUND_US};

        delay_us(i * PAUSE_STEP_US % ROUND_US);
        irq_off();
        const bool ticks = measure(&round);
        timer_interrupt_in_us(1000 * DEADLINE_MS, INTERRUPT_TIMER);
        irq_on();
        if (!ticks) /* or it was over within an SMI, before it was looked at */
            continue;
        const uint32_t khz = (uint32_t)div64(div64(round.clocks * hz, round.ticks, NULL), 1000, NULL);
        most = khz > most ? khz : most;
        if (khz < rates.least)
            rates = (struct rates){khz, rates.least};
        else if (khz < rates.second)
            rates.second = khz;
    }
    return rates;
}

static bool is_steady(struct rates rates)
{
    return rates.second != UINT32_MAX && rates.second - rates.least <= rates.least / PART;
}

/* The rate of the TSC in kHz by a clock that vectors need. */
static uint32_t tsc_khz(bool (*measure)(struct round *), uint64_t hz, const char *name)
{
    const struct rates rates = rates_by(measure, hz);

    require_true(HARNESS, rates.second != UINT32_MAX, "the %s counts", name);
    require_between(HARNESS, rates.least, rates.least + rates.least / PART, rates.second,
                    "kHz of the TSC by the %s in the second shortest round, against the shortest", name);
    return rates.least;
}

/* What is wrong with a device or a table that no vector needs. */
static void inform(const char *fmt, ...)
{
    char text[120];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    tap_comment(COMMENT_INFO, "no vector needs it: %s", text);
}

static bool pit_round(struct round *round)
{
    uint32_t timer;

    round->ticks = (uint32_t)div64((uint64_t)PIT_HZ * round->us, 1000000, NULL);
    return clock_round(round->ticks, &round->clocks, &timer) == NULL;
}

static bool apic_round(struct round *round)
{
    const struct timeout end = timeout_in_us(round->us);
    const uint64_t begin = rdtsc();

    lapic_timer_set(UINT32_MAX, INTERRUPT_TIMER);
    while (!timeout_passed(&end))
        cpu_relax();
    round->ticks = UINT32_MAX - lapic_read(LAPIC_TIMER_CURRENT);
    round->clocks = rdtsc() - begin;
    return round->ticks > 0;
}

/* ACPI's fixed table names the port of its timer (ACPI 2.0, 4.7.3.3, 5.2.8.1). */
#define ACPI_TIMER_AT    76u
#define ACPI_TIMER_HZ    3579545u
#define ACPI_TIMER_BITS  0xFFFFFFu /* or 32 */
#define ACPI_TIMER_POLLS 10000u    /* of a port that takes at least a tenth of a microsecond */

static uint16_t acpi_timer;

static bool acpi_round(struct round *round)
{
    const uint32_t from = in32(acpi_timer);
    const uint64_t begin = rdtsc();
    unsigned polls = 0;

    while (round->ticks < ACPI_TIMER_HZ / 1000000 * round->us && polls++ < ACPI_TIMER_POLLS)
        round->ticks = (in32(acpi_timer) - from) & ACPI_TIMER_BITS;
    round->clocks = rdtsc() - begin;
    return polls < ACPI_TIMER_POLLS;
}

/* Waits come out longer than asked for, never shorter. */
static void pit(void)
{
    if (clock_assumed())
        skip_now("%s", clock_assumed());
    const uint32_t khz = tsc_khz(pit_round, PIT_HZ, "PIT");
    expect_between(HARNESS, khz - khz / PIT_PART, UINT64_MAX, clock_tsc_khz(),
                   "kHz of the TSC, for waits, against what the PIT says now");
}

static void apic(void)
{
    const uint32_t khz =
        tsc_khz(apic_round, div64(clock_apic_khz(), LAPIC_TIMER_DIVIDER, NULL) * 1000, "local APIC timer");

    if (clock_assumed())
        skip_now("no clock is known to compare the local APIC timer with");
    expect_near(HARNESS, clock_tsc_khz(), clock_tsc_khz() / PART, khz,
                "kHz of the TSC by the local APIC timer, against those at boot");
}

/* Its port; 0: none that we could read. */
static uint16_t acpi_timer_port(void)
{
    uint32_t length, port = 0;
    const uint8_t *table = acpi_table("FACP", &length);

    if (table && length >= ACPI_TIMER_AT + 4)
        port = load32le(table + ACPI_TIMER_AT);
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

/* On real boards it stands, or runs at twice or three times its rate. */
static void acpi(void)
{
    struct round first = {.us = ROUND_US};
    const char *damage = acpi_damage("FACP");

    acpi_timer = acpi_timer_port();
    if (damage) {
        inform("the FADT: %s", damage);
        return;
    }
    if (acpi_timer == 0)
        skip_now("the firmware lists no ACPI timer");
    if (!acpi_round(&first)) {
        inform("the ACPI timer does not count");
        return;
    }
    const struct rates rates = rates_by(acpi_round, ACPI_TIMER_HZ);
    const uint32_t due = clock_tsc_khz(), part = due / PART;
    if (clock_assumed())
        skip_now("no clock is known to compare the ACPI timer with");
    if (!is_steady(rates))
        inform("the ACPI timer does not keep its rate");
    else if (rates.least < due - part || rates.least > due + part)
        inform("the ACPI timer runs at %u %% of its rate",
               (uint32_t)div64(100ull * due + rates.least / 2, rates.least, NULL));
}

#define FILE_MS 5000 /* a stick may be slow */

/* ---- CMOS ---- */

#define CMOS_INDEX   0x70
#define CMOS_DATA    0x71
#define CMOS_A       0x0A
#define CMOS_UPDATES 0x80u
#define CMOS_B       0x0B
#define CMOS_BINARY  0x04u
#define UPDATE_US    20000u /* an update takes 2 ms */

static uint8_t cmos(uint8_t reg)
{
    out8(CMOS_INDEX, reg);
    return in8(CMOS_DATA);
}

static void clock_of_cmos(void)
{
    const struct timeout patience = timeout_in_us(UPDATE_US);
    bool updates;

    if (cmos(CMOS_A) == 0xFF && cmos(CMOS_B) == 0xFF)
        skip_now("no CMOS clock answers");
    while ((updates = cmos(CMOS_A) & CMOS_UPDATES) && !timeout_passed(&patience))
        continue;
    const uint8_t seconds = cmos(0);
    const bool binary = cmos(CMOS_B) & CMOS_BINARY;
    const unsigned value = binary ? seconds : (seconds >> 4) * 10u + (seconds & 15);
    if (updates)
        inform("the update of the CMOS clock does not end");
    else if (value > 59)
        inform("the CMOS clock says %u seconds", value);
}

static void serial_line(void)
{
    if (!uart_present())
        skip_now("no serial line answers, or none is used");
    const char *wrong = uart_wrong();
    if (wrong)
        inform("the UART: %s", wrong);
}

/* The BIOS writes it with the timer of the local APIC masked. */
static void log_file(void)
{
    if (!log_store_is_open())
        skip_now("no log file is written");
    const char *wrong = log_store_try();
    timer_interrupt_in_us(1000 * DEADLINE_MS, INTERRUPT_TIMER);
    if (wrong)
        inform("the log file: %s", wrong);
}

/* ---- Memory and tables ---- */

static void memory(void)
{
    const uint32_t begin = (uint32_t)(uintptr_t)image_begin;

    if (memory_map_empty())
        skip_now("the loader gives no memory map");
    expect_between(HARNESS, 1024, UINT64_MAX, memory_map_ram_kb(), "KB of RAM");
    expect_true(HARNESS,
                memory_map_touches_ram(begin, 1) &&
                    memory_map_touches_ram(begin + image_loaded().bytes - 1, 1),
                "the image lies in RAM of the memory map");
    expect_true(HARNESS, memory_map_low_page() != 0, "there is a free page below 640 KB");
}

/* What is wrong with the MADT, or null. */
static const char *madt_wrong(void)
{
    struct processor_list list;
    bool listed = !(machine_meets() & NEED_LAPIC); /* without a local APIC its ID is not known */

    if (acpi_damage("APIC"))
        return acpi_damage("APIC");
    if (!acpi_processors(&list))
        return "it lists no processor";
    for (unsigned i = 0; i < list.count && i < FIRMWARE_PROCESSORS; i++)
        listed = listed || list.apic_ids[i] == smp_topology()->bsp_apic_id;
    return !list.whole                                    ? "its entries do not end where it ends"
           : !listed && list.count <= FIRMWARE_PROCESSORS ? "it does not list the boot processor"
                                                          : NULL;
}

/* Only the second logical processor is looked for in the MADT. */
static bool madt_needed(void)
{
    return (machine_meets() & NEED_LAPIC) && smp_topology()->threads_per_core > 1;
}

static void tables(void)
{
    uint32_t length;

    if (!acpi_present())
        skip_now("no ACPI tables within reach");
    if (!acpi_table("APIC", &length) && !acpi_damage("APIC"))
        skip_now("the firmware has no MADT");
    const char *wrong = madt_wrong();
    if (madt_needed())
        expect_true(HARNESS, !wrong, "the MADT: %s", wrong ? wrong : "whole");
    else if (wrong)
        inform("the MADT: %s", wrong);
}

static const struct vector board_rows[] = {
    CHECK("harness.clock.tsc", "the TSC counts, and never back", .also = "PC", .run = tsc),
    CHECK("harness.clock.pit", "the TSC keeps its rate by the PIT", .also = "PC", .run = pit),
    CHECK("harness.clock.apic", "the TSC keeps its rate by the local APIC timer", .also = "PC",
          .needs = NEED_LAPIC, .run = apic),
    CHECK("harness.clock.acpi", "the TSC keeps its rate by the ACPI timer", .also = "PC", .run = acpi),
    CHECK("harness.cmos", "the CMOS clock has a time", .also = "PC", .run = clock_of_cmos),
    CHECK("harness.serial", "the serial line is as it was set", .also = "PC", .run = serial_line),
    CHECK("harness.logfile", "the log file keeps what is written into its second and its last sector",
          .also = "PC", .deadline_ms = FILE_MS, .run = log_file),
    CHECK("harness.memory", "the memory map has what the image needs", .also = "PC", .run = memory),
    CHECK("harness.tables", "the ACPI tables are whole, and list this processor", .also = "PC",
          .run = tables),
};
VECTOR_GROUP(board);
