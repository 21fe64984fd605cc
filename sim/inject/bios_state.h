/* What a BIOS, or a kernel before ours, left behind. */
#ifndef SIM_INJECT_BIOS_STATE_H
#define SIM_INJECT_BIOS_STATE_H

struct machine;

/* Fill every PMU register and each local APIC's LVTPC and LINT0 at power-up. */
void noise_leave_bios(struct machine *machine);

#endif
