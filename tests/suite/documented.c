/* Which bits of a CCCR or an ESCR the manual documents for this part. */
#include "documented.h"

#include "machine.h"
#include "pmc/netburst/event.h"
#include "pmc/netburst/regs.h"

uint64_t cccr_documented(unsigned n)
{
    uint64_t mask = CCCR_ESCR_SELECT_MASK | CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE |
                    CCCR_FORCE_OVF | CCCR_OVF_PMI | CCCR_CASCADE;

    if (machine_cpu.ht)
        mask |= CCCR_ACTIVE_MASK | CCCR_OVF_PMI_T1;
    if (machine_cpu.extended_cascade && PMC_COUNTER[n].extended_from != PMC_NONE)
        mask |= CCCR_CASCNT;
    return mask;
}

uint64_t escr_documented(const struct pmc_escr *escr)
{
    const uint32_t cpls = machine_cpu.ht ? ESCR_CPL_MASK : ESCR_OS | ESCR_USR;
    uint64_t mask = 0;

    if (machine_cpu.signature == SIGNATURE_F43)
        return escr->f43_mask & (cpls | ~ESCR_CPL_MASK);
    for (unsigned e = 0; e < PMC_EVENTS; e++) {
        const struct pmc_event *event = &PMC_EVENT[e];
        if (!(event->models & (1u << machine_cpu.model)) ||
            (event->escr[0] != escr->msr && event->escr[1] != escr->msr))
            continue;
        mask |= ESCR_EVENT_SELECT(event->select) | cpls;
        /* Models 0 and 1 lack some bits of the event masks, and no source says which (F14). */
        if (machine_cpu.model >= 2)
            mask |= ESCR_EVENT_MASK(event->members);
    }
    return mask;
}
