/*
 * Measures the rates of the TSC and the local APIC timer against PIT channel 2, whose gate and output are in
 * port 61H. An SMI lengthens a round, so the shortest of several rounds is taken, as soon as a second one is
 * nearly as short. The counters are read before the PIT starts, so that an SMI between the two lengthens the
 * round too, and never shortens it.
 */
#include "board.h"
#include "kernel/x86/cpu.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/lapic.h"

#define PIT_ROUND        11932u /* ticks of one measurement, a round: 10.0 ms */
#define PIT_CHANNEL_2    0x42
#define PIT_CONTROL      0x43
#define PIT_LATCH_CH_2   0x80 /* keep the count of channel 2 until it is read, low then high byte */
#define PIT_MODE_0_CH_2  0xB0 /* channel 2, low then high byte, mode 0: output rises at the end */
#define SYSTEM_CONTROL   0x61
#define SYSTEM_GATE_2    0x01u
#define SYSTEM_SPEAKER   0x02u
#define SYSTEM_OUTPUT_2  0x20u
#define ROUNDS           3u /* at least */
#define ROUNDS_MOST      20u
#define LOOK_POLLS       2000u /* of the output, until the count must have moved: a fast port takes 0.1 us */
#define TIMER_FULL       0xFFFFFFFFu
#define MIN_TSC_KHZ      1000u    /* a microsecond is a clock at least */
#define ASSUMED_TSC_KHZ  4000000u /* no NetBurst part is faster: waits come out longer, never shorter */
#define ASSUMED_APIC_KHZ 350000u  /* above every bus clock of these parts, for the same reason */
#define SLOWEST_KHZ      1000000u /* of NetBurst parts: one sold for 1.3 GHz saves power at 1.2 */
#define FASTEST_KHZ      10000000u

static const char TOO_LATE[] = "the output of the PIT was high before it was looked at";

static uint32_t tsc_khz = ASSUMED_TSC_KHZ, apic_khz = ASSUMED_APIC_KHZ;
static const char *assumed;

static bool output_is_high(void)
{
    return (in8(SYSTEM_CONTROL) & SYSTEM_OUTPUT_2) != 0;
}

static uint32_t pit_count(void)
{
    out8(PIT_CONTROL, PIT_LATCH_CH_2);
    const uint32_t low = in8(PIT_CHANNEL_2);
    return low | (uint32_t)in8(PIT_CHANNEL_2) << 8;
}

/* Wait for the output as long as the count falls, however long that takes: how much a poll is of a tick,
 * every machine and emulator has its own ratio. In mode 0 the count goes on from FFFFH behind 0. */
static const char *wait_for_output(uint32_t count)
{
    for (;;) {
        for (uint32_t polls = 0; polls < LOOK_POLLS; polls++)
            if (output_is_high())
                return NULL;
        const uint32_t before = count;
        count = pit_count();
        if (output_is_high())
            return NULL;
        if (count == before)
            return "the PIT does not tick";
        if (count > before)
            return "the output of the PIT does not rise";
    }
}

const char *clock_round(uint32_t ticks, uint64_t *tsc, uint32_t *timer)
{
    uint64_t begin;

    out8(SYSTEM_CONTROL, (in8(SYSTEM_CONTROL) & ~SYSTEM_SPEAKER) | SYSTEM_GATE_2);
    out8(PIT_CONTROL, PIT_MODE_0_CH_2);
    out8(PIT_CHANNEL_2, ticks & 0xFF);
    begin = rdtsc();
    if (lapic_present())
        lapic_write(LAPIC_TIMER_INITIAL, TIMER_FULL);
    out8(PIT_CHANNEL_2, (uint8_t)(ticks >> 8));
    if (output_is_high())
        return TOO_LATE;
    const char *why = wait_for_output(ticks);
    if (why != NULL)
        return why;
    *timer = lapic_present() ? TIMER_FULL - lapic_read(LAPIC_TIMER_CURRENT) : 0;
    *tsc = rdtsc() - begin;
    return NULL;
}

/* Convert the counts of one round to a rate in kHz. */
static uint32_t khz(uint64_t counts)
{
    return (uint32_t)div64(counts * PIT_HZ, PIT_ROUND * 1000, NULL);
}

void clock_init(void)
{
    uint64_t best_tsc = UINT64_MAX, second = UINT64_MAX;
    uint32_t best_timer = 0;
    bool interrupts = irq_off();

    for (unsigned round = 0; round < ROUNDS_MOST; round++) {
        uint64_t tsc;
        uint32_t timer;

        assumed = clock_round(PIT_ROUND, &tsc, &timer);
        if (assumed == TOO_LATE) /* an SMI, or the host of a virtual machine, took longer than the round */
            continue;
        if (assumed != NULL)
            break;
        second = tsc < second ? tsc : second;
        if (tsc < best_tsc) {
            second = best_tsc;
            best_tsc = tsc;
            best_timer = timer;
        }
        if (round + 1 >= ROUNDS && second - best_tsc <= (uint32_t)best_tsc >> 7)
            break;
    }
    if (lapic_present())
        lapic_write(LAPIC_TIMER_INITIAL, 0);
    irq_restore(interrupts);
    if (best_tsc != UINT64_MAX)
        assumed = khz(best_tsc) < MIN_TSC_KHZ ? "by the PIT the TSC has less than 1 MHz" : NULL;
    if (assumed != NULL)
        return;
    tsc_khz = khz(best_tsc);
    if (best_timer > 0)
        apic_khz = khz((uint64_t)best_timer * LAPIC_TIMER_DIVIDER);
}

const char *clock_assumed(void)
{
    return assumed;
}

bool clock_is_foreign(void)
{
    return assumed == NULL && (tsc_khz < SLOWEST_KHZ || tsc_khz > FASTEST_KHZ);
}

uint32_t clock_tsc_khz(void)
{
    return tsc_khz;
}

uint32_t clock_apic_khz(void)
{
    return apic_khz;
}

uint64_t clock_seconds_since(uint64_t tsc)
{
    return div64(div64(rdtsc() - tsc, tsc_khz, NULL), 1000, NULL);
}

uint64_t clocks_in_us(uint32_t microseconds)
{
    return div64((uint64_t)microseconds * tsc_khz, 1000, NULL);
}

struct timeout timeout_in_us(uint32_t microseconds)
{
    return (struct timeout){rdtsc() + clocks_in_us(microseconds)};
}

bool timeout_passed(const struct timeout *timeout)
{
    return rdtsc() >= timeout->end_tsc;
}

void io_delay(void)
{
    in8(SYSTEM_CONTROL);
}

void delay_us(uint32_t microseconds)
{
    struct timeout timeout = timeout_in_us(microseconds);

    while (!timeout_passed(&timeout)) { /* two port reads for each of the TSC, which is slow, too */
        io_delay();
        io_delay();
    }
}

void timer_interrupt_in_us(uint32_t microseconds, uint8_t interrupt)
{
    uint64_t count = div64((uint64_t)microseconds * apic_khz, 1000 * LAPIC_TIMER_DIVIDER, NULL);

    if (microseconds > 0 && count == 0)
        count = 1;
    lapic_timer_set(count > UINT32_MAX ? UINT32_MAX : (uint32_t)count, interrupt);
}
