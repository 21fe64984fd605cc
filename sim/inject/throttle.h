/*
 * The thermal monitor TM1 (SDM vol. 3, 14.7.2.1): while the processor is hot, its clocks are stopped about
 * half of the time, some microseconds at once. Time, bus clocks and TSC go on; the PMU and both logical
 * processors stand still.
 */
#ifndef SIM_INJECT_THROTTLE_H
#define SIM_INJECT_THROTTLE_H

#include <stdint.h>
#include "sim/machine/machine.h"

/* In core clocks. period 0: never hot. */
struct throttle {
    uint64_t period, stopped; /* once in a period the clocks stop for so long */
    uint64_t phase;           /* of heat, */
    unsigned one_in;          /* which is one of so many phases; 1: always */
    uint64_t next[MACHINE_CORES];
};

/* A duty cycle of 50 %, and stops of 3 us. */
struct throttle throttle_at(uint64_t clock_hz, unsigned hot_us, unsigned one_in);
/* Core clock by which throttle_run() is to be called for core number c. */
uint64_t throttle_next(const struct throttle *throttle, unsigned c);
/* Stop the core if it is time. */
void throttle_run(struct throttle *throttle, unsigned c, struct core *core, struct run_control *control);

#endif
