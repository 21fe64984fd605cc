/*
 * Making a logical processor: its state at power-up, its libunicorn engine, and the memory map of that.
 */
#ifndef SIM_ENGINE_CREATE_H
#define SIM_ENGINE_CREATE_H

#include <stdbool.h>
#include <stddef.h>
#include "sim/cpu/processor.h"

/*
 * Create the engine and bring the processor to its state at power-up, in which it waits for a SIPI. Before
 * the call *processor is all zero, except for the members before `uc` and those of the local APIC that
 * survive its reset, which the caller has set. False with one line in error[0..size) when libunicorn refuses.
 */
bool processor_init(struct processor *processor, char *error, size_t size);

/*
 * Replace the engine by a new one in the same state. It has translated nothing: libunicorn 2.0.1 can also
 * drop its translations, but then writes to each byte of the buffer of 1 GB that they were in. False when
 * libunicorn refuses.
 */
bool processor_renew_engine(struct processor *processor);

/* Free what processor_init() made, also after it has failed. */
void processor_free(struct processor *processor);

#endif
