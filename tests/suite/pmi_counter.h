/*
 * Taking PMIs in a vector: a handler that counts them and leaves LVTPC masked, so that no storm can follow
 * (E7).
 */
#ifndef TESTS_SUITE_PMI_COUNTER_H
#define TESTS_SUITE_PMI_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"
#include "kernel/run/pmi.h" /* pmi_wait_for_delivery() */
#include "pmc/netburst/setup.h"

/* LVTPC of the logical processor executing the call: fixed delivery of INTERRUPT_PMI, unmasked or masked. */
void pmi_unmask(void);
void pmi_mask(void);
/* From now on, and as long as `too`, they write INTERRUPT_PMI_TOO. */
void pmi_use_vector_too(bool too);
/* LVTPC of the logical processor executing the call: unmasked, LVT_DELIVERY_FIXED or LVT_DELIVERY_NMI. */
void pmi_unmask_as(uint32_t delivery);

/* Mask LVTPC of the logical processor executing the call; interrupt vector and delivery mode stay, so that a
 * late NMI is still known as a PMI. */
void pmi_hold(void);

/* From now on the handler sends no EOI on the logical processor executing the call, until pmi_eoi(). A fixed
 * PMI that it has taken stays in service there, and holds up the next one (R50). */
void pmi_delay_eoi(void);
/* Is a PMI in service whose EOI was not sent? */
bool pmi_owes_eoi(void);
/* Send the EOI that is owed, if one is, and from now on at once. On the logical processor that delayed it. */
void pmi_eoi(void);

/* Zero the counts, install the counting handler and unmask LVTPC of the logical processor executing the call.
 */
void pmi_arm(void);
/* Mask LVTPC here, remove the handler, and drain PMIs that are still in flight (pmi_drain()). */
void pmi_disarm(void);

/* PMIs taken on logical processor 0 or 1 since pmi_arm(). */
unsigned pmi_taken(unsigned lp);
/* So many of them came as NMIs; so many found LVTPC not masked by their delivery (R51). */
unsigned pmi_taken_as_nmis(unsigned lp);
unsigned pmi_found_unmasked(unsigned lp);
/* How many PMIs to expect on lp, where so many were taken: one if its OVF_PMI flag is set, but none if
 * OVF_PMI_T1 does nothing (E5), which is reported. */
unsigned pmi_due(unsigned lp, bool flag, uint64_t taken_there);

/* Let the counter of p overflow by this workload, which must suit its event, and count on. p->cccr says where
 * the PMI goes. PMI_PRESET is not among the presets for which a PMI may come early (E20). */
#define PMI_PRESET 80
#define PMI_EVENTS 200
void pmi_overflow(const struct pmc_programming *p, const struct workload *work);

/* What a clock can add at most (R8): a counter that has wrapped and holds more has counted on in a later
 * clock. */
#define ONE_CLOCK 15

#endif
