/* Local APIC (SDM vol. 3, chapter 10; R50 to R53). Paging is off, so the base is the address of the
 * registers; without a base they are MSRs (x2APIC, 10.12). */
#include "lapic.h"
#include <stddef.h>
#include "cpu.h"
#include "trap.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"
#include "pmc/count_of.h"

#define CPUID1_EDX_APIC    (1u << 9)
#define APIC_DEFAULT_BASE  0xFEE00000u
#define APIC_BASE_MASK     FIELD_MASK64(35, 12)
#define APIC_BASE_EXTD     FIELD_MASK(10, 10) /* with APIC_BASE_ENABLE: x2APIC mode */
#define X2APIC_MSR(reg)    (0x800u + (reg) / WORD_STRIDE)
#define ID(value)          ((uint8_t)FIELD_GET(31, 24, value))
#define LVT_MAX(version)   ((unsigned)FIELD_GET(23, 16, version)) /* number of LVT entries minus 1 */
#define ICR_PENDING        (1u << 12)
#define ICR_ASSERT         (1u << 14)
#define ICR_FIXED          (0u << 8)
#define ICR_NMI            (4u << 8)
#define ICR_INIT           (5u << 8)
#define ICR_STARTUP        (6u << 8)
#define ICR_SELF           (1u << 18) /* [19:18] = 01B: shorthand for this local APIC */
#define ICR_DESTINATION(i) ((uint32_t)(i) << 24)
#define TPR_NOTHING        0xFFu /* no interrupt of the local APIC gets through */
#define DIVIDE_BY_16       0x3u
#define VECTOR_WORDS       8u      /* ISR and IRR: 256 bits */
#define WORD_STRIDE        0x10u   /* from one register to the next */
#define DELIVERY_POLLS     100000u /* an IPI takes microseconds */
#define MAX_EOIS           512u    /* every interrupt in service and once more pending */

static volatile uint32_t *base;
static bool present;
static const char *missing = "no local APIC";

static struct lapic_at_boot at_boot;

/* The entries of the LVT in the order in which versions of the local APIC gained them. */
static const uint32_t LVT[LAPIC_LVT_ENTRIES] = {LAPIC_LVT_TIMER, LAPIC_LVT_LINT0, LAPIC_LVT_LINT1,
                                                LAPIC_LVT_ERROR, LAPIC_LVTPC,     LAPIC_LVT_THERMAL};

/* LINT0 as the BIOS left it. If the BIOS left the local APIC disabled, its 8259 interrupts need virtual wire
 * mode (ExtINT) once we have enabled it: SDM vol. 3, 8.4 and MultiProcessor Specification 1.4, 3.6.2.2. */
static uint32_t bios_lint0 = LVT_DELIVERY_EXTINT;

uint32_t lapic_address(uint32_t reg)
{
    return (uint32_t)base + reg;
}

static uint32_t x2apic_read(uint32_t reg)
{
    uint64_t value;

    return msr_try_read(X2APIC_MSR(reg), &value) == NO_FAULT ? (uint32_t)value : 0;
}

/* A WRMSR to the local APIC waits for no store before it (SDM 10.12.3). */
static void x2apic_write(uint32_t reg, uint64_t value)
{
    __asm__ volatile("mfence\n\t"
                     "lfence" ::
                         : "memory");
    msr_try_write(X2APIC_MSR(reg), value);
}

uint32_t lapic_read(uint32_t reg)
{
    return base ? base[reg / sizeof *base] : x2apic_read(reg);
}

void lapic_write(uint32_t reg, uint32_t value)
{
    if (!base) {
        x2apic_write(reg, value);
        return;
    }
    base[reg / sizeof *base] = value;
    (void)lapic_read(LAPIC_ID); /* reg itself may be one that cannot be read, such as EOI */
}

static bool cpuid_says_apic(void)
{
    return (cpuid(1, 0).edx & CPUID1_EDX_APIC) != 0;
}

/* Read IA32_APIC_BASE. False when there is no such register; the APIC is at its default address then. */
static bool read_base(uint64_t *value)
{
    return msr_try_read(MSR_IA32_APIC_BASE, value) == NO_FAULT && (*value & APIC_BASE_MASK) != 0;
}

