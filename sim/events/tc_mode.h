/*
 * TC_deliver_mode: what the trace cache does for the two logical processors, clock by clock.
 *
 * The mode of a logical processor follows from the last instruction that it executed: inactive for microcode,
 * building when the instruction was just decoded, otherwise delivering; a halted processor is inactive.
 * Clocks in which no instruction retires have no mode.
 */
#ifndef SIM_EVENTS_TC_MODE_H
#define SIM_EVENTS_TC_MODE_H

#include <stdint.h>

struct processor;

/* Let clocks of the retiring instruction pass; the posted events belong to the first. */
void pass_clocks(struct processor *processor, uint64_t clocks);

#endif
