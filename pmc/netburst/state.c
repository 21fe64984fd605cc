/*
 * The PMU as a whole: stop every counter, clear every register, show every register that is not 0.
 */
#include <stddef.h>
#include "setup.h"
#include "pmc/msr.h"
#include "text.h"

static bool is_absent(const struct pmc_absent *absent, uint32_t msr)
{
    for (unsigned i = 0; i < absent->count; i++)
        if (absent->msr[i] == msr)
            return true;
    return false;
}

/* escr: the ESCR at this address, or null for another register. */
static bool is_there(const struct pmc_cpu *cpu, uint32_t msr, const struct pmc_escr *escr)
{
    return !(escr != NULL && cpu->model > escr->last_model) && !is_absent(&cpu->absent, msr);
}

bool pmc_has_register(const struct pmc_cpu *cpu, uint32_t msr)
{
    return is_there(cpu, msr, pmc_escr_at(msr));
}

static void try_first(struct pmc_cpu *cpu, uint32_t msr)
{
    uint64_t value;

    if (pmc_has_register(cpu, msr) &&
        (msr_try_write(msr, 0) != NO_FAULT || msr_try_read(msr, &value) != NO_FAULT))
        cpu->absent.msr[cpu->absent.count++] = msr;
}

void pmc_find_absent(struct pmc_cpu *cpu)
{
    cpu->absent.count = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        try_first(cpu, MSR_CCCR(n));
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        try_first(cpu, PMC_ESCR[i].msr);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        try_first(cpu, MSR_COUNTER(n));
    try_first(cpu, MSR_PEBS_ENABLE);
    try_first(cpu, MSR_PEBS_MATRIX_VERT);
}

void pmc_stop_all(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        (void)msr_try_write(MSR_CCCR(n), 0);
}

uint64_t pmc_judged_bits(const struct pmc_cpu *cpu, uint32_t msr)
{
    return !cpu->ht && msr - MSR_CCCR(0) < PMC_COUNTERS ? ~(uint64_t)CCCR_ACTIVE_MASK : ~0ull;
}

/* Does this value make the ESCR tag uops, or may it? uop_type tags without tag enable. */
static bool may_tag(const struct pmc_escr *escr, uint64_t value)
{
    return escr != NULL && (value & ESCR_TAG_ENABLE || (escr->msr & ~1u) == MSR_RAT_ESCR0);
}

/* Returns msr if it did not become 0, else 0. A read is cheaper than a write, on silicon too, and most
 * registers are 0 already. */
static uint32_t clear(const struct pmc_cpu *cpu, uint32_t msr, const struct pmc_escr *escr)
{
    if (!is_there(cpu, msr, escr))
        return 0;
    const uint64_t value = msr_read(msr);
    if (value == 0)
        return 0;
    /* E23: it might go on tagging if no counter powered it now. */
    const uint32_t cccr = may_tag(escr, value) ? MSR_CCCR(escr->counters[0]) : 0;
    if (cccr)
        msr_try_write(cccr, CCCR_NEVER_COUNTS | CCCR_ESCR_SELECT(escr->select));
    msr_write(msr, 0);
    if (cccr)
        msr_try_write(cccr, 0);
    if (msr - MSR_COUNTER(0) < PMC_COUNTERS)
        msr_write(msr, 0); /* E1: counters are written twice */
    return msr_read(msr) & pmc_judged_bits(cpu, msr) ? msr : 0;
}

uint32_t pmc_clear(const struct pmc_cpu *cpu)
{
    uint32_t stuck = 0;

    pmc_stop_all();
    for (unsigned n = 0; n < PMC_COUNTERS && !stuck; n++)
        stuck = clear(cpu, MSR_CCCR(n), NULL);
    for (unsigned i = 0; i < PMC_ESCRS && !stuck; i++)
        stuck = clear(cpu, PMC_ESCR[i].msr, &PMC_ESCR[i]);
    for (unsigned n = 0; n < PMC_COUNTERS && !stuck; n++)
        stuck = clear(cpu, MSR_COUNTER(n), NULL);
    if (!stuck)
        stuck = clear(cpu, MSR_PEBS_ENABLE, NULL);
    if (!stuck)
        stuck = clear(cpu, MSR_PEBS_MATRIX_VERT, NULL);
    return stuck;
}

static void dump_register(const struct pmc_cpu *cpu, uint32_t msr, const char *name, pmc_dump_fn *fn,
                          void *context)
{
    uint64_t value;
    unsigned exception;

    if (!pmc_has_register(cpu, msr))
        return;
    exception = msr_try_read(msr, &value);

    if (exception == NO_FAULT) {
        if (value)
            fn(context, name, value);
        return;
    }
    char fault[40], *end = fault + sizeof fault;
    text_append(text_append(fault, end, name), end, "_FAULT");
    fn(context, fault, exception);
}

void pmc_dump(const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        dump_register(cpu, MSR_COUNTER(n), PMC_COUNTER[n].counter_name, fn, context);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        dump_register(cpu, MSR_CCCR(n), PMC_COUNTER[n].cccr_name, fn, context);
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        dump_register(cpu, PMC_ESCR[i].msr, PMC_ESCR[i].name, fn, context);
}
