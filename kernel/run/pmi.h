/* The handler of PMIs, and the count of unexpected interrupts. */
#ifndef KERNEL_RUN_PMI_H
#define KERNEL_RUN_PMI_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/x86/trap.h"

/*
 * A PMI handler is called on the logical processor that took the interrupt, with interrupts off and the
 * interrupted frame. It does the manual's whole handler sequence itself, EOI included in fixed mode (R52).
 */
typedef void pmi_handler(struct trap_frame *frame, unsigned lp, bool nmi);

/* Set the handler, or none (null): then a PMI is counted as unexpected, LVTPC stays masked by it, and the
 * caller has to disarm the CCCRs. */
void pmi_set_handler(pmi_handler *handler);

/* Far beyond any latency of an interrupt of these parts (F7: 10,000 clocks), in microseconds. */
#define PMI_DELIVERY_US 50u

/*
 * Waiting for a PMI, for as long as the processor executes: it takes no interrupt in an SMI, nor while its
 * clock is stopped (TM1). A port read takes about a microsecond. What it takes longer than this is not
 * counted.
 */
#define PMI_READ_US 4u
struct pmi_patience {
    uint64_t end_tsc;      /* of the wait */
    uint64_t read_end_tsc; /* when the next read should have ended */
    uint64_t read_clocks;  /* PMI_READ_US */
    unsigned pmis;         /* that had come when it began, for pmi_storms() */
};
struct pmi_patience pmi_patience(void);
/* Reads a port. Returns whether the patience is over. If no PMI came meanwhile, that was a pause
 * (pmi_storms()). */
bool pmi_patience_over(struct pmi_patience *patience);
/* Waits, with interrupts on, long enough for a pending PMI to be taken (R54). */
void pmi_wait_for_delivery(void);

/*
 * The end of every test that takes PMIs: remove the handler and wait, with interrupts on, for PMIs in flight.
 * One can arrive after its counter was disabled, OVF cleared and LVTPC masked (F27). It is counted as a
 * stray, and neither as unexpected nor by the next test. Call it with LVTPC masked, in the delivery mode of
 * the test.
 */
void pmi_drain(void);
/* Stray PMIs since boot. */
uint32_t pmi_strays(void);
/* All PMIs since boot, on either logical processor. */
uint32_t pmi_count(void);

/*
 * For the interrupt handlers, at each interrupt that may be a PMI: true when it is the PMI_STORM-th on this
 * logical processor without a pause. A pause is a struct pmi_patience that is over without a PMI on either
 * processor. The time from one PMI to the next would say nothing: an SMI or stopped clocks (TM1) lengthen it,
 * while in a storm the program has got no further. Every test pauses, in pmi_drain() at the latest, long
 * before it has taken so many.
 */
bool pmi_storms(void);
#define PMI_STORM    1000u
#define PMI_STORM_US PMI_DELIVERY_US /* how long a pause is at least, for who reads of a storm */

/* For the interrupt handlers: call the PMI handler. False when there is none: the PMI is counted as
 * unexpected. */
bool pmi_deliver(struct trap_frame *frame, bool nmi);
/* Count an NMI that is no PMI. */
void pmi_count_other_nmi(void);

/* Interrupts since boot that nothing expected: PMIs without a handler, NMIs of other origin, and vectors
 * without a handler. */
struct unexpected_interrupts {
    uint32_t pmi, nmi, other;
};
struct unexpected_interrupts unexpected_interrupts(void);

#endif
