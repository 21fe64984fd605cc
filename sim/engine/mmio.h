/*
 * Physical addresses without RAM: the processor's own local APIC, and an empty bus.
 */
#ifndef SIM_ENGINE_MMIO_H
#define SIM_ENGINE_MMIO_H

#include <stdbool.h>
#include "sim/cpu/processor.h"

/* Map them into the processor's engine. False when libunicorn refuses. */
bool apic_bus_map(struct processor *processor);

/* A store of value to the local APIC's register at offset takes effect. */
void apic_bus_write(struct processor *processor, uint32_t offset, uint32_t value);

#endif
