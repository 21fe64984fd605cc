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
    const struct lapic before = *lapic;
    memset(lapic, 0, sizeof *lapic);
    lapic->defect = before.defect;
    lapic->stuck_bit = before.stuck_bit;
    lapic->stuck_at = before.stuck_at;
    lapic->timer_silent = before.timer_silent;
    lapic->id = id;
    lapic->clocks_per_tick = clocks_per_tick;
    lapic->dfr = DFR_FLAT;
    lapic->svr = SVR_RESET;
    lapic->timer_expiry = LAPIC_NEVER;
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        lapic->lvt[i] = LVT_MASKED;
    if (lapic->defect == LAPIC_LVTPC_OPEN_AT_RESET)
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

uint32_t lapic_pmi_vector(const struct lapic *lapic)
{
    return lapic->lvt[LVT_PERFORMANCE] & 0xFF;
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
    if (lapic->defect == LAPIC_LVTPC_IGNORES_TPR && vector == (int)lapic_pmi_vector(lapic))
        return vector;
    if (vector < 0 || (uint32_t)vector >> 4 <= lapic_processor_priority(lapic) >> 4)
        return lapic->spurious_vector ? lapic->spurious_vector : -1;
    return vector;
}

bool lapic_sleeps_on(const struct lapic *lapic)
{
    bool nmi = (lapic->lvt[LVT_PERFORMANCE] & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI;
    int vector = lapic_deliverable(lapic);
    return lapic->defect == LAPIC_LVTPC_NO_WAKE && (vector < 0 || vector == (int)lapic_pmi_vector(lapic)) &&
           (nmi || !lapic->nmi_pending);
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

uint32_t lapic_stuck(const struct lapic *lapic, uint32_t value)
{
    uint32_t bit = 1u << lapic->stuck_bit;
    return lapic->stuck_at ? value | bit : value & ~bit;
}

/* What raising an entry does; R50 for LVTPC. */
static uint32_t effective_lvt(const struct lapic *lapic, enum lapic_lvt entry)
{
    uint32_t lvt = lapic->lvt[entry];
    if (entry != LVT_PERFORMANCE)
        return lvt;
    if (lapic->defect == LAPIC_LVTPC_MASK_IGNORED)
        return lvt & ~LVT_MASKED;
    if (lapic->defect == LAPIC_LVTPC_VECTOR_STUCK)
        return lapic_stuck(lapic, lvt);
    if (lapic->defect == LAPIC_LVTPC_NMI_AS_FIXED)
        return lvt & ~LVT_DELIVERY_MASK;
    return lapic->defect == LAPIC_LVTPC_FIXED_AS_NMI ? lvt | LVT_DELIVERY_NMI : lvt;
}

bool lapic_takes(const struct lapic *lapic, enum lapic_lvt entry)
{
    return !(effective_lvt(lapic, entry) & LVT_MASKED);
}

/* R51: the delivery of a PMI sets the mask of LVTPC and nothing else of it. */
static void mask_by_delivery(struct lapic *lapic)
{
    uint32_t *lvtpc = &lapic->lvt[LVT_PERFORMANCE];
    bool nmi = (*lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI;
    if (lapic->defect == LAPIC_LVTPC_NOT_SELF_MASKING ||
        (nmi && lapic->defect == LAPIC_LVTPC_NMI_NOT_MASKING))
        return;
    *lvtpc = (lapic->defect == LAPIC_LVTPC_FORGETS ? 0 : *lvtpc) | LVT_MASKED;
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
    if (entry == LVT_PERFORMANCE)
        mask_by_delivery(lapic);
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
