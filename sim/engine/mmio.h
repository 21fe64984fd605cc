/* Physical addresses without RAM: the processor's own local APIC, and an empty bus. */
#ifndef SIM_ENGINE_MMIO_H
#define SIM_ENGINE_MMIO_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"

/* Map them into the processor's engine. False when libunicorn refuses. */
bool apic_bus_map(struct processor *processor);

/* Stores to the local APIC are posted: they take effect some clocks after they have executed, in their order
 * (F6). A load from the local APIC and a serialising instruction wait for them. Let those that are due take
 * effect. */
void apic_stores_arrive(struct processor *processor);
/* Let all of them take effect. */
void apic_stores_drain(struct processor *processor);

/* Core clock by which apic_stores_arrive() is to be called, LAPIC_NEVER when no store waits. */
static inline uint64_t apic_stores_next(const struct processor *processor)
{
    return processor->apic_stores ? processor->apic_store[0].arrives : LAPIC_NEVER;
}

#endif
