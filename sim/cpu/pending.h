/*
 * Is an interrupt from outside waiting for a processor: an NMI, or a vector of its local APIC?
 */
#ifndef SIM_CPU_PENDING_H
#define SIM_CPU_PENDING_H

#include <stdbool.h>

struct processor;

/* Is an NMI waiting that no NMI handler holds off? */
bool nmi_wanted(const struct processor *processor);

/* Is an interrupt waiting that the processor takes before its next instruction? */
bool interrupt_wanted(const struct processor *processor);

/*
 * As interrupt_wanted(), without regard to the one-instruction shadow of STI and MOV SS: one waits that is
 * taken now or after the next instruction. An interrupt that IF holds off is not meant; it can be taken only
 * after an INSN_IF or INSN_IRET.
 */
bool interrupt_near(const struct processor *processor);

#endif
