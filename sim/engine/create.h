/*
 * Making a logical processor: its registers at power-up, its libunicorn engine, and what that has mapped.
 */
#ifndef SIM_ENGINE_CREATE_H
#define SIM_ENGINE_CREATE_H

#include <stdbool.h>
#include <stddef.h>
#include "sim/cpu/processor.h"

/*
 * Create the engine and put the processor at power-up, waiting for a SIPI. The caller has set, in memory that
 * is all zero otherwise, the members before `uc`, and what of the local APIC survives its reset. False with
 * one line in error[0..size) when libunicorn refuses.
 */
bool processor_init(struct processor *processor, char *error, size_t size);
void processor_free(struct processor *processor);

#endif
