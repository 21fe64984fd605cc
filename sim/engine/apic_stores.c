#include "engine.h"

#include <string.h>

static void perform_first(struct processor *processor)
{
    struct apic_store first = processor->apic_store[0];
    processor->apic_stores--;
    memmove(processor->apic_store, processor->apic_store + 1,
            processor->apic_stores * sizeof *processor->apic_store);
    apic_bus_write(processor, first.offset, first.value);
}

void apic_stores_post(struct processor *processor, uint32_t offset, uint32_t value)
{
    uint64_t arrives = processor->core->clock + timing_draw(processor->timing, COST_APIC_LATE);
    if (processor->apic_stores == APIC_STORES)
        perform_first(processor);
    if (processor->apic_stores) {
        uint64_t last = processor->apic_store[processor->apic_stores - 1].arrives;
        arrives = arrives < last ? last : arrives;
    }
    processor->apic_store[processor->apic_stores++] =
        (struct apic_store){.offset = offset, .value = value, .arrives = arrives};
    apic_stores_arrive(processor);
    uint64_t next = apic_stores_next(processor); /* the instruction hook knew nothing of this store */
    processor->stop_clock = processor->stop_clock < next ? processor->stop_clock : next;
}

void apic_stores_arrive(struct processor *processor)
{
    while (apic_stores_next(processor) <= processor->core->clock)
        perform_first(processor);
}

void apic_stores_drain(struct processor *processor)
{
    while (processor->apic_stores)
        perform_first(processor);
}
