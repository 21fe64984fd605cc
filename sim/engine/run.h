/*
 * Letting a logical processor run.
 */
#ifndef SIM_ENGINE_RUN_H
#define SIM_ENGINE_RUN_H

#include "sim/cpu/processor.h"

/* Execute until quantum_end or until something needs the scheduler. The processor must be active. */
void processor_run(struct processor *processor);

#endif
