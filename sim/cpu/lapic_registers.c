/*
 * The registers of the local APIC (SDM vol. 3, Table 10-1).
 */
#include "lapic.h"

enum {
    REG_ID = 0x020,
    REG_VERSION = 0x030,
    REG_TPR = 0x080,
    REG_APR = 0x090,
    REG_PPR = 0x0A0,
    REG_EOI = 0x0B0,
    REG_LDR = 0x0D0,
    REG_DFR = 0x0E0,
    REG_SVR = 0x0F0,
    REG_ISR = 0x100,
    REG_TMR = 0x180,
    REG_IRR = 0x200,
    REG_ESR = 0x280,
    REG_ICR_LOW = 0x300,
    REG_ICR_HIGH = 0x310,
    REG_LVT = 0x320,
    REG_TIMER_INITIAL = 0x380,
    REG_TIMER_CURRENT = 0x390,
    REG_TIMER_DIVIDE = 0x3E0
};

#define VERSION_XAPIC       0x00050014u /* version 14H, six LVT entries */
#define SVR_BITS            0x3FFu
#define ESR_SEND_ILLEGAL    (1u << 5)
#define ICR_LOW_BITS        0x000CDFFFu
#define ICR_DELIVERY_STATUS (1u << 12)

/* Bits of each LVT entry that can be written (SDM Figure 10-8). */
static const uint32_t LVT_BITS[LVT_ENTRIES] = {
    [LVT_TIMER] = 0x000300FFu, [LVT_THERMAL] = 0x000107FFu, [LVT_PERFORMANCE] = 0x000107FFu,
    [LVT_LINT0] = 0x0001A7FFu, [LVT_LINT1] = 0x0001A7FFu,   [LVT_ERROR] = 0x000100FFu,
};

void lapic_end(struct lapic *lapic, unsigned interrupt)
{
    lapic->isr[interrupt / 32] &= ~(1u << interrupt % 32);
}

static void end_of_interrupt(struct lapic *lapic)
{
    int interrupt = lapic_highest(lapic->isr);
    if (interrupt >= 0)
        lapic->stages->end(lapic, (unsigned)interrupt);
}

static uint32_t read_lvt(const struct lapic *lapic, enum lapic_lvt entry)
{
    uint32_t value = lapic->lvt[entry];
    if (entry == LVT_PERFORMANCE && lapic->nmi_pending && (value & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI)
        value |= LVT_PENDING;
    return value;
}

static bool in_bank(uint32_t offset, uint32_t first)
{
    return offset >= first && offset < first + 0x80;
}

uint32_t lapic_read(const struct lapic *lapic, uint32_t offset, uint64_t clock)
{
    offset &= ~0xFu;
    if (in_bank(offset, REG_ISR))
        return lapic->isr[(offset - REG_ISR) / 16];
    if (in_bank(offset, REG_IRR))
        return lapic->irr[(offset - REG_IRR) / 16];
    if (offset >= REG_LVT && offset < REG_LVT + LVT_ENTRIES * 16)
        return read_lvt(lapic, (offset - REG_LVT) / 16);
    switch (offset) {
    case REG_ID:
        return (uint32_t)lapic->id << 24;
    case REG_VERSION:
        return VERSION_XAPIC;
    case REG_TPR:
        return lapic->tpr;
    case REG_APR:
    case REG_PPR:
        return lapic_processor_priority(lapic);
    case REG_LDR:
        return lapic->ldr;
    case REG_DFR:
        return lapic->dfr;
    case REG_SVR:
        return lapic->svr;
    case REG_ESR:
        return lapic->esr;
    case REG_ICR_LOW:
        return lapic->icr_low;
    case REG_ICR_HIGH:
        return lapic->icr_high;
    case REG_TIMER_INITIAL:
        return lapic->timer_initial;
    case REG_TIMER_CURRENT:
        return lapic_current_count(lapic, clock);
    case REG_TIMER_DIVIDE:
        return lapic->timer_divide;
    default:
        return 0;
    }
}

/* An interrupt vector that no local APIC takes is an error whether the entry is masked or not (SDM
 * 10.5.2). */
static void check_vector(struct lapic *lapic, uint32_t lvt)
{
    if ((lvt & LVT_DELIVERY_MASK) != LVT_DELIVERY_FIXED || (lvt & 0xFF) >= LOWEST_INTERRUPT)
        return;
    lapic->esr_pending |= ESR_RECEIVE_ILLEGAL;
    lapic_raise(lapic, LVT_ERROR);
}

uint32_t lapic_kept(const struct lapic *lapic, enum lapic_lvt entry, uint32_t value)
{
    value &= LVT_BITS[entry];
    return lapic->svr & LAPIC_SVR_ENABLE ? value : value | LVT_MASKED;
}

static enum lapic_request write_lvt(struct lapic *lapic, enum lapic_lvt entry, uint32_t value)
{
    value = lapic->stages->kept(lapic, entry, value);
    lapic->lvt[entry] = value;
    check_vector(lapic, value);
    if (entry == LVT_PERFORMANCE && !(value & LVT_MASKED))
        return LAPIC_LVTPC_ENABLED;
    return entry == LVT_TIMER ? LAPIC_TIMER_CHANGED : LAPIC_NOTHING;
}

void lapic_disable(struct lapic *lapic)
{
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        lapic->lvt[i] |= LVT_MASKED;
}

static void write_svr(struct lapic *lapic, uint32_t value)
{
    lapic->svr = value & SVR_BITS;
    if (!(lapic->svr & LAPIC_SVR_ENABLE))
        lapic->stages->disable(lapic);
}

static enum lapic_request write_icr(struct lapic *lapic, uint32_t value)
{
    bool fixed = (value & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED;
    lapic->icr_low = value & ICR_LOW_BITS & ~ICR_DELIVERY_STATUS;
    if (fixed && (value & 0xFF) < LOWEST_INTERRUPT) {
        lapic->esr_pending |= ESR_SEND_ILLEGAL;
        return LAPIC_NOTHING;
    }
    return LAPIC_SEND_IPI;
}

enum lapic_request lapic_write(struct lapic *lapic, uint32_t offset, uint32_t value, uint64_t clock)
{
    offset &= ~0xFu;
    if (offset >= REG_LVT && offset < REG_LVT + LVT_ENTRIES * 16)
        return write_lvt(lapic, (offset - REG_LVT) / 16, value);
    switch (offset) {
    case REG_TPR:
        lapic->tpr = value & 0xFF;
        break;
    case REG_EOI:
        end_of_interrupt(lapic);
        break;
    case REG_LDR:
        lapic->ldr = value & 0xFF000000u;
        break;
    case REG_DFR:
        lapic->dfr = value | 0x0FFFFFFFu;
        break;
    case REG_SVR:
        write_svr(lapic, value);
        break;
    case REG_ESR:
        lapic->esr = lapic->esr_pending;
        lapic->esr_pending = 0;
        break;
    case REG_ICR_HIGH:
        lapic->icr_high = value & 0xFF000000u;
        break;
    case REG_ICR_LOW:
        return write_icr(lapic, value);
    case REG_TIMER_INITIAL:
        lapic->timer_initial = value;
        lapic_start_timer(lapic, clock);
        return LAPIC_TIMER_CHANGED;
    case REG_TIMER_DIVIDE:
        lapic_set_divide(lapic, value, clock);
        return LAPIC_TIMER_CHANGED;
    default:
        break;
    }
    return LAPIC_NOTHING;
}
