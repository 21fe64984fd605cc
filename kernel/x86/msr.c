/* The try forms of pmc/msr.h. */
#include "pmc/msr.h"
#include "msr_insn.h"

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    return msr_insn_read(msr, value);
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    return msr_insn_write(msr, value);
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
