/*
 * What a processor finds at physical addresses where there is no RAM: its own local APIC, and an empty bus.
 */
#ifndef SIM_APIC_BUS_H
#define SIM_APIC_BUS_H

#include <stdbool.h>
#include "processor.h"

/* Map it into the processor's engine. False when libunicorn refuses. */
bool apic_bus_map(struct processor *processor);

#endif
