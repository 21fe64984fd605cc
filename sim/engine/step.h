/* One instruction, with all that can be necessary before libunicorn executes it. */
#ifndef SIM_ENGINE_STEP_H
#define SIM_ENGINE_STEP_H

#include <stdint.h>
#include "sim/cpu/processor.h"

/*
 * libunicorn is about to execute the instruction at address; the one before it, if any is pending, has
 * executed. Leaves the engine if there is a reason to; otherwise the instruction becomes the pending one.
 */
void step(struct processor *processor, uint32_t address);

/* Make libunicorn stop before the next instruction. */
void step_leave(struct processor *processor, enum processor_exit why);

/* The end of an instruction: as retire(), and then bring TLBs, code segment and the blocking of NMIs to the
 * state that the instruction left, which libunicorn does not report. */
void complete(struct processor *processor, uint32_t next);

#endif
