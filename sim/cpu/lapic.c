/*
 * Registers and priorities of the local APIC. Interrupts are edge triggered only; the 8259s are not wired to
 * LINT0, and SMI delivery is lost, for there is no SMM here.
 */
#include "lapic.h"

#include <string.h>
#include "pmc/netburst/regs.h"

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
#define SVR_RESET           0xFFu
#define DFR_FLAT            0xFFFFFFFFu
#define ESR_SEND_ILLEGAL    (1u << 5)
#define ESR_RECEIVE_ILLEGAL (1u << 6)
#define ICR_LOW_BITS        0x000CDFFFu
#define ICR_DELIVERY_STATUS (1u << 12)
#define TIMER_DIVIDE_BITS   0xBu
#define LOWEST_VECTOR       16u
#define LVT_MASK_BIT        (LVT_MASKED)

/* Bits of each LVT entry that can be written (SDM Figure 10-8). */
static const uint32_t LVT_BITS[LVT_ENTRIES] = {
    [LVT_TIMER] = 0x000300FFu, [LVT_THERMAL] = 0x000107FFu, [LVT_PERFORMANCE] = 0x000107FFu,
    [LVT_LINT0] = 0x0001A7FFu, [LVT_LINT1] = 0x0001A7FFu,   [LVT_ERROR] = 0x000100FFu,
};

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
        lapic->lvt[i] = LVT_MASK_BIT;
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

static int highest(const uint32_t bits[8])
{
    for (int word = 7; word >= 0; word--)
        if (bits[word])
            return word * 32 + 31 - __builtin_clz(bits[word]);
    return -1;
}

static uint32_t processor_priority(const struct lapic *lapic)
{
    int serving = highest(lapic->isr);
    uint32_t in_service = serving < 0 ? 0 : (uint32_t)serving;
    return lapic->tpr >> 4 >= in_service >> 4 ? lapic->tpr : in_service & 0xF0;
}

int lapic_deliverable(const struct lapic *lapic)
{
    int vector = any(lapic->irr) ? highest(lapic->irr) : -1;
    if (vector < 0 || (uint32_t)vector >> 4 <= processor_priority(lapic) >> 4)
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

static void end_of_interrupt(struct lapic *lapic)
{
    int vector = highest(lapic->isr);
    bool is_pmi = vector == (int)(lapic->lvt[LVT_PERFORMANCE] & 0xFF);
    if (vector >= 0 && !(is_pmi && lapic->defect == LAPIC_PMI_EOI_IGNORED)) /* R52 */
        lapic->isr[vector / 32] &= ~(1u << vector % 32);
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
        return lvt & ~LVT_MASK_BIT;
    if (lapic->defect == LAPIC_LVTPC_NMI_AS_FIXED)
        return lvt & ~LVT_DELIVERY_MASK;
    return lapic->defect == LAPIC_LVTPC_FIXED_AS_NMI ? lvt | LVT_DELIVERY_NMI : lvt;
}

bool lapic_takes(const struct lapic *lapic, enum lapic_lvt entry)
{
    return !(effective_lvt(lapic, entry) & LVT_MASK_BIT);
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
        lapic->lvt[entry] |= LVT_MASK_BIT; /* R51 */
}

bool lapic_addressed(const struct lapic *lapic, uint8_t destination, bool logical)
{
    if (!logical)
        return destination == lapic->id || destination == 0xFF;
    return lapic->dfr == DFR_FLAT && (lapic->ldr >> 24 & destination) != 0;
}

/* ---- Timer ---- */

/* Divide configuration (SDM Figure 10-10): bits 3, 1, 0; 111B divides by 1, else by 2, 4, 8, ... 128. */
static uint64_t clocks_per_count(const struct lapic *lapic)
{
    unsigned code = (lapic->timer_divide & 3) | (lapic->timer_divide >> 1 & 4);
    return lapic->clocks_per_tick << (code == 7 ? 0 : code + 1);
}

static void start_timer(struct lapic *lapic, uint64_t clock)
{
    lapic->timer_expiry =
        lapic->timer_initial ? clock + lapic->timer_initial * clocks_per_count(lapic) : LAPIC_NEVER;
}

static uint32_t current_count(const struct lapic *lapic, uint64_t clock)
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
    if (!lapic->timer_silent)
        lapic_raise(lapic, LVT_TIMER);
    if (lapic->lvt[LVT_TIMER] & LVT_TIMER_PERIODIC) {
        uint64_t period = lapic->timer_initial * clocks_per_count(lapic);
        start_timer(lapic, clock - (clock - lapic->timer_expiry) % period);
    } else {
        lapic->timer_expiry = LAPIC_NEVER;
    }
}

