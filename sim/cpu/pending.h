/*
 * Interrupts from outside, NMIs and vectors of the local APIC, that wait for a processor.
 */
#ifndef SIM_CPU_PENDING_H
#define SIM_CPU_PENDING_H

#include <stdbool.h>

struct processor;

/* Is an NMI waiting, and not blocked by an NMI handler? */
bool nmi_wanted(const struct processor *processor);

/* Is an interrupt waiting that the processor takes before its next instruction? */
bool interrupt_wanted(const struct processor *processor);

/*
 * As interrupt_wanted(), but ignores the one-instruction shadow of STI and MOV SS: the interrupt is taken now
 * or after the next instruction. An interrupt that IF holds back does not count; only an INSN_IF or INSN_IRET
 * can let it through.
 */
bool interrupt_near(const struct processor *processor);

#endif
