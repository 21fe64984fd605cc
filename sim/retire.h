/*
 * Retirement: what an executed instruction means to the PMU, and the clocks it took.
 */
#ifndef SIM_RETIRE_H
#define SIM_RETIRE_H

#include "processor.h"

/*
 * The pending instruction is done and the processor goes on at the linear address next. Posts its events when
 * somebody listens, lets its clocks pass, and leaves nothing pending. A REP string instruction that goes on
 * at itself has only done an iteration: its clocks pass and it does not retire.
 */
void retire(struct processor *processor, uint32_t next);

/* Before the pending instruction executes: note of the registers it may change what an event depends on. */
void retire_look_ahead(struct processor *processor);

#endif