bool lapic_left_disabled(void)
{
    uint64_t value;

    return read_base(&value) && (value & APIC_BASE_ENABLE) == 0;
}

bool lapic_is_x2apic(void)
{
    uint64_t value;

    return read_base(&value) && (value & APIC_BASE_ENABLE) && (value & APIC_BASE_EXTD);
}

/* Bring a second processor into the mode of the first. From x2APIC mode the way leads over the disabled local
 * APIC (10.12.5). */
static void follow_mode(void)
{
    uint64_t value;

    if (lapic_is_x2apic() == (base == NULL) || !read_base(&value))
        return;
    if (base)
        msr_try_write(MSR_IA32_APIC_BASE, value & ~(uint64_t)(APIC_BASE_ENABLE | APIC_BASE_EXTD));
    msr_try_write(MSR_IA32_APIC_BASE,
                  (value & ~(uint64_t)APIC_BASE_EXTD) | APIC_BASE_ENABLE | (base ? 0 : APIC_BASE_EXTD));
}

/* The address, or 0 when there is no APIC. CPUID hides the APIC while IA32_APIC_BASE disables it. */
static uint32_t find(void)
{
    uint64_t value, address = APIC_DEFAULT_BASE;

    if (read_base(&value))
        address = value & APIC_BASE_MASK;
    return cpuid_says_apic() && address <= UINT32_MAX ? (uint32_t)address : 0;
}

static void enable_in_msr(void)
{
    uint64_t value;

    if (read_base(&value))
        msr_try_write(MSR_IA32_APIC_BASE, value | APIC_BASE_ENABLE);
}

static unsigned lvt_entries(void)
{
    unsigned last = LVT_MAX(lapic_read(LAPIC_VERSION));

    return last < LAPIC_LVT_ENTRIES ? last + 1 : LAPIC_LVT_ENTRIES;
}

static void remember(void)
{
    at_boot = (struct lapic_at_boot){
        .version = lapic_read(LAPIC_VERSION), .svr = lapic_read(LAPIC_SVR), .entries = lvt_entries()};
    for (unsigned i = 0; i < at_boot.entries; i++)
        at_boot.lvt[i] = lapic_read(LVT[i]);
}

/* Earlier software may have left the entries in any state. The error entry comes first, because an interrupt
 * vector of 0 in any entry raises an error, masked or not (SDM 10.5.2). */
void lapic_mask_lvt(void)
{
    lapic_write(LAPIC_LVT_ERROR, LVT_MASKED);
    for (unsigned i = 0; i < lvt_entries(); i++) {
        bool smi = (at_boot.lvt[i] & LVT_DELIVERY_MASK) == LVT_DELIVERY_SMI && LVT[i] != LAPIC_LVTPC;

        lapic_write(LVT[i], smi ? at_boot.lvt[i] : LVT_MASKED);
    }
}

static const char *start(bool enable)
{
    const bool left_disabled = lapic_left_disabled();
    uint32_t address;

    if (left_disabled) {
        if (!enable)
            return "local APIC disabled by firmware (lapic=on)";
        enable_in_msr();
    }
    address = find();
    if (address == 0)
        return lapic_left_disabled() ? "local APIC does not enable" : "no local APIC";
    if (present)
        follow_mode();
    else
        base = lapic_is_x2apic() ? NULL : (volatile uint32_t *)address;
    if (!present && !left_disabled)
        remember();
    if (!present && (lapic_read(LAPIC_SVR) & LAPIC_SVR_ENABLE) != 0)
        bios_lint0 = lapic_read(LAPIC_LVT_LINT0);
    lapic_write(LAPIC_SVR, LAPIC_SVR_ENABLE | INTERRUPT_SPURIOUS);
    if ((lapic_read(LAPIC_SVR) & LAPIC_SVR_ENABLE) == 0)
        return "local APIC does not enable";
    present = true;
    lapic_mask_lvt();
    lapic_write(LAPIC_TIMER_INITIAL, 0);
    lapic_write(LAPIC_TIMER_DIVIDE, DIVIDE_BY_16);
    lapic_write(LAPIC_TPR, 0);
    lapic_write(LAPIC_ESR, 0);
    lapic_end_all();
    return NULL;
}

