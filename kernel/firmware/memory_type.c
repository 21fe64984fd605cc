/* The type of memory by the MTRRs, which are only read. */
#include "firmware.h"

#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

#define CPUID_1_EDX_MTRR (1u << 12)
#define MTRR_RANGES(cap) ((unsigned)FIELD_GET(7, 0, cap))

static uint64_t read(uint32_t msr)
{
    uint64_t value = 0;

    return msr_try_read(msr, &value) == NO_FAULT ? value : 0;
}

/* Of memory above 1 MB, where the fixed ranges end. Of ranges that overlap the type with the lower number
 * wins: UC before all, WT before WB (SDM 11.11.4.1). */
static unsigned mtrr_type(uint32_t address)
{
    const uint64_t usual = read(MSR_IA32_MTRR_DEF_TYPE);
    unsigned type = MEMORY_UC_MINUS;

    if (!(usual & MTRR_VALID))
        return MEMORY_UC;
    for (unsigned i = 0; i < MTRR_RANGES(read(MSR_IA32_MTRRCAP)); i++) {
        const uint64_t base = read(MSR_IA32_MTRR_PHYSBASE(i)), mask = read(MSR_IA32_MTRR_PHYSBASE(i) + 1);

        if (mask & MTRR_VALID && (address & mask & MTRR_PAGES) == (base & mask & MTRR_PAGES) &&
            MTRR_TYPE(base) < type)
            type = MTRR_TYPE(base);
    }
    return type == MEMORY_UC_MINUS ? MTRR_TYPE(usual) : type;
}

bool memory_is_write_back(uint32_t address)
{
    return !(cpuid(1, 0).edx & CPUID_1_EDX_MTRR) || mtrr_type(address) == MEMORY_WB;
}
