/*
 * Reset, priorities and delivery of the local APIC. Interrupts are edge triggered only. The 8259s are not
 * wired to LINT0, and an interrupt with delivery mode SMI is lost, since p4sim has no system-management mode.
 */
#include "lapic.h"

#include <string.h>

#define SVR_RESET 0xFFu

#define STAGE(type, name, parameters) .name = lapic_##name,
const struct lapic_stages lapic_sound_stages = {LAPIC_STAGES(STAGE)};

void lapic_reset(struct lapic *lapic, uint8_t id, uint64_t clocks_per_tick)
{
    const struct lapic before = *lapic;
    memset(lapic, 0, sizeof *lapic);
    lapic->stages = before.stages ? before.stages : &lapic_sound_stages;
    lapic->defects = before.defects;
    lapic->id = id;
    lapic->clocks_per_tick = clocks_per_tick;
    lapic->dfr = DFR_FLAT;
    lapic->svr = SVR_RESET;
    lapic->timer_expiry = LAPIC_NEVER;
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        lapic->lvt[i] = LVT_MASKED;
}

/* ---- Priorities ---- */

static bool any(const uint32_t bits[8])
{
    uint32_t all = 0;
    for (unsigned word = 0; word < 8; word++)
        all |= bits[word];
    return all;
}

int lapic_highest(const uint32_t bits[8])
{
    for (int word = 7; word >= 0; word--)
        if (bits[word])
            return word * 32 + 31 - __builtin_clz(bits[word]);
    return -1;
}

uint32_t lapic_processor_priority(const struct lapic *lapic)
{
    int serving = lapic_highest(lapic->isr);
    uint32_t in_service = serving < 0 ? 0 : (uint32_t)serving;
    return lapic->tpr >> 4 >= in_service >> 4 ? lapic->tpr : in_service & 0xF0;
}

bool lapic_passes(const struct lapic *lapic, unsigned interrupt)
{
    return interrupt >> 4 > lapic_processor_priority(lapic) >> 4;
}

int lapic_deliverable(const struct lapic *lapic)
{
    int interrupt = any(lapic->irr) ? lapic_highest(lapic->irr) : -1;
    if (interrupt < 0 || !lapic->stages->passes(lapic, (unsigned)interrupt))
        return lapic->spurious_vector ? lapic->spurious_vector : -1;
    return interrupt;
}

bool lapic_wakes(const struct lapic *lapic)
{
    (void)lapic;
    return true;
}

void lapic_accept(struct lapic *lapic, uint8_t interrupt)
{
    bool requested = lapic->irr[interrupt / 32] >> interrupt % 32 & 1;
    lapic->spurious_vector = 0;
    if (!requested)
        return;
    lapic->irr[interrupt / 32] &= ~(1u << interrupt % 32);
    lapic->isr[interrupt / 32] |= 1u << interrupt % 32;
}

void lapic_fixed(struct lapic *lapic, uint8_t interrupt)
{
    if (!(lapic->svr & LAPIC_SVR_ENABLE))
        return;
    if (interrupt < LOWEST_INTERRUPT)
        lapic->esr_pending |= ESR_RECEIVE_ILLEGAL;
    else
        lapic->irr[interrupt / 32] |= 1u << interrupt % 32;
}

uint32_t lapic_effect(const struct lapic *lapic, enum lapic_lvt entry)
{
    return lapic->lvt[entry];
}

bool lapic_takes(const struct lapic *lapic, enum lapic_lvt entry)
{
    return !(lapic->stages->effect(lapic, entry) & LVT_MASKED);
}

/* The delivery of a PMI sets the mask of LVTPC and nothing else of it. */
void lapic_mask(struct lapic *lapic)
{
    lapic->lvt[LVT_PERFORMANCE] |= LVT_MASKED;
}

void lapic_raise(struct lapic *lapic, enum lapic_lvt entry)
{
    uint32_t lvt = lapic->stages->effect(lapic, entry);
    if (lvt & LVT_MASKED)
        return;
    if ((lvt & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI)
        lapic->nmi_pending = true;
    else if ((lvt & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED)
        lapic_fixed(lapic, lvt & 0xFF);
    if (entry == LVT_PERFORMANCE)
        lapic->stages->mask(lapic);
}

/* In the cluster model (SDM 10.6.2.2) a logical destination is the number of a cluster and a set of its
 * members. */
#define ALL_CLUSTERS 0xF
#define MEMBERS      0xF

bool lapic_addressed(const struct lapic *lapic, uint8_t destination, bool logical)
{
    if (!logical)
        return destination == lapic->id || destination == 0xFF;
    uint8_t id = (uint8_t)(lapic->ldr >> 24);
    if (lapic->dfr == DFR_FLAT)
        return id & destination;
    bool cluster = id >> 4 == destination >> 4 || destination >> 4 == ALL_CLUSTERS;
    return cluster && id & destination & MEMBERS;
}

/* ---- The timer ---- */

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
