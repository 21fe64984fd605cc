/* Counts PMIs for a vector, and leaves LVTPC masked after each, so that no storm can follow (E7). */
#include "pmi_counter.h"

#include "expect.h"
#include "kernel/board/board.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "machine.h"
#include "pmc/netburst/regs.h"
#include "setting.h"
#include "vector.h"
#include "witness.h"

static volatile unsigned taken[2];
static volatile bool found_masked, came_as_nmi;
static uint32_t armed_delivery;

static void count_pmi(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    if (taken[0] + taken[1] == 0) {
        found_masked = lvtpc_read() & LVT_MASKED;
        came_as_nmi = nmi;
    }
    taken[lp]++;
    lvtpc_write(armed_delivery | LVT_VECTOR(INTERRUPT_PMI) | LVT_MASKED);
    if (!nmi)
        lapic_eoi();
}

void pmi_unmask(void)
{
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(INTERRUPT_PMI));
}

void pmi_mask(void)
{
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(INTERRUPT_PMI) | LVT_MASKED);
}

void pmi_hold(void)
{
    lvtpc_write(lvtpc_read() | LVT_MASKED);
}

void pmi_arm(uint32_t delivery)
{
    taken[0] = taken[1] = 0;
    found_masked = came_as_nmi = false;
    armed_delivery = delivery;
    witness_without_nmis(delivery == LVT_DELIVERY_NMI);
    pmi_set_handler(count_pmi);
    setting_use(SETTING_PMI);
    lvtpc_write(delivery | LVT_VECTOR(INTERRUPT_PMI));
}

void pmi_disarm(void)
{
    if (!lapic_present()) {
        pmi_set_handler(NULL);
        return;
    }
    pmi_hold();
    pmi_drain();
    pmi_mask();
    witness_without_nmis(false);
}

unsigned pmi_taken(unsigned lp)
{
    return taken[lp];
}

unsigned pmi_due(unsigned lp, bool flag, uint64_t taken_there)
{
    if (flag && lp == 1 && taken_there == 0 && machine_has_erratum(PMC_E5)) {
        report_erratum(PMC_E5);
        return 0;
    }
    return flag;
}

bool pmi_was_nmi(void)
{
    return came_as_nmi;
}

bool pmi_found_masked(void)
{
    return found_masked;
}

void pmi_overflow(const struct pmc_programming *p, const struct workload *work)
{
    pmc_arm(p, COUNTER_OVERFLOW_IN(PMI_PRESET));
    pmc_start(p);
    work_exercise(work, PMI_EVENTS);
}
