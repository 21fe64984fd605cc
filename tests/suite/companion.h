/*
 * The other logical processor of our core as a companion: it is halted or runs a loop, does what it is asked
 * to do, and is then halted or runs its loop again. PMIs end a halt; they leave it halted (pmi_counter.h).
 * A companion that does not answer fails the vector.
 */
#ifndef TESTS_SUITE_COMPANION_H
#define TESTS_SUITE_COMPANION_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"

/* Start it, halted, its LVTPC masked; also after INIT. */
void companion_begin(void);
/* From now on it runs a loop at CPL 3, or is halted, when there is nothing to do. */
void companion_run(bool runs);
/* Let it call fn(arg), with interrupts on, and wait for that. `alone`: this logical processor is halted
 * meanwhile, so that it retires nothing, and interrupts are off when this returns; else, or while the loop of
 * companion_run() runs, it waits at CPL 3. A companion that was not started is started for this alone. */
void companion_do(void (*fn)(void *), void *arg, bool alone);
/* Let it take PMIs: it unmasks its LVTPC. What a counter has requested by then comes at once (R49). */
void companion_take_pmis(void);
/* It masks its LVTPC again. */
void companion_leave_pmis(void);
/* Wait until it is halted, or runs its loop, after what it was asked last, or after its end. */
void companion_settle(void);
/* Has something, an SMI perhaps, woken it since companion_settle()? */
bool companion_has_woken(void);
/* It has taken an interrupt: companion_settle() waits again. */
void companion_woken(void);
/* It gets INIT and a start-up IPI, and is halted after that, without anything to do. */
void companion_restart(void);
/* End it; its LVTPC is masked after that. Nothing to do if it was never started. */
void companion_end(void);

/*
 * A loop whose instructions are known, work_spin() of tests/workloads/loops.asm, in place of the companion's
 * own. A lap has 64 NOPs, inc, cmp and je.
 */
#define SPIN_LAP_INSTRUCTIONS 67

/* Start a companion that runs this loop, and wait until it does. */
void companion_spin(void);
/* The other logical processor, which is halted and no companion, wakes, runs a few laps and halts. */
void companion_wakes_once(void);
/* Start a companion that runs n occurrences of a workload again and again. */
void companion_repeat(const struct workload *work, uint32_t n);
/* A word that the companion of companion_spin() changes with each lap. */
const volatile uint32_t *companion_word(void);
/* Laps since companion_spin(). */
uint32_t companion_laps(void);
/* Wait for so many more laps. */
void companion_wait_laps(uint32_t laps);

#endif