/* The count left goes on at the new rate. */
static void set_divide(struct lapic *lapic, uint32_t value, uint64_t clock)
{
    uint32_t left = current_count(lapic, clock);
    lapic->timer_divide = value & TIMER_DIVIDE_BITS;
    if (lapic->timer_expiry != LAPIC_NEVER)
        lapic->timer_expiry = clock + left * clocks_per_count(lapic);
}

uint64_t lapic_next_expiry(const struct lapic *lapic)
{
    return lapic->lvt[LVT_TIMER] & LVT_MASK_BIT ? LAPIC_NEVER : lapic->timer_expiry;
}

bool lapic_timer_has_priority(const struct lapic *lapic)
{
    return (lapic->lvt[LVT_TIMER] & 0xFF) >> 4 > processor_priority(lapic) >> 4;
}

/* ---- Registers ---- */

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
        return processor_priority(lapic);
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
        return current_count(lapic, clock);
    case REG_TIMER_DIVIDE:
        return lapic->timer_divide;
    default:
        return 0;
    }
}

/* A vector that no local APIC takes is an error whether the entry is masked or not (SDM 10.5.2). */
static void check_vector(struct lapic *lapic, uint32_t lvt)
{
    if ((lvt & LVT_DELIVERY_MASK) != LVT_DELIVERY_FIXED || (lvt & 0xFF) >= LOWEST_VECTOR)
        return;
    lapic->esr_pending |= ESR_RECEIVE_ILLEGAL;
    lapic_raise(lapic, LVT_ERROR);
}

static enum lapic_request write_lvt(struct lapic *lapic, enum lapic_lvt entry, uint32_t value)
{
    value &= LVT_BITS[entry];
    if (!(lapic->svr & LAPIC_SVR_ENABLE) && lapic->defect != LAPIC_LVTPC_SURVIVES_SVR)
        value |= LVT_MASK_BIT; /* R53 */
    lapic->lvt[entry] = value;
    check_vector(lapic, value);
    if (entry == LVT_PERFORMANCE && !(value & LVT_MASK_BIT))
        return LAPIC_LVTPC_ENABLED;
    return entry == LVT_TIMER ? LAPIC_TIMER_CHANGED : LAPIC_NOTHING;
}

static void write_svr(struct lapic *lapic, uint32_t value)
{
    lapic->svr = value & SVR_BITS;
    if ((lapic->svr & LAPIC_SVR_ENABLE) || lapic->defect == LAPIC_LVTPC_SURVIVES_SVR)
        return;
    for (unsigned i = 0; i < LVT_ENTRIES; i++)
        lapic->lvt[i] |= LVT_MASK_BIT; /* R53 */
}

static enum lapic_request write_icr(struct lapic *lapic, uint32_t value)
{
    bool fixed = (value & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED;
    lapic->icr_low = value & ICR_LOW_BITS & ~ICR_DELIVERY_STATUS;
    if (fixed && (value & 0xFF) < LOWEST_VECTOR) {
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
        start_timer(lapic, clock);
        return LAPIC_TIMER_CHANGED;
    case REG_TIMER_DIVIDE:
        set_divide(lapic, value, clock);
        return LAPIC_TIMER_CHANGED;
    default:
        break;
    }
    return LAPIC_NOTHING;
}
