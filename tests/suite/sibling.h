/*
 * The other logical processor of our core at work: a loop whose instructions are known, for as long as a
 * vector wants.
 */
#ifndef TESTS_SUITE_SIBLING_H
#define TESTS_SUITE_SIBLING_H

#include <stdint.h>

/*
 * Let the sibling do this while this processor halts, so that it retires nothing meanwhile. Interrupts are
 * off when this returns. A sibling that does not take the work, or does not return from it, fails the vector.
 */
void sibling_works_alone(void (*work)(void));

/* Instructions of one lap of work_spin() (tests/workloads/loops.asm): 64 NOPs, inc, cmp, je. */
#define SPIN_LAP_INSTRUCTIONS 67

/* Is the sibling's LVTPC unmasked while it spins? */
enum sibling_lvtpc { SIBLING_MASKED, SIBLING_TAKES_PMIS };

/* Start the loop on the sibling and wait until it runs. A sibling that does not take it fails the vector. */
void sibling_spin_begin(enum sibling_lvtpc lvtpc);
/* Wait for so many more laps; a sibling that does not get there fails the vector. */
void sibling_spin_wait(uint32_t laps);
/* Laps since sibling_spin_begin(). */
uint32_t sibling_spin_laps(void);
/* End the loop and wait until the sibling has halted; a sibling that does not end it fails the vector. */
void sibling_spin_end(void);

#endif
