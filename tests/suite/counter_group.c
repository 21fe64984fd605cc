#include "counter_group.h"

#include "kernel/run/finish.h"
#include "kernel/x86/cpu.h"
#include "kernel/log/tap.h"
#include "machine.h"
#include "pmc/msr.h"

struct pmc_programming *together_add(struct together *t, enum pmc_event_id event, uint16_t mask,
                                     unsigned counter, uint32_t filter)
{
    struct pmc_programming *p = &t->p[t->counters++];

    if (!pmc_program(p, event, mask, escr_self(true, true), counter))
        bail_out("%s cannot be counted on counter %u", PMC_EVENT[event].name, counter);
    p->cccr |= filter;
    return p;
}

void together_run(const struct together *t, uint64_t counts[TOGETHER_MOST])
{
    pmc_clear(&machine_cpu);
    work_exercise(t->work, t->n);
    for (unsigned i = 0; i < t->counters; i++)
        pmc_arm(&t->p[i], 0);
    bool were_on = irq_off();
    for (unsigned i = 0; i < t->counters; i++)
        pmc_start(&t->p[i]);
    work_exercise(t->work, t->n);
    for (unsigned i = 0; i < t->counters; i++)
        msr_write(MSR_CCCR(t->p[i].counter), 0);
    irq_restore(were_on);
    for (unsigned i = 0; i < t->counters; i++)
        counts[i] = pmc_read(t->p[i].counter);
}

uint32_t above(unsigned threshold)
{
    return CCCR_COMPARE | CCCR_THRESHOLD(threshold);
}

uint32_t at_or_below(unsigned threshold)
{
    return CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(threshold);
}
