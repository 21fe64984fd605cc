/*
 * RDMSR and WRMSR with an entry in the fix-up table (trap.h): a fault comes back as a vector number in EAX.
 * Inline, because the plain forms are called by the hundred when the PMU is cleared.
 */
#ifndef KERNEL_X86_MSR_INSN_H
#define KERNEL_X86_MSR_INSN_H

#include <stdint.h>
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

/* The access at label 1 resumes, when it faults, at label 2, which moves the interrupt vector from EAX to
 * %[fault]. */
#define WITH_FIXUP(instruction)       \
    "xorl %[fault], %[fault]\n"       \
    "1:\t" instruction "\n\t"         \
    "jmp 3f\n"                        \
    "2:\tmovl %%eax, %[fault]\n"      \
    "3:\n\t"                          \
    ".pushsection .fixups, \"a\"\n\t" \
    ".long 1b, 2b\n\t"                \
    ".popsection"

static inline __attribute__((always_inline)) unsigned msr_insn_read(uint32_t msr, uint64_t *value)
{
    uint32_t fault, low, high;

    __asm__ volatile(WITH_FIXUP("rdmsr") : [fault] "=&r"(fault), "=a"(low), "=d"(high) : "c"(msr) : "memory");
    if (fault == NO_FAULT)
        *value = (uint64_t)high << 32 | low;
    return fault;
}

static inline __attribute__((always_inline)) unsigned msr_insn_write(uint32_t msr, uint64_t value)
{
    uint32_t fault, low = (uint32_t)value;

    __asm__ volatile(WITH_FIXUP("wrmsr")
                     : [fault] "=&r"(fault), "+a"(low)
                     : "c"(msr), "d"((uint32_t)(value >> 32))
                     : "memory");
    return fault;
}

extern uint32_t msr_e22_cccrs; /* how many CCCRs E22 concerns: all, or 0 */
/* What to write instead of value, so that OVF becomes 0 where the value has it 0 (msr_set_e22()). */
uint64_t msr_value_for_e22(uint32_t cccr, uint64_t value);

#endif
