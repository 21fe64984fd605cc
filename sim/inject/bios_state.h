/* Registers as a BIOS, or the kernel that ran before, might leave them. */
#ifndef SIM_INJECT_BIOS_STATE_H
#define SIM_INJECT_BIOS_STATE_H

#include "sim/lib/random.h"
#include "sim/machine/machine.h"

/* Fill every PMU register and each local APIC's LVTPC and LINT0 at power-up. */
void bios_state_leave(struct random *random, struct machine *machine);

#endif
