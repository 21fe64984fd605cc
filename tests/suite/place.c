#include "place.h"

#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "sibling.h"

static const struct placed_work *current;

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
    for (unsigned i = 0; i < current->escrs; i++)
        msr_write(current->escr[i].msr, current->escr[i].value);
    if (current->place.level == 0)
        run_phases(0);
    else
        ring_run(current->place.level, run_phases, 0);
    for (unsigned i = 0; i < current->escrs; i++)
        msr_write(current->escr[i].msr, current->after ? current->after[i] : 0);
    if (current->paged)
        paging_off();
}

void place_run(const struct placed_work *work)
{
    irq_off();
    current = work;
    if (work->place.on_sibling)
        sibling_works_alone(run_here);
    else
        run_here();
    irq_off();
}
