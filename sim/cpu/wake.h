/*
 * Making a processor notice a change.
 */
#ifndef SIM_CPU_WAKE_H
#define SIM_CPU_WAKE_H

#include <stdint.h>

struct processor;

/*
 * Something changed that may interrupt this processor. If it is the running one, it checks before its next
 * instruction. If it is halted and an interrupt can now be taken, it becomes active and the scheduler chooses
 * again. No other function is needed after a change of local APIC, NMI or code.
 */
void processor_kick(struct processor *processor);

/* Add clocks to the cost of the instruction that the running processor executes. */
void processor_stall(struct processor *processor, uint32_t clocks);

#endif
