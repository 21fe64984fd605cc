/*
 * The end of an instruction: retirement, and what it changes that libunicorn does not report.
 */
#ifndef SIM_ENGINE_COMPLETE_H
#define SIM_ENGINE_COMPLETE_H

#include <stdint.h>

struct processor;

/* As retire(). Then bring TLBs, code segment and the blocking of NMIs to the state that the instruction left.
 */
void complete(struct processor *processor, uint32_t next);

#endif
