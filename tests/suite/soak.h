/*
 * The soak test: run the selected vectors again and again (boot words loop=, stop-on-fail, timeout=). The
 * first loop logs its points like any run. Later loops log only failures and heartbeats; at the end follows
 * one more point, "soak" (docs/log.md).
 */
#ifndef TESTS_SUITE_SOAK_H
#define TESTS_SUITE_SOAK_H

#include <stdbool.h>
#include "kernel/run/options.h"
#include "vector.h"

/* Start the clock of timeout= and of the heartbeats. */
void soak_begin(const struct options *options);

/* True when there is more than one loop: the plan then has one more point, "soak". */
bool soak_planned(void);

/* The number of this loop, from 1. */
uint32_t soak_loop(void);
/* True in loop 2 and later. */
bool soak_is_later(void);

/* What to do with the next vector. */
enum soak_turn {
    SOAK_RUN,
    SOAK_SKIP, /* nothing more runs after a failure; in the first loop it is reported as such */
};
/* Call before each vector. Bails out when the first loop takes longer than timeout=, after a `not ok` for
 * id. */
enum soak_turn soak_turn(const char *id);

/* Call after a vector of which a measurement or a run was disturbed. */
void soak_disturbed(void);
/* Call after each vector that ran. */
void soak_ran(const struct vector *row, unsigned member);

/* Call at the end of each loop: logs the heartbeat; returns true when another loop follows. */
bool soak_next_loop(void);

/* Call after the last loop: logs the point "soak". */
void soak_report(void);

#endif
