/*
 * Takes #MC, by which failing hardware reports itself, and reads the banks that say what failed (SDM vol. 3,
 * chapter 15).
 */
#include "cpu.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

#define CPUID_1_EDX_MCE (1u << 7)
#define CPUID_1_EDX_MCA (1u << 14)
#define CR4_MCE         (1u << 6)

#define BANKS(cap)         ((unsigned)FIELD_GET(7, 0, cap))
#define STATUS_VALID       FIELD_MASK64(63, 63)
#define STATUS_HAS_ADDRESS FIELD_MASK64(58, 58)

void machine_check_enable(void)
{
    if ((cpuid(1, 0).edx & CPUID_1_EDX_MCE) != 0)
        cr4_write(cr4_read() | CR4_MCE);
}

unsigned machine_check_banks(void)
{
    uint64_t cap;

    if ((cpuid(1, 0).edx & CPUID_1_EDX_MCA) == 0 || msr_try_read(MSR_IA32_MCG_CAP, &cap) != NO_FAULT)
        return 0;
    return BANKS(cap);
}

bool machine_check_read(unsigned bank, uint64_t *status, uint64_t *address)
{
    *address = 0;
    if (msr_try_read(MSR_IA32_MC_STATUS(bank), status) != NO_FAULT || (*status & STATUS_VALID) == 0)
        return false;
    if ((*status & STATUS_HAS_ADDRESS) != 0)
        msr_try_read(MSR_IA32_MC_ADDR(bank), address);
    return true;
}
