/*
 * pmc/msr.h on the real instructions. Each access has an entry in the fix-up table (trap.h), so a fault comes
 * back as a vector number in EAX.
 *
 * The plain forms end the attempt with the register and the exception as the reason. Only the boot processor
 * at CPL 0 can do that: elsewhere the access is repeated without a safety net, and the trap ends the attempt.
 */
#include "pmc/msr.h"
#include "kernel/run/attempt.h"
#include "cpu.h"
#include "segments.h"
#include "trap.h"

/* The access at label 1 resumes, when it faults, at label 2, which moves the vector from EAX to %[fault]. */
#define WITH_FIXUP(instruction)       \
    "xorl %[fault], %[fault]\n"       \
    "1:\t" instruction "\n\t"         \
    "jmp 3f\n"                        \
    "2:\tmovl %%eax, %[fault]\n"      \
    "3:\n\t"                          \
    ".pushsection .fixups, \"a\"\n\t" \
    ".long 1b, 2b\n\t"                \
    ".popsection"

/* The two accesses stand in the plain forms as well, which the clearing of the PMU calls by the hundred. */
static inline __attribute__((always_inline)) unsigned read_msr(uint32_t msr, uint64_t *value)
{
    uint32_t fault, low, high;

    __asm__ volatile(WITH_FIXUP("rdmsr") : [fault] "=&r"(fault), "=a"(low), "=d"(high) : "c"(msr) : "memory");
    if (fault == NO_FAULT)
        *value = (uint64_t)high << 32 | low;
    return fault;
}

static inline __attribute__((always_inline)) unsigned write_msr(uint32_t msr, uint64_t value)
{
    uint32_t fault, low = (uint32_t)value;

    __asm__ volatile(WITH_FIXUP("wrmsr")
                     : [fault] "=&r"(fault), "+a"(low)
                     : "c"(msr), "d"((uint32_t)(value >> 32))
                     : "memory");
    return fault;
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    return read_msr(msr, value);
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    return write_msr(msr, value);
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

static void report_fault(const char *access, uint32_t msr, unsigned fault)
{
    if (cpl() != 0 || processor_slot() != SLOT_BOOT)
        return;
    attempt_give_up_because("%s of MSR %3H raised %u (%s)", access, msr, fault, trap_name(fault));
}

uint64_t msr_read(uint32_t msr)
{
    uint64_t value;
    unsigned fault = read_msr(msr, &value);

    if (fault != NO_FAULT) {
        report_fault("RDMSR", msr, fault);
        __asm__ volatile("rdmsr" : "=A"(value) : "c"(msr));
    }
    return value;
}

void msr_write(uint32_t msr, uint64_t value)
{
    unsigned fault = write_msr(msr, value);

    if (fault != NO_FAULT) {
        report_fault("WRMSR", msr, fault);
        __asm__ volatile("wrmsr" : : "c"(msr), "A"(value));
    }
}
