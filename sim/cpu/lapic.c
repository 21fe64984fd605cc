/*
 * Reset, priorities and delivery of the local APIC. Interrupts are edge triggered only. The 8259s are not
 * wired to LINT0, and an interrupt with delivery mode SMI is lost, since p4sim has no system-management mode.
 */
#include "lapic.h"

#include <string.h>
#include "lapic_parts.h"

#define SVR_RESET 0xFFu

void lapic_reset(struct lapic *lapic, uint8_t id, uint64_t clocks_per_tick)
{
    enum lapic_defect defect = lapic->defect;
    bool timer_silent = lapic->timer_silent;
    memset(lapic, 0, sizeof *lapic);
    lapic->defect = defect;
    lapic->timer_silent = timer_silent;
    lapic->id = id;
    lapic->clocks_per_tick = clocks_per_tick;
    lapic->dfr = DFR_FLAT;
    lapic->svr = SVR_RESET;
    lapic->timer_expiry = LAPIC_NEVER;
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        lapic->lvt[i] = LVT_MASKED;
    if (defect == LAPIC_LVTPC_OPEN_AT_RESET)
        lapic->lvt[LVT_PERFORMANCE] = 0;
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

int lapic_deliverable(const struct lapic *lapic)
{
    int vector = any(lapic->irr) ? lapic_highest(lapic->irr) : -1;
    if (vector < 0 || (uint32_t)vector >> 4 <= lapic_processor_priority(lapic) >> 4)
        return lapic->spurious_vector ? lapic->spurious_vector : -1;
    return vector;
}

void lapic_accept(struct lapic *lapic, uint8_t vector)
{
    bool requested = lapic->irr[vector / 32] >> vector % 32 & 1;
    lapic->spurious_vector = 0;
    if (!requested)
        return;
    lapic->irr[vector / 32] &= ~(1u << vector % 32);
    lapic->isr[vector / 32] |= 1u << vector % 32;
}

void lapic_fixed(struct lapic *lapic, uint8_t vector)
{
    if (!(lapic->svr & LAPIC_SVR_ENABLE))
        return;
    if (vector < LOWEST_VECTOR)
        lapic->esr_pending |= ESR_RECEIVE_ILLEGAL;
    else
        lapic->irr[vector / 32] |= 1u << vector % 32;
}

/* What raising an entry does; R50 for LVTPC. */
static uint32_t effective_lvt(const struct lapic *lapic, enum lapic_lvt entry)
{
    uint32_t lvt = lapic->lvt[entry];
    if (entry != LVT_PERFORMANCE)
        return lvt;
    if (lapic->defect == LAPIC_LVTPC_MASK_IGNORED)
        return lvt & ~LVT_MASKED;
    if (lapic->defect == LAPIC_LVTPC_NMI_AS_FIXED)
        return lvt & ~LVT_DELIVERY_MASK;
    return lapic->defect == LAPIC_LVTPC_FIXED_AS_NMI ? lvt | LVT_DELIVERY_NMI : lvt;
}

bool lapic_takes(const struct lapic *lapic, enum lapic_lvt entry)
{
    return !(effective_lvt(lapic, entry) & LVT_MASKED);
}

void lapic_raise(struct lapic *lapic, enum lapic_lvt entry)
{
    uint32_t lvt = effective_lvt(lapic, entry);
    if (!lapic_takes(lapic, entry))
        return;
    if ((lvt & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI)
        lapic->nmi_pending = true;
    else if ((lvt & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED)
        lapic_fixed(lapic, lvt & 0xFF);
    if (entry == LVT_PERFORMANCE && lapic->defect != LAPIC_LVTPC_NOT_SELF_MASKING)
        lapic->lvt[entry] |= LVT_MASKED; /* R51 */
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
