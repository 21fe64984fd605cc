/*
 * Time: the TSC and the local APIC timer, both measured against the PIT (channel 2, polled) at boot. When the
 * PIT does not tick, a rate is assumed that makes waits longer than asked for, never shorter.
 */
#ifndef KERNEL_BOARD_CLOCK_H
#define KERNEL_BOARD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Measure the rates. Takes some tens of milliseconds; call it once, before the functions below. */
void clock_init(void);

/* False when the rates are assumed, because the PIT does not tick. */
bool clock_trusted(void);

uint32_t clock_tsc_khz(void);
uint32_t clock_apic_khz(void); /* input of the local APIC timer, before its divider */

/* Whole seconds since the TSC had this value. */
uint64_t clock_seconds_since(uint64_t tsc);

/* A limit for waiting loops: start it, then ask whether it has passed. Works on either logical processor. */
struct timeout {
    uint64_t end_tsc;
};
struct timeout timeout_in_us(uint32_t microseconds);
bool timeout_passed(const struct timeout *timeout);

/* Wait. Call it at CPL 0: it polls port 61H, which is slow and leaves the core to the other logical
 * processor. */
void delay_us(uint32_t microseconds);

/* Request one interrupt with this vector number from the local APIC timer of this logical processor, so many
 * microseconds from now; 0 stops the timer. Does nothing without a local APIC. */
void timer_interrupt_in_us(uint32_t microseconds, uint8_t interrupt);

#endif
