/*
 * Where PMIs and NMIs arrive: the handler that a vector has set takes them, or they are counted as strays. A
 * storm of PMIs is ended here, and here is how long to wait until none is on its way.
 */
#include "pmi.h"
#include <stddef.h>
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"

static pmi_handler *volatile handler;
static volatile uint32_t without_handler, other_nmis, strays, all;

void pmi_set_handler(pmi_handler *new_handler)
{
    handler = new_handler;
}

/* PMIs since a wait in which none came, by the logical processor that took them. */
static volatile unsigned without_pause[2];

static unsigned all_without_pause(void)
{
    return without_pause[0] + without_pause[1];
}

bool pmi_storms(void)
{
    volatile unsigned *const count = &without_pause[cpu_index()];

    if (++*count < PMI_STORM)
        return false;
    *count = 0;
    return true;
}

bool pmi_deliver(struct trap_frame *frame, bool nmi)
{
    pmi_handler *const current = handler;

    all++;
    if (current == NULL) {
        without_handler++;
        return false;
    }
    current(frame, smp_self(), nmi);
    return true;
}

static void count_stray(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    strays++;
    if (!nmi)
        lapic_eoi();
}

struct pmi_patience pmi_patience(void)
{
    const uint64_t clocks = clocks_in_us(PMI_DELIVERY_US), read_clocks = clocks_in_us(PMI_READ_US);
    const uint64_t begin = rdtsc();

    return (struct pmi_patience){begin + clocks, begin + read_clocks, read_clocks, all_without_pause()};
}

bool pmi_patience_over(struct pmi_patience *patience)
{
    uint64_t now;

    io_delay();
    now = rdtsc();
    if (now > patience->read_end_tsc)
        patience->end_tsc += now - patience->read_end_tsc;
    patience->read_end_tsc = now + patience->read_clocks;
    if (now < patience->end_tsc)
        return false;
    if (all_without_pause() == patience->pmis)
        without_pause[0] = without_pause[1] = 0;
    return true;
}

void pmi_wait_for_delivery(void)
{
    struct pmi_patience patience = pmi_patience();

    while (!pmi_patience_over(&patience))
        continue;
}

void pmi_drain(void)
{
    bool interrupts = irq_off();

    handler = count_stray;
    irq_on();
    pmi_wait_for_delivery();
    irq_restore(interrupts);
    handler = NULL;
}

uint32_t pmi_strays(void)
{
    return strays;
}

uint32_t pmi_count(void)
{
    return all;
}

void pmi_count_other_nmi(void)
{
    other_nmis++;
}

struct unexpected_interrupts unexpected_interrupts(void)
{
    return (struct unexpected_interrupts){without_handler, other_nmis, trap_spurious()};
}
