/*
 * The hooks by which p4sim sees every instruction before libunicorn executes it, and every exception it
 * raises.
 */
#ifndef SIM_ENGINE_EXECUTE_H
#define SIM_ENGINE_EXECUTE_H

#include <stdbool.h>
#include "sim/cpu/processor.h"

/* Install them in the processor's engine. False when libunicorn refuses. */
bool execute_install(struct processor *processor);

#endif
