/* A system-management interrupt, as the PMU sees it. */
#ifndef SIM_INJECT_SMI_H
#define SIM_INJECT_SMI_H

#include "sim/cpu/processor.h"
#include "sim/lib/random.h"

/*
 * The processor, active or halted, leaves for system-management mode and comes back: some hundred
 * instructions at CPL 0, branches and loads among them, which nothing keeps from being counted (R43).
 */
void smi_strike(struct random *random, struct processor *processor);

#endif
