/*
 * What the three files of the local APIC share: lapic.c, lapic_timer.c and lapic_registers.c.
 */
#ifndef SIM_CPU_LAPIC_PARTS_H
#define SIM_CPU_LAPIC_PARTS_H

#include "lapic.h"
#include "pmc/netburst/regs.h"

#define DFR_FLAT         0xFFFFFFFFu
#define LOWEST_INTERRUPT 16u /* a local APIC accepts no interrupt vector below this one */

#define ESR_RECEIVE_ILLEGAL (1u << 6)

/* ---- lapic.c ---- */

/* The highest interrupt vector whose bit is set in IRR or ISR, -1 when none is. */
int lapic_highest(const uint32_t bits[8]);
/* PPR (SDM 10.8.3.1). */
uint32_t lapic_processor_priority(const struct lapic *lapic);

/* ---- lapic_timer.c ---- */

/* Start the timer with its initial count at core clock `clock`; a count of 0 stops it. */
void lapic_start_timer(struct lapic *lapic, uint64_t clock);
/* The count left at core clock `clock`, 0 when the timer is stopped. */
uint32_t lapic_current_count(const struct lapic *lapic, uint64_t clock);
/* Write the divide configuration: the count that is left goes on at the new rate. */
void lapic_set_divide(struct lapic *lapic, uint32_t value, uint64_t clock);

#endif
