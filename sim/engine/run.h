/* Letting a logical processor run. */
#ifndef SIM_ENGINE_RUN_H
#define SIM_ENGINE_RUN_H

#include "sim/cpu/processor.h"

/* Execute until the core's clock reaches quantum_end or the scheduler is wanted. The processor must be
 * active. */
void processor_run(struct processor *processor);

#endif
