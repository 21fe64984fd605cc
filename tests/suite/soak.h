/*
 * The soak: the selected vectors again and again (boot words loop=, stop-on-fail, timeout=). The first loop
 * reports its points like any run; of later ones the log has failures and heartbeats, and in the end one
 * point more, "soak" (docs/log.md).
 */
#ifndef TESTS_SUITE_SOAK_H
#define TESTS_SUITE_SOAK_H

#include <stdbool.h>
#include "kernel/run/options.h"
#include "vector.h"

/* The clock starts. */
void soak_begin(const struct options *options);

/* True when there is more than one loop, so that the plan has a point more. */
bool soak_planned(void);

/* True in loop 2 and later. */
bool soak_is_later(void);

/* What becomes of the vector that is due. */
enum soak_turn {
    SOAK_RUN,
    SOAK_SKIP, /* nothing more runs after a failure; in the first loop it is reported as such */
};
/* Asked before each vector. Bails out when the first loop takes longer than timeout=, after a `not ok` for
 * id. */
enum soak_turn soak_turn(const char *id);

/* Told after each vector that ran: a measurement or a run of it was outvoted. */
void soak_disturbed(void);
/* Told after each vector that ran. */
void soak_ran(const struct vector *row, unsigned member);

/* At the end of a loop, the first one included: the heartbeat, and true when another loop follows. */
bool soak_next_loop(void);

/* After the last loop: the point "soak". */
void soak_report(void);

#endif
