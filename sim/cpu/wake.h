/*
 * Interrupts from outside, NMIs and vectors of the local APIC, that wait for a processor; and making a
 * processor notice a change.
 */
#ifndef SIM_CPU_WAKE_H
#define SIM_CPU_WAKE_H

#include <stdbool.h>
#include <stdint.h>

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

/*
 * Something changed that may interrupt this processor. If it is the running one, it checks before its next
 * instruction. If it is halted and an interrupt can now be taken, it becomes active and the scheduler chooses
 * again. No other function is needed after a change of local APIC, NMI or code.
 */
void processor_kick(struct processor *processor);

/* Add clocks to the cost of the instruction that the running processor executes. */
void processor_stall(struct processor *processor, uint32_t clocks);

#endif
