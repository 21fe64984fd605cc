/*
 * The other logical processor of our core as a companion: it is halted or runs a loop, does what it is asked
 * to do, and is then halted or runs its loop again. PMIs end a halt; they leave it halted (pmi_counter.h).
 * A companion that does not answer fails the vector.
 */
#ifndef TESTS_SUITE_COMPANION_H
#define TESTS_SUITE_COMPANION_H

#include <stdbool.h>

/* Start it, halted, its LVTPC masked; also after INIT. */
void companion_begin(void);
/* From now on it runs a loop, or is halted, when there is nothing to do. */
void companion_run(bool runs);
/* Let it call fn(arg), with interrupts on. `alone`: this logical processor is halted meanwhile. */
void companion_do(void (*fn)(void *), void *arg, bool alone);
/* Wait until it is halted, or runs its loop, after what it was asked last. */
void companion_settle(void);
/* End it; its LVTPC is masked after that. Nothing to do if it was never started. */
void companion_end(void);

#endif
