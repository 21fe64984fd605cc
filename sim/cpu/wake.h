/*
 * Telling a processor that something has changed which it must not miss.
 */
#ifndef SIM_CPU_WAKE_H
#define SIM_CPU_WAKE_H

#include <stdint.h>

struct processor;

/*
 * Something changed that may interrupt this processor. The one that runs looks before its next instruction; a
 * halted one that would take an interrupt now becomes active, and the scheduler chooses anew.
 */
void processor_kick(struct processor *processor);

/* The running processor's instruction takes so many clocks more than its table says. */
void processor_stall(struct processor *processor, uint32_t clocks);

#endif
