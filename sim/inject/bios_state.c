/*
 * Counters that count, are near an overflow or have overflowed, ESCRs with any event, LVTPC unmasked with
 * delivery mode NMI or with a vector of the BIOS's own, LINT0 open to the 8259s. Where LVTPC delivers NMIs,
 * no counter is near an overflow and none is forced: a real BIOS would have crashed before it could start the
 * kernel.
 */
#include "bios_state.h"

#include "pmc/netburst/regs.h"

#define APIC_SVR         0x0F0u
#define APIC_LVTPC       0x340u
#define APIC_LINT0       0x350u
#define SVR_ENABLE       (1u << 8)
#define SPURIOUS_VECTOR  0xFFu
#define LOWEST_INTERRUPT 16u /* a local APIC accepts no vector below; up to 31 they are exceptions too */
#define FAR_LOG2         20u /* a counter that is not near is at least 2^20 events before its overflow */
#define NEAR             5000u

static uint64_t random_counter(struct random *random, bool overflow_may_come)
{
    if (overflow_may_come && random_below(random, 3) == 0)
        return COUNTER_OVERFLOW_IN(1 + random_below(random, NEAR));
    uint64_t high = random_below(random, 1u << (40 - FAR_LOG2));
    return high << FAR_LOG2;
}

static uint32_t random_cccr(struct random *random, bool overflow_may_come)
{
    uint32_t value = random_below(random, UINT32_MAX) & (FIELD_MASK(31, 11) & ~CCCR_RESERVED_MID);
    if (random_below(random, 4) != 0)
        value |= CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    return overflow_may_come ? value : value & ~CCCR_FORCE_OVF;
}

/* Reserved bits are ignored, or the register stays 0 on a part that refuses them. */
static void fill_pmu(struct random *random, struct core *core, bool overflow_may_come)
{
    for (uint32_t msr = MSR_BSU_ESCR0; msr <= MSR_CRU_ESCR5; msr++)
        if (core_has_msr(msr))
            core_wrmsr(core, 0, msr, random_below(random, UINT32_MAX) & ~ESCR_RESERVED_31);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        core_wrmsr(core, 0, MSR_COUNTER(n), random_counter(random, overflow_may_come));
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        core_wrmsr(core, 0, MSR_CCCR(n), random_cccr(random, overflow_may_come));
}

static void fill_apic(struct random *random, struct lapic *lapic, bool nmi)
{
    uint32_t vector = LOWEST_INTERRUPT + random_below(random, SPURIOUS_VECTOR - LOWEST_INTERRUPT);
    lapic_write(lapic, APIC_SVR, SVR_ENABLE | SPURIOUS_VECTOR, 0);
    lapic_write(lapic, APIC_LVTPC, (nmi ? LVT_DELIVERY_NMI : LVT_DELIVERY_FIXED) | LVT_VECTOR(vector | 1), 0);
    lapic_write(lapic, APIC_LINT0, LVT_DELIVERY_EXTINT, 0);
}

/* Does a CCCR force overflows? With some faults of the PMU one does although it was not written so. */
static bool overflows_forced(const struct core *core)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (core_register(core, MSR_CCCR(n)) & CCCR_FORCE_OVF)
            return true;
    return false;
}

void bios_state_leave(struct random *random, struct machine *machine)
{
    for (unsigned c = 0; c < machine->cores; c++) {
        struct core *core = &machine->core[c];
        bool nmi = random_below(random, 2);
        fill_pmu(random, core, !nmi);
        nmi = nmi && !overflows_forced(core);
        for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++)
            fill_apic(random, &core->processor[t]->lapic, nmi);
    }
}
