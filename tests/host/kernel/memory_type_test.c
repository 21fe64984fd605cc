/*
 * kernel/firmware/memory_type.c: the type of memory by the MTRRs, as SDM 11.11 combines them. CPUID and the
 * registers are replaced.
 */
#include "kernel/firmware/firmware.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"
#include "tests/host/support/host_test.h"

#define RANGES      2
#define EDX_MTRR    (1u << 12)
#define MB          0x100000u
#define SIZE(bytes) (~((uint64_t)(bytes)-1) & MTRR_PAGES)

static bool has_mtrrs;
static uint64_t usual, base[RANGES], mask[RANGES];

struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    (void)leaf;
    (void)subleaf;
    return (struct cpuid){.edx = has_mtrrs ? EDX_MTRR : 0};
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    *value = msr == MSR_IA32_MTRRCAP ? RANGES : usual;
    for (unsigned i = 0; i < RANGES; i++) {
        if (msr == MSR_IA32_MTRR_PHYSBASE(i))
            *value = base[i];
        if (msr == MSR_IA32_MTRR_PHYSBASE(i) + 1)
            *value = mask[i];
    }
    return NO_FAULT;
}

static void set(uint64_t def, uint64_t base0, uint64_t mask0, uint64_t base1, uint64_t mask1)
{
    has_mtrrs = true;
    usual = def;
    base[0] = base0;
    mask[0] = mask0;
    base[1] = base1;
    mask[1] = mask1;
}

TEST(without_mtrrs_memory_is_write_back)
{
    set(0, 0, 0, 0, 0);
    assert_false(memory_is_write_back(4 * MB));
    has_mtrrs = false;
    assert_true(memory_is_write_back(4 * MB));
}

TEST(the_usual_type_holds_where_no_range_does)
{
    set(MTRR_VALID | MEMORY_WB, 0, 0, 0, 0);
    assert_true(memory_is_write_back(4 * MB));
    set(MTRR_VALID | MEMORY_UC, MEMORY_WB, MTRR_VALID | SIZE(64 * MB), 0, 0);
    assert_true(memory_is_write_back(4 * MB));
    assert_true(memory_is_write_back(64 * MB - 1));
    assert_false(memory_is_write_back(64 * MB));
}

TEST(a_range_that_is_not_valid_does_not_count)
{
    set(MTRR_VALID | MEMORY_UC, MEMORY_WB, SIZE(64 * MB), 0, 0);
    assert_false(memory_is_write_back(4 * MB));
}

TEST(a_range_above_4_gb_does_not_count_below)
{
    const uint64_t above = 0x100000000 + 4 * MB;

    set(MTRR_VALID | MEMORY_WB, above | MEMORY_UC, MTRR_VALID | SIZE(4 * MB), 0, 0);
    assert_true(memory_is_write_back(6 * MB));
}

TEST(uncached_wins_over_write_back)
{
    set(MTRR_VALID | MEMORY_UC, MEMORY_WB, MTRR_VALID | SIZE(64 * MB), 4 * MB | MEMORY_UC,
        MTRR_VALID | SIZE(4 * MB));
    assert_true(memory_is_write_back(2 * MB));
    assert_false(memory_is_write_back(6 * MB));
    assert_true(memory_is_write_back(8 * MB));
}
