/* Bits of CCCRs and ESCRs that differ with the logical processor that runs (R11, R12, R45), and with E22. */
#include "bits.h"

#include "machine.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

uint32_t machine_off(void)
{
    return machine_has_erratum(PMC_E22) ? CCCR_NEVER_COUNTS | CCCR_OVF : 0;
}

uint32_t machine_ovf(unsigned n)
{
    return machine_has_erratum(PMC_E22) ? (uint32_t)msr_read(MSR_CCCR(n)) & CCCR_OVF : CCCR_OVF;
}

static uint32_t escr_for(unsigned lp, bool os, bool usr)
{
    if (lp == 0)
        return (os ? ESCR_T0_OS : 0) | (usr ? ESCR_T0_USR : 0);
    return (os ? ESCR_T1_OS : 0) | (usr ? ESCR_T1_USR : 0);
}

uint32_t escr_self(bool os, bool usr)
{
    return escr_for(smp_self(), os, usr);
}

uint32_t escr_self_all(void)
{
    return escr_self(true, true);
}

uint32_t escr_sibling(bool os, bool usr)
{
    return escr_for(smp_self() ^ 1, os, usr);
}

uint32_t ovf_pmi_to(unsigned lp)
{
    return lp == 0 ? CCCR_OVF_PMI_T0 : CCCR_OVF_PMI_T1;
}
