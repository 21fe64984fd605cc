/*
 * Limits and rights of segments, which libunicorn does not ask: null selectors, limits, read-only data,
 * writes by way of CS (SDM vol. 3, 5.3 to 5.5). In protected mode only.
 */
#ifndef SIM_ENGINE_SEGMENTS_H
#define SIM_ENGINE_SEGMENTS_H

#include <stdint.h>

struct insn;
struct processor;

/* The exception that the instruction at this linear address raises by its segments, or NO_EXCEPTION. */
int segments_refuse(struct processor *processor, const struct insn *insn, uint32_t address);

#endif
