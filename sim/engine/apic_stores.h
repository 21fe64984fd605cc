/*
 * Stores to the local APIC are posted: they take effect some clocks after they have executed, in their order
 * (F6). A load from the local APIC and a serialising instruction wait for them.
 */
#ifndef SIM_ENGINE_APIC_STORES_H
#define SIM_ENGINE_APIC_STORES_H

#include <stdint.h>
#include "sim/cpu/processor.h"

/* Post a store of value to the register at offset; one that is not delayed takes effect at once. */
void apic_stores_post(struct processor *processor, uint32_t offset, uint32_t value);
/* Let the stores that are due take effect. */
void apic_stores_arrive(struct processor *processor);
/* Let all of them take effect. */
void apic_stores_drain(struct processor *processor);

/* Core clock by which apic_stores_arrive() is to be called, LAPIC_NEVER when no store waits. */
static inline uint64_t apic_stores_next(const struct processor *processor)
{
    return processor->apic_stores ? processor->apic_store[0].arrives : LAPIC_NEVER;
}

#endif
