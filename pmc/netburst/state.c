/*
 * The PMU as a whole: stop every counter, clear every register, show every register that is not 0.
 */
#include <stddef.h>
#include "setup.h"
#include "pmc/msr.h"
#include "text.h"

static bool escr_exists(const struct pmc_escr *escr, const struct pmc_cpu *cpu)
{
    return cpu->model <= escr->last_model;
}

void pmc_stop_all(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(MSR_CCCR(n), 0);
}

/* Calls visit on every register of the cleared state, in the order of setup.h; stops at the first nonzero. */
static uint32_t each_register(const struct pmc_cpu *cpu, uint32_t (*visit)(uint32_t msr))
{
    uint32_t found = 0;

    for (unsigned n = 0; n < PMC_COUNTERS && !found; n++)
        found = visit(MSR_CCCR(n));
    for (unsigned i = 0; i < PMC_ESCRS && !found; i++) {
        if (escr_exists(&PMC_ESCR[i], cpu))
            found = visit(PMC_ESCR[i].msr);
    }
    for (unsigned n = 0; n < PMC_COUNTERS && !found; n++)
        found = visit(MSR_COUNTER(n));
    if (!found)
        found = visit(MSR_PEBS_ENABLE);
    if (!found)
        found = visit(MSR_PEBS_MATRIX_VERT);
    return found;
}

/* A read is cheaper than a write, on silicon too, and most registers are 0 already. */
static uint32_t clear(uint32_t msr)
{
    if (msr_read(msr) == 0)
        return 0;
    msr_write(msr, 0);
    if (msr - MSR_COUNTER(0) < PMC_COUNTERS)
        msr_write(msr, 0); /* E1: counters are written twice */
    return msr_read(msr) ? msr : 0;
}

uint32_t pmc_clear(const struct pmc_cpu *cpu)
{
    pmc_stop_all();
    return each_register(cpu, clear);
}

static void dump_register(uint32_t msr, const char *name, pmc_dump_fn *fn, void *context)
{
    uint64_t value;
    unsigned vector = msr_try_read(msr, &value);

    if (vector == NO_FAULT) {
        if (value)
            fn(context, name, value);
        return;
    }
    char fault[40], *end = fault + sizeof fault;
    text_append(text_append(fault, end, name), end, "_FAULT");
    fn(context, fault, vector);
}

void pmc_dump(const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        dump_register(MSR_COUNTER(n), PMC_COUNTER[n].counter_name, fn, context);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        dump_register(MSR_CCCR(n), PMC_COUNTER[n].cccr_name, fn, context);
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        if (escr_exists(&PMC_ESCR[i], cpu))
            dump_register(PMC_ESCR[i].msr, PMC_ESCR[i].name, fn, context);
    }
}
