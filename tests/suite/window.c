#include "window.h"

#include "count.h"
#include "expect.h"
#include "kernel/console/console.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "pmc/out_of_line.h"

#define FRAME_ESCRS 2 /* that the frame itself writes */

struct window_counter *window_add(struct window *g, const struct pmc_programming *p, uint64_t preset)
{
    struct window_counter *c = &g->counter[g->counters++];
    unsigned i = 0;

    *c = (struct window_counter){.p = *p, .preset = preset};
    while (i < g->escrs && g->escr[i].msr != p->escr_msr)
        i++;
    if (i == g->escrs)
        g->escr[g->escrs++] = (struct msr_write){p->escr_msr, p->escr};
    return c;
}

void window_arm(const struct window *g, uint32_t running)
{
    pmc_stop_all();
    for (unsigned i = 0; i < g->escrs; i++)
        msr_write(g->escr[i].msr, 0);
    for (unsigned i = 0; i < g->counters; i++) {
        const struct window_counter *c = &g->counter[i];

        require_true(R4, pmc_preset(c->p.counter, c->preset), "counter %u holds its preset", c->p.counter);
        if (running >> c->p.counter & 1)
            pmc_start(&c->p);
    }
}

/* Write the ESCRs that the frame does not write. mask: all ones for their events, 0 for no event. */
static void write_escrs(const struct window *g, uint32_t mask)
{
    for (unsigned i = FRAME_ESCRS; i < g->escrs; i++)
        msr_write(g->escr[i].msr, g->escr[i].value & mask);
}

/* Run the frame once, with the events that mask lets through. */
static void pass(const struct window *g, struct frame frame, uint32_t mask)
{
    for (unsigned i = 0; i < FRAME_ESCRS && i < g->escrs; i++) {
        frame.start[i] = (struct msr_write){g->escr[i].msr, g->escr[i].value & mask};
        frame.stop[i] = (struct msr_write){g->escr[i].msr, 0};
    }
    write_escrs(g, mask);
    frame_run(&frame);
    write_escrs(g, 0);
}

void window_run(struct window *g, const struct frame *phases)
{
    console_drain();
    bool were_on = irq_off();
    pass(g, *phases, 0);
    pass(g, *phases, ~0u);
    irq_restore(were_on);
    for (unsigned i = 0; i < g->counters; i++) {
        struct window_counter *c = &g->counter[i];

        c->overflowed = pmc_overflowed(c->p.counter);
        c->value = pmc_read(c->p.counter);
    }
}

void window_work(struct window *g, const struct workload *work, uint32_t n)
{
    struct frame frame;

    /* Unused writes of the frame go to the CCCR of a counter that is off. */
    frame_init(&frame, idle_counter(g->counter[0].p.counter, g->counter[g->counters - 1].p.counter));
    frame_phase(&frame, 0, work, n);
    window_run(g, &frame);
}

void window_measure(struct window *g, const struct workload *work, uint32_t n)
{
    window_arm(g, WINDOW_ALL);
    window_work(g, work, n);
}

OUT_OF_LINE uint64_t window_counted(const struct window_counter *counter)
{
    return (counter->value - counter->preset) & COUNTER_MASK;
}

uint32_t window_overflows(void)
{
    uint32_t set = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        set |= (uint32_t)pmc_overflowed(n) << n;
    return set;
}

unsigned window_twin(unsigned counter)
{
    return counter >= 16 ? 12 + 2 * (counter - 16) : counter ^ 1;
}
