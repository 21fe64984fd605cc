/*
 * Taking PMIs in a vector: a handler that counts them and leaves LVTPC masked, so that no storm can follow
 * (E7).
 */
#ifndef TESTS_SUITE_PMI_COUNTER_H
#define TESTS_SUITE_PMI_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* LVTPC of the logical processor executing the call: fixed delivery of VECTOR_PMI, unmasked or masked. */
void pmi_unmask(void);
void pmi_mask(void);

/* Zero the counts, install the counting handler and unmask LVTPC of the logical processor executing the call.
 */
void pmi_arm(uint32_t delivery); /* LVT_DELIVERY_FIXED or LVT_DELIVERY_NMI */
/* Mask LVTPC here, remove the handler, and drain PMIs that are still in flight (pmi_drain()). */
void pmi_disarm(void);

/* PMIs taken on logical processor 0 or 1 since pmi_arm(). */
unsigned pmi_taken(unsigned lp);
/* OVF of the counter, for which a PMI was taken or not. A PMI may come without OVF (E9): that is reported,
 * and counts as OVF. */
bool pmi_overflowed(unsigned counter, bool interrupted);
/* The first PMI came as an NMI. */
bool pmi_was_nmi(void);
/* The first PMI found LVTPC masked by the delivery itself (R51). */
bool pmi_found_masked(void);

/* Wait, with interrupts on, long enough for a pending PMI to be taken (R54). */
void pmi_wait_for_delivery(void);

#endif
