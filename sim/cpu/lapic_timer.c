/*
 * The timer of the local APIC.
 */
#include "lapic.h"

#define TIMER_DIVIDE_BITS 0xBu

/* Divide configuration (SDM Figure 10-10): bits 3, 1, 0; 111B divides by 1, else by 2, 4, 8, ... 128. */
static uint64_t clocks_per_count(const struct lapic *lapic)
{
    unsigned code = (lapic->timer_divide & 3) | (lapic->timer_divide >> 1 & 4);
    return lapic->clocks_per_tick << (code == 7 ? 0 : code + 1);
}

void lapic_start_timer(struct lapic *lapic, uint64_t clock)
{
    lapic->timer_expiry =
        lapic->timer_initial ? clock + lapic->timer_initial * clocks_per_count(lapic) : LAPIC_NEVER;
}

uint32_t lapic_current_count(const struct lapic *lapic, uint64_t clock)
{
    if (lapic->timer_expiry == LAPIC_NEVER || clock >= lapic->timer_expiry)
        return 0;
    uint64_t step = clocks_per_count(lapic);
    return (uint32_t)((lapic->timer_expiry - clock + step - 1) / step);
}

void lapic_run_timer(struct lapic *lapic, uint64_t clock)
{
    if (clock < lapic->timer_expiry)
        return;
    lapic_raise(lapic, LVT_TIMER);
    if (lapic->lvt[LVT_TIMER] & LVT_TIMER_PERIODIC) {
        uint64_t period = lapic->timer_initial * clocks_per_count(lapic);
        lapic_start_timer(lapic, clock - (clock - lapic->timer_expiry) % period);
    } else {
        lapic->timer_expiry = LAPIC_NEVER;
    }
}

void lapic_set_divide(struct lapic *lapic, uint32_t value, uint64_t clock)
{
    uint32_t left = lapic_current_count(lapic, clock);
    lapic->timer_divide = value & TIMER_DIVIDE_BITS;
    if (lapic->timer_expiry != LAPIC_NEVER)
        lapic->timer_expiry = clock + left * clocks_per_count(lapic);
}

uint64_t lapic_next_expiry(const struct lapic *lapic)
{
    return lapic->lvt[LVT_TIMER] & LVT_MASKED ? LAPIC_NEVER : lapic->timer_expiry;
}

bool lapic_timer_has_priority(const struct lapic *lapic)
{
    return (lapic->lvt[LVT_TIMER] & 0xFF) >> 4 > lapic_processor_priority(lapic) >> 4;
}
