/*
 * The instructions that p4sim executes instead of libunicorn: RDTSC, RDMSR, WRMSR, RDPMC, CPUID, IN and OUT.
 */
#ifndef SIM_ENGINE_INTERCEPT_H
#define SIM_ENGINE_INTERCEPT_H

#include <stdbool.h>
#include "sim/cpu/processor.h"

#define NO_VECTOR (-1)

/*
 * Execute RDTSC, RDMSR, WRMSR or RDPMC with its privilege checks (SDM vol. 2; pmu-rules 3.5). Returns
 * NO_VECTOR or the vector that it raises. The caller advances EIP.
 */
int intercept_execute(struct processor *processor, enum insn_intercept intercept);

/* Install the engine's hooks for CPUID, IN and OUT. False when libunicorn refuses. */
bool intercept_install(struct processor *processor);

#endif
