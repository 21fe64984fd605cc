/*
 * TC_deliver_mode: what the trace cache does for the two logical processors, clock by clock.
 *
 * A logical processor is in the mode of the last instruction it executed, whichever of the two has the clock:
 * inactive while microcode runs (and when halted), building when the instruction was decoded just now, else
 * delivering. Clocks in which nothing retires count for no mode.
 */
#ifndef SIM_EVENTS_TC_MODE_H
#define SIM_EVENTS_TC_MODE_H

#include <stdint.h>

struct processor;

/* Clocks of the instruction that retires pass; what was posted belongs to the first. */
void pass_clocks(struct processor *processor, uint64_t clocks);

#endif
