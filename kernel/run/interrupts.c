/* The only file that knows guard, panic, the sibling and the PMI together. */
#include "run.h"
#include <stdbool.h>
#include <stddef.h>
#include "guard.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/netburst/regs.h"
#include "pmi.h"

/* End what is running: the sibling's work, the guarded work, or else the run. */
static void end_by(struct trap_frame *frame, enum guard_end end)
{
    if (cpu_index() == CPU_AP)
        smp_sibling_fault(frame, cr2_read());
    guard_end_by(end, frame);
    panic(frame, cr2_read());
}

static void (*stop_counters)(void);

static void exception(struct trap_frame *frame)
{
    if (frame->interrupt == INTERRUPT_MC && cpu_index() == CPU_BOOT)
        panic(frame, cr2_read()); /* no vector is to blame, and none can be trusted any more */
    end_by(frame, GUARD_FAULT);
}

static void abort_work(struct trap_frame *frame)
{
    end_by(frame, GUARD_ABORTED);
}

/* In a storm of PMIs nothing but its handlers runs, neither the work nor what comes after it, until its
 * counter stops. */
static void end_storm(const struct trap_frame *frame)
{
    if (!pmi_storms())
        return;
    if (stop_counters != NULL)
        stop_counters();
    if (cpu_index() == CPU_AP)
        smp_sibling_fault(frame, 0);
    guard_storm(frame);
}

/* An NMI is a PMI when LVTPC delivers NMIs and has masked itself for one (R50, R51). A storm may be one of
 * PMIs whenever LVTPC delivers NMIs: a defective one may not mask itself. */
static void nmi(struct trap_frame *frame)
{
    uint32_t lvtpc = lapic_present() ? lvtpc_read() : 0;
    const bool by_lvtpc = (lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI;

    if (by_lvtpc)
        end_storm(frame);
    if (by_lvtpc && (lvtpc & LVT_MASKED) != 0)
        pmi_deliver(frame, true);
    else
        pmi_count_other_nmi();
    guard_check_deadline(frame); /* many NMIs would never let the timer's interrupt through */
}

static void pmi(struct trap_frame *frame)
{
    end_storm(frame);
    if (!pmi_deliver(frame, false))
        lapic_eoi();
}

static void timer(struct trap_frame *frame)
{
    lapic_eoi();
    guard_timer(frame);
}

/* On the AP: wake up and look for work. On the boot processor: the AP took an exception. */
static void wake(struct trap_frame *frame)
{
    (void)frame;
    lapic_eoi();
    if (cpu_index() != CPU_BOOT || smp_state() != AP_FAULTED)
        return;
    if (smp_fault()->frame.interrupt == INTERRUPT_MC)
        panic(&smp_fault()->frame, smp_fault()->cr2);
    guard_ap_faulted();
}

void interrupts_init(void (*stop)(void))
{
    stop_counters = stop;
    trap_catch_next(NULL);
    trap_set_exception_handler(exception);
    trap_set_handler(INTERRUPT_NMI, nmi);
    trap_set_handler(INTERRUPT_ABORT, abort_work);
    trap_set_handler(INTERRUPT_PMI, pmi);
    trap_set_handler(INTERRUPT_PMI_TOO, pmi);
    trap_set_handler(INTERRUPT_TIMER, timer);
    trap_set_handler(INTERRUPT_WAKE, wake);
}