const char *lapic_init(bool enable)
{
    const char *why = start(enable);

    missing = present ? NULL : why;
    return why;
}

const struct lapic_at_boot *lapic_at_boot(void)
{
    return at_boot.entries > 0 ? &at_boot : NULL;
}

bool lapic_present(void)
{
    return present;
}

const char *lapic_missing(void)
{
    return missing;
}

uint8_t lapic_id(void)
{
    return base ? ID(lapic_read(LAPIC_ID)) : (uint8_t)lapic_read(LAPIC_ID);
}

void lapic_enter_virtual_wire(void)
{
    if (!present)
        return;
    lapic_timer_set(0, INTERRUPT_TIMER);
    lvtpc_write(LVT_MASKED);
    lapic_write(LAPIC_TPR, TPR_NOTHING);
    lapic_write(LAPIC_LVT_LINT0, bios_lint0);
}

void lapic_leave_virtual_wire(void)
{
    if (!present)
        return;
    lapic_mask_lvt();
    lapic_write(LAPIC_TPR, 0);
}

void lapic_eoi(void)
{
    if (present)
        lapic_write(LAPIC_EOI, 0);
}

bool lapic_in_service(uint32_t interrupt)
{
    return present && (lapic_read(LAPIC_ISR + interrupt / 32 * WORD_STRIDE) >> interrupt % 32 & 1) != 0;
}

static bool anything_in_service(void)
{
    uint32_t any = 0;

    for (uint32_t word = 0; word < VECTOR_WORDS; word++)
        any |= lapic_read(LAPIC_ISR + word * WORD_STRIDE);
    return any != 0;
}

void lapic_end_all(void)
{
    for (unsigned i = 0; present && i < MAX_EOIS && anything_in_service(); i++)
        lapic_eoi();
}

void lvtpc_write(uint32_t value)
{
    if (!present)
        return;
    lapic_write(LAPIC_LVTPC, value);
}

uint32_t lvtpc_read(void)
{
    return present ? lapic_read(LAPIC_LVTPC) : LVT_MASKED;
}

static void wait_for_delivery(void)
{
    for (unsigned polls = DELIVERY_POLLS; polls > 0; polls--) {
        if ((lapic_read(LAPIC_ICR_LOW) & ICR_PENDING) == 0)
            return;
        cpu_relax();
    }
}

/* The two halves of ICR belong together: no interrupt handler may send an IPI between them. */
static void send(uint32_t apic_id, uint32_t command)
{
    bool interrupts;

    if (!present)
        return;
    if (!base) {
        x2apic_write(LAPIC_ICR_LOW, (uint64_t)apic_id << 32 | command | ICR_ASSERT);
        return;
    }
    interrupts = irq_off();
    wait_for_delivery();
    lapic_write(LAPIC_ICR_HIGH, ICR_DESTINATION(apic_id));
    lapic_write(LAPIC_ICR_LOW, command | ICR_ASSERT);
    wait_for_delivery();
    irq_restore(interrupts);
}

void lapic_send_init(uint32_t apic_id)
{
    send(apic_id, ICR_INIT);
}

void lapic_send_startup(uint32_t apic_id, uint8_t page)
{
    send(apic_id, ICR_STARTUP | page);
}

void lapic_send_fixed(uint32_t apic_id, uint8_t interrupt)
{
    send(apic_id, ICR_FIXED | interrupt);
}

void lapic_send_nmi(uint32_t apic_id)
{
    send(apic_id, ICR_NMI);
}

void lapic_send_self(uint8_t interrupt)
{
    const uint32_t command = ICR_FIXED | ICR_ASSERT | ICR_SELF | interrupt;

    if (present && base)
        base[LAPIC_ICR_LOW / sizeof *base] = command;
    else if (present)
        lapic_write(LAPIC_ICR_LOW, command);
}

void lapic_timer_set(uint32_t count, uint8_t interrupt)
{
    if (!present)
        return;
    lapic_write(LAPIC_LVT_TIMER, (count == 0 ? LVT_MASKED : 0) | LVT_VECTOR(interrupt));
    lapic_write(LAPIC_TIMER_INITIAL, count);
}
