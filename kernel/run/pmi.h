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
