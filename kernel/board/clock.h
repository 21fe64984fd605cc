/*
 * Time: the TSC and the local APIC timer, both measured against the PIT (channel 2, polled) at boot. When the
 * PIT does not tick, a rate is assumed on the safe side and clock_trusted() says no.
 */
#ifndef KERNEL_BOARD_CLOCK_H
#define KERNEL_BOARD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

void clock_init(void);
bool clock_trusted(void);

uint32_t clock_tsc_khz(void);
uint32_t clock_apic_khz(void); /* of the timer's input, before its divider */

/* Whole seconds since the TSC was that. */
uint64_t clock_seconds_since(uint64_t tsc);

/* A bound for waiting loops: start it, then ask whether it has passed. Works on either logical processor. */
struct timeout {
    uint64_t end_tsc;
};
struct timeout timeout_in_us(uint32_t microseconds);
bool timeout_passed(const struct timeout *timeout);

/* Polls port 61H meanwhile (CPL 0 only): slow, and gentle to the other logical processor. */
void delay_us(uint32_t microseconds);

/* One interrupt of this vector from the timer of this logical processor's local APIC, so many microseconds
 * from now (after clock_init()); 0 stops the timer. Does nothing without a local APIC. */
void timer_interrupt_in_us(uint32_t microseconds, uint8_t vector);

#endif
