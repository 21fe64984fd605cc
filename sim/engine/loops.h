/*
 * Loops, which are executed by whole blocks of code.
 *
 * The engine of a logical processor calls p4sim before every instruction, which takes most of the time of a
 * loop in which nothing happens. A second engine over the same memory, one for the machine, calls only before
 * every block. It takes over where code loops and nothing can happen within a block: no counted event occurs,
 * no timer expires, no turn ends. It gives back before the first block of which that is not sure.
 *
 * Whatever is noticed only in the middle of a block (an access to the local APIC, an exception, a store to
 * code) undoes everything since it took over, and the instructions are executed one by one.
 */
#ifndef SIM_ENGINE_LOOPS_H
#define SIM_ENGINE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct processor;

/* Prepare for it, or do without it. False when out of memory. */
bool loops_init(struct engine *engine);
void loops_free(struct engine *engine);

/*
 * The processor jumps back to this address, and nothing is pending: has it done so often enough that it is
 * worth to call loops_run(), and is nothing due soon?
 */
bool loops_worthwhile(struct processor *processor, uint32_t address);

/* The processor's engine has stopped before the instruction at processor->eip because of
 * loops_worthwhile(): execute as many whole blocks as possible, maybe none. */
void loops_run(struct processor *processor);

#endif
