/*
 * The plain forms of pmc/msr.h, which abort guarded work with the register and the exception as the reason.
 * Only the boot processor at CPL 0 can do that. Elsewhere the access is repeated without a fix-up, so that
 * the exception itself ends it.
 */
#include "guard.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/msr_insn.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"

static void report_fault(const char *access, uint32_t msr, unsigned fault)
{
    if (cpl() != 0 || cpu_index() != CPU_BOOT)
        return;
    guard_abort_by_msr(msr, "%s of MSR %3H raised %u (%s)", access, msr, fault, trap_name(fault));
}

uint64_t msr_read(uint32_t msr)
{
    uint64_t value;
    unsigned fault = msr_insn_read(msr, &value);

    if (fault != NO_FAULT) {
        report_fault("RDMSR", msr, fault);
        __asm__ volatile("rdmsr" : "=A"(value) : "c"(msr));
    }
    return value;
}

/* Called last, and never a part of msr_write(): vectors count the instructions of an ordinary write. */
__attribute__((noinline)) static void write_for_e22(uint32_t cccr, uint64_t value)
{
    unsigned fault = msr_try_write(cccr, value);

    if (fault != NO_FAULT)
        report_fault("WRMSR", cccr, fault);
}

void msr_write(uint32_t msr, uint64_t value)
{
    if (msr - MSR_CCCR(0) < msr_e22_cccrs) {
        write_for_e22(msr, value);
        return;
    }
    unsigned fault = msr_insn_write(msr, value);

    if (fault != NO_FAULT) {
        report_fault("WRMSR", msr, fault);
        __asm__ volatile("wrmsr" : : "c"(msr), "A"(value));
    }
}
