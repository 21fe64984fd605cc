#include "place.h"

#include "expect.h"
#include "kernel/board/clock.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/paging.h"
#include "pmc/msr.h"

#define HEAD_START_US 20 /* in which the boot processor halts */
#define WORK_US       100000

static const struct placed_work *current;
static volatile bool sibling_done;

unsigned place_lp(struct place place)
{
    return smp_self() ^ place.on_sibling;
}

static void run_phases(void *unused)
{
    (void)unused;
    frame_exercise(current->phases);
}

static void run_here(void)
{
    if (current->paged)
        paging_on();
    for (unsigned i = 0; i < current->gates; i++)
        msr_write(current->gate[i].msr, current->gate[i].value);
    if (current->place.level == 0)
        run_phases(0);
    else
        ring_run(current->place.level, run_phases, 0);
    for (unsigned i = 0; i < current->gates; i++)
        msr_write(current->gate[i].msr, 0);
    if (current->paged)
        paging_off();
}

static void sibling_work(void *unused)
{
    (void)unused;
    delay_us(HEAD_START_US);
    run_here();
    sibling_done = true;
    lapic_send_fixed(smp_topology()->bsp_apic_id, VECTOR_WAKE);
}

/* What comes before the halt, and the polling of the local APIC, take any number of instructions. */
static void run_on_sibling(void)
{
    sibling_done = false;
    require_true(smp_start(sibling_work, 0), "the sibling takes work");
    while (irq_off(), !sibling_done && smp_state() == AP_WORKING)
        cpu_halt_until_interrupt();
    require_true(smp_wait(WORK_US), "the sibling's work returns");
    require_true(smp_park(), "the sibling parks");
}

void place_run(const struct placed_work *work)
{
    irq_off();
    current = work;
    if (work->place.on_sibling)
        run_on_sibling();
    else
        run_here();
    irq_off();
}
