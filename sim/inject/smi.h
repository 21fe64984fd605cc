/* A system-management interrupt, as the PMU sees it. */
#ifndef SIM_INJECT_SMI_H
#define SIM_INJECT_SMI_H

#include "sim/cpu/processor.h"
#include "sim/lib/random.h"

/*
 * Let the processor, active or halted, handle an SMI: some hundred instructions at CPL 0, branches and loads
 * among them. They are counted like any others, since no register excludes SMM (R43).
 */
void smi_strike(struct random *random, struct processor *processor);

#endif
