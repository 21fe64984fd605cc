#include "counter_group.h"

#include "expect.h"
#include "stimulus.h"
#include "window.h"
#include "kernel/run/run.h"
#include "kernel/x86/cpu.h"
#include "kernel/log/log.h"
#include "machine.h"
#include "pmc/msr.h"

struct pmc_programming *counter_group_add(struct counter_group *g, enum pmc_event_id event, uint16_t mask,
                                          unsigned counter, uint32_t filter)
{
    struct pmc_programming *p = &g->p[g->counters++];

    if (!pmc_program(p, event, mask, escr_self_all(), counter))
        bail_out("%s cannot be counted on counter %u", PMC_EVENT[event].name, counter);
    p->cccr |= filter;
    return p;
}

void counter_group_run(struct counter_group *g)
{
    pmc_clear(&machine_cpu);
    work_exercise(g->work, g->n);
    for (unsigned i = 0; i < g->counters; i++)
        pmc_arm(&g->p[i], 0);
    bool were_on = irq_off();
    for (unsigned i = 0; i < g->counters; i++)
        pmc_start(&g->p[i]);
    work_exercise(g->work, g->n);
    for (unsigned i = 0; i < g->counters; i++)
        msr_write(MSR_CCCR(g->p[i].counter), 0);
    irq_restore(were_on);
    for (unsigned i = 0; i < g->counters; i++)
        g->count[i] = pmc_read(g->p[i].counter);
}

void counter_group_window(struct counter_group *g)
{
    struct window window = {.counters = 0};

    pmc_clear(&machine_cpu);
    for (unsigned i = 0; i < g->counters; i++)
        window_add(&window, &g->p[i], 0);
    window_measure(&window, g->work, g->n);
    for (unsigned i = 0; i < g->counters; i++)
        g->count[i] = window.counter[i].value;
}

void count_on_all(const struct pmc_programming *p, enum pmc_event_id event, const struct workload *work,
                  uint32_t n, uint64_t count[2])
{
    for (unsigned side = 0; side < 2; side++) {
        struct counter_group g = {.work = work, .n = n};

        for (unsigned c = 0; c < PMC_COUNTERS; c++) {
            struct pmc_programming *one = &g.p[g.counters];

            if (PMC_COUNTER[c].block != PMC_COUNTER[p->counter].block || PMC_COUNTER[c].side != side ||
                counter_is_dead(c) || !pmc_program(one, event, 0, 0, c))
                continue;
            one->escr = p->escr;
            one->cccr = p->cccr;
            g.counters++;
        }
        counter_group_window(&g);
        count[side] = g.count[0];
        for (unsigned i = 1; i < g.counters; i++)
            expect_equal(R17, count[side], g.count[i], "%s on counter %u, as on counter %u of the same ESCR",
                         PMC_EVENT[event].name, g.p[i].counter, g.p[0].counter);
    }
}

uint32_t above(unsigned threshold)
{
    return CCCR_COMPARE | CCCR_THRESHOLD(threshold);
}

uint32_t at_or_below(unsigned threshold)
{
    return CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(threshold);
}
