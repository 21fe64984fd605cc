/*
 * HLT on the logical processor that executes the call. Its local APIC timer, which ends the halt, is also the
 * timer of the vector's deadline: the deadline is put off for the time of the halt and set again after it.
 */
#ifndef TESTS_SUITE_HALT_H
#define TESTS_SUITE_HALT_H

#include <stdbool.h>
#include <stdint.h>

/* Halt once, until the timer interrupts after so many microseconds, or another interrupt comes. */
void halt_for_us(uint32_t microseconds);

/* Halt until *flag is true, but not longer than this. True if the flag was set before the time was over: an
 * interrupt other than the timer's ended the halt. */
bool halt_until(const volatile bool *flag, uint32_t microseconds);

#endif
