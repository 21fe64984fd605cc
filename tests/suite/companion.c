#include "companion.h"

#include "expect.h"
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmi_counter.h"

#define HALT_US   20 /* until a processor that is about to halt has halted */
#define ANSWER_US 100000

static struct {
    void (*volatile fn)(void *);
    void *arg;
    volatile bool alone, runs, stop;
    bool begun, settled;
} companion;

static void attend(void *unused)
{
    (void)unused;
    while (irq_off(), !companion.stop) {
        if (companion.fn) {
            irq_on();
            if (companion.alone)
                delay_us(HALT_US);
            companion.fn(companion.arg);
            companion.fn = NULL;
            if (companion.alone)
                lapic_send_fixed(smp_topology()->bsp_apic_id, INTERRUPT_WAKE);
        } else if (companion.runs) {
            irq_on();
            cpu_relax();
        } else {
            cpu_halt_until_interrupt();
        }
    }
    irq_on();
    pmi_mask();
}

/* It has no timer that could end a halt. */
static void wake(void)
{
    if (!companion.runs)
        lapic_send_fixed(smp_topology()->bsp_apic_id ^ 1u, INTERRUPT_WAKE);
}

void companion_settle(void)
{
    if (companion.begun && !companion.settled)
        delay_us(HALT_US);
    companion.settled = true;
}

void companion_begin(void)
{
    companion.fn = NULL;
    companion.runs = companion.stop = false;
    companion.begun = true;
    companion.settled = false;
    require_true(HARNESS, smp_start(attend, 0), "the sibling takes work");
}

void companion_run(bool runs)
{
    const bool halted = !companion.runs;

    companion.runs = runs;
    if (halted)
        lapic_send_fixed(smp_topology()->bsp_apic_id ^ 1u, INTERRUPT_WAKE);
    companion.settled = false;
}

void companion_do(void (*fn)(void *), void *arg, bool alone)
{
    struct timeout patience = timeout_in_us(ANSWER_US);

    companion.arg = arg;
    companion.alone = alone && !companion.runs;
    companion.fn = fn;
    wake();
    while (companion.fn && smp_state() == AP_WORKING && !timeout_passed(&patience))
        if (!companion.alone) {
            cpu_relax();
        } else {
            irq_off();
            if (companion.fn)
                cpu_halt_until_interrupt();
        }
    require_true(HARNESS, !companion.fn, "the sibling does what it is asked to do");
    companion.settled = companion.runs;
}

void companion_end(void)
{
    if (!companion.begun)
        return;
    companion.begun = false;
    companion.stop = true;
    wake();
    require_true(HARNESS, smp_wait(ANSWER_US) && smp_park(), "the sibling's work returns");
}
