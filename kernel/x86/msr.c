/* The try forms of pmc/msr.h, and how OVF is cleared where writing 0 does not (E22). */
#include "pmc/msr.h"
#include "msr_insn.h"

uint32_t msr_e22_cccrs;

void msr_set_e22(bool has)
{
    msr_e22_cccrs = has ? PMC_COUNTERS : 0;
}

uint64_t msr_value_for_e22(uint32_t cccr, uint64_t value)
{
    uint64_t before;

    if (value & CCCR_OVF) /* as it stands: a 1 could clear it */
        return value & ~(uint64_t)CCCR_OVF;
    if (msr_insn_read(cccr, &before) != NO_FAULT || !(before & CCCR_OVF))
        return value;
    if (value & CCCR_ENABLE)
        return value | CCCR_OVF;
    /* Armed as it is to be: a cascade that was latched would end (10.1a). */
    msr_insn_write(cccr, (value & (CCCR_CASCADE | CCCR_CASCNT)) | CCCR_NEVER_COUNTS | CCCR_OVF);
    return value;
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    return msr_insn_read(msr, value);
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    return msr_insn_write(msr, msr - MSR_CCCR(0) < msr_e22_cccrs ? msr_value_for_e22(msr, value) : value);
}

unsigned rdpmc_try(uint32_t index, uint64_t *value)
{
    uint32_t fault, low, high;

    __asm__ volatile(WITH_FIXUP("rdpmc")
                     : [fault] "=&r"(fault), "=a"(low), "=d"(high)
                     : "c"(index)
                     : "memory");
    if (fault == NO_FAULT)
        *value = (uint64_t)high << 32 | low;
    return fault;
}
