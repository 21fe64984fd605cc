/*
 * Programming a counter, in the order of the steps 1 to 11 of SDM 18.15.5.1 to 18.15.5.5. The manual writes a
 * CCCR several times to show its fields; as its note there allows, each is written once.
 */
#include <stddef.h>
#include "setup.h"
#include "pmc/msr.h"

bool pmc_program(struct pmc_programming *p, enum pmc_event_id event, uint16_t mask, uint32_t cpl,
                 unsigned counter)
{
    if ((unsigned)event >= PMC_EVENTS || (cpl & ~ESCR_CPL_MASK))
        return false;

    /* Steps 1 to 4: the event, an ESCR that knows it, a counter whose CCCR can select that ESCR, and the
     * select. */
    const struct pmc_event *e = &PMC_EVENT[event];
    if (counter >= PMC_COUNTERS)
        return false;
    const struct pmc_escr *escr = pmc_escr_at(e->escr[PMC_COUNTER[counter].side]); /* null for none */
    if (escr == NULL || escr->block != PMC_COUNTER[counter].block)
        return false;

    p->counter = counter;
    p->escr_msr = escr->msr;
    /* Step 5: event select, event mask, and whom to count. */
    p->escr = ESCR_EVENT_SELECT(e->select) | ESCR_EVENT_MASK(mask) | cpl;
    /* Step 6: the CCCR select. [17:16] = 11B is what parts without Hyper-Threading demand. */
    p->cccr = CCCR_ESCR_SELECT(e->cccr_select) | CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    return true;
}

void pmc_set_privilege(struct pmc_programming *p, uint32_t cpl)
{
    p->escr = (p->escr & ~ESCR_CPL_MASK) | cpl;
}

void pmc_set_active_thread(struct pmc_programming *p, unsigned active)
{
    p->cccr = (p->cccr & ~CCCR_ACTIVE_MASK) | CCCR_ACTIVE_THREAD(active);
}

static void write_counter(unsigned counter, uint64_t value)
{
    /* E1: an event between the two halves of the write can corrupt it; the second write repairs that. */
    msr_write(MSR_COUNTER(counter), value & COUNTER_MASK);
    msr_write(MSR_COUNTER(counter), value & COUNTER_MASK);
}

bool pmc_preset(unsigned counter, uint64_t value)
{
    write_counter(counter, value);
    return msr_read(MSR_COUNTER(counter)) == (value & COUNTER_MASK);
}

bool pmc_arm(const struct pmc_programming *p, uint64_t preset)
{
    msr_write(MSR_CCCR(p->counter), 0);
    /* E1: an access to the counter adds what its input presents, and a CCCR of 0 selects an ESCR too. */
    msr_write(p->escr_msr, 0);
    bool holds = pmc_preset(p->counter, preset);
    msr_write(p->escr_msr, p->escr);
    return holds;
}

uint32_t pmc_cccr_enabled(const struct pmc_programming *p)
{
    return p->cccr | CCCR_ENABLE;
}

uint32_t pmc_cccr_cascaded(const struct pmc_programming *p)
{
    return p->cccr | CCCR_CASCADE;
}

uint32_t pmc_cccr_extended(const struct pmc_programming *p)
{
    return p->cccr | CCCR_CASCNT;
}

void pmc_start(const struct pmc_programming *p)
{
    msr_write(MSR_CCCR(p->counter), pmc_cccr_enabled(p));
}

void pmc_arm_cascade(const struct pmc_programming *p)
{
    msr_write(MSR_CCCR(p->counter), pmc_cccr_cascaded(p));
}

void pmc_arm_extended_cascade(const struct pmc_programming *p)
{
    msr_write(MSR_CCCR(p->counter), pmc_cccr_extended(p));
}

uint64_t pmc_read(unsigned counter)
{
    return msr_read(MSR_COUNTER(counter)) & COUNTER_MASK;
}

/* Clear bits of a CCCR and write the rest as it was read. An overflow between read and write is lost (R32).
 */
static void cccr_clear(unsigned counter, uint64_t bits)
{
    msr_write(MSR_CCCR(counter), msr_read(MSR_CCCR(counter)) & ~bits);
}

void pmc_stop(unsigned counter)
{
    cccr_clear(counter, CCCR_ENABLE);
}

bool pmc_overflowed(unsigned counter)
{
    return msr_read(MSR_CCCR(counter)) & CCCR_OVF;
}

void pmc_halt_by_overflow_flag(unsigned x)
{
    cccr_clear(x, CCCR_OVF);
}

void pmc_acknowledge(unsigned counter, uint64_t reload)
{
    cccr_clear(counter, CCCR_OVF);
    write_counter(counter, reload);
}
