/* Counts PMIs for a vector, and leaves LVTPC masked after each, so that no storm can follow (E7). */
#include "pmi_counter.h"

#include "expect.h"
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "machine.h"
#include "pmc/netburst/regs.h"
#include "setting.h"
#include "vector.h"
#include "witness.h"

static volatile unsigned taken[2], taken_as_nmis[2], found_unmasked[2];
static volatile bool eoi_is_late, owes_eoi; /* of the logical processor that calls pmi_delay_eoi() */
static unsigned late_lp;
static volatile uint8_t vector = INTERRUPT_PMI;

static void count_pmi(struct trap_frame *frame, unsigned lp, bool nmi)
{
    const uint32_t lvtpc = lvtpc_read();

    (void)frame;
    lvtpc_write(lvtpc | LVT_MASKED);
    taken_as_nmis[lp] += nmi;
    found_unmasked[lp] += !(lvtpc & LVT_MASKED);
    taken[lp]++; /* last, because the other logical processor may wait for it and read the others */
    if (nmi)
        return;
    if (eoi_is_late && lp == late_lp)
        owes_eoi = true;
    else
        lapic_eoi();
}

void pmi_use_vector_too(bool too)
{
    vector = too ? INTERRUPT_PMI_TOO : INTERRUPT_PMI;
}

void pmi_unmask_as(uint32_t delivery)
{
    lvtpc_write(delivery | LVT_VECTOR(vector));
}

void pmi_unmask(void)
{
    pmi_unmask_as(LVT_DELIVERY_FIXED);
}

void pmi_mask(void)
{
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(vector) | LVT_MASKED);
}

void pmi_hold(void)
{
    lvtpc_write(lvtpc_read() | LVT_MASKED);
}

void pmi_delay_eoi(void)
{
    late_lp = smp_self();
    eoi_is_late = true;
}

bool pmi_owes_eoi(void)
{
    return owes_eoi;
}

void pmi_eoi(void)
{
    eoi_is_late = false;
    if (!owes_eoi)
        return;
    owes_eoi = false;
    lapic_eoi();
}

void pmi_arm(void)
{
    taken[0] = taken[1] = 0;
    taken_as_nmis[0] = taken_as_nmis[1] = 0;
    found_unmasked[0] = found_unmasked[1] = 0;
    witness_without_nmis(false);
    pmi_set_handler(count_pmi);
    setting_use(SETTING_PMI);
    pmi_unmask();
}

void pmi_disarm(void)
{
    if (!lapic_present()) {
        pmi_set_handler(NULL);
        return;
    }
    pmi_hold();
    pmi_eoi();
    pmi_drain();
    pmi_mask();
    witness_without_nmis(false);
}

unsigned pmi_taken(unsigned lp)
{
    return taken[lp];
}

unsigned pmi_taken_as_nmis(unsigned lp)
{
    return taken_as_nmis[lp];
}

unsigned pmi_found_unmasked(unsigned lp)
{
    return found_unmasked[lp];
}

unsigned pmi_due(unsigned lp, bool flag, uint64_t taken_there)
{
    if (flag && lp == 1 && taken_there == 0 && machine_has_erratum(PMC_E5)) {
        report_erratum(PMC_E5);
        return 0;
    }
    return flag;
}

void pmi_overflow(const struct pmc_programming *p, const struct workload *work)
{
    pmc_arm(p, COUNTER_OVERFLOW_IN(PMI_PRESET));
    pmc_start(p);
    work_exercise(work, PMI_EVENTS);
}
