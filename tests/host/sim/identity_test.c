/*
 * The identity of p4sim's processors as recorded: CPUID of 0F43H and the write behaviour of two MSRs of it
 * (VirtualBox's CPU database), CPUID of 0F29H (InstLatx64).
 */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/regs.h"
#include "sim/cpu/models.h"
#include "sim/cpu/processor.h"

#define EFER 0xC0000080u

struct recorded {
    uint32_t leaf, subleaf;
    struct cpuid_leaf value;
};

static void assert_recorded(uint32_t signature, const struct recorded *records, size_t count)
{
    const struct cpu_model *model = cpu_model_find(signature);
    assert_non_null(model);
    for (size_t i = 0; i < count; i++) {
        const struct recorded *r = &records[i];
        struct cpuid_leaf leaf = cpu_model_cpuid(model, 2, 0, r->leaf, r->subleaf);
        if (memcmp(&leaf, &r->value, sizeof leaf) != 0)
            fail_msg("%04X leaf %08X.%u: %08X %08X %08X %08X", signature, r->leaf, r->subleaf, leaf.eax,
                     leaf.ebx, leaf.ecx, leaf.edx);
    }
}

TEST(cpuid_of_0f43)
{
    static const struct recorded F43[] = {
        {0, 0, {5, 0x756E6547, 0x6C65746E, 0x49656E69}},
        {1, 0, {0xF43, 0x00020800, 0x0000649D, 0xBFEBFBFF}},
        {2, 0, {0x605B5001, 0, 0, 0x007D7040}},
        {3, 0, {0, 0, 0, 0}},
        {4, 0, {0x00004121, 0x01C0003F, 0x1F, 0}},
        {4, 1, {0x00004143, 0x01C0103F, 0x7FF, 0}},
        {4, 2, {0, 0, 0, 0}},
        {5, 0, {0x40, 0x40, 0, 0}},
        {6, 0, {0x40, 0x40, 0, 0}}, /* as the highest leaf */
        {0x80000000, 0, {0x80000008, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 0, 0x20100800}},
        {0x80000002, 0, {0x20202020, 0x20202020, 0x20202020, 0x6E492020}},
        {0x80000003, 0, {0x286C6574, 0x50202952, 0x69746E65, 0x52286D75}},
        {0x80000004, 0, {0x20342029, 0x20555043, 0x30302E33, 0x007A4847}},
        {0x80000005, 0, {0, 0, 0, 0}},
        {0x80000006, 0, {0, 0, 0x08006040, 0}},
        {0x80000007, 0, {0, 0, 0, 0}},
        {0x80000008, 0, {0x3024, 0, 0, 0}},
        {0x80000009, 0, {0x40, 0x40, 0, 0}},
    };
    assert_recorded(0x0F43, F43, COUNT_OF(F43));
}

TEST(extended_leaves_of_a_northwood_end_with_the_brand)
{
    static const struct recorded F29[] = {
        {0x80000000, 0, {0x80000004, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 0, 0}},
        {0x80000008, 0, {0x665B5001, 0, 0, 0x007B7040}}, /* as the highest leaf, 2 */
    };
    assert_recorded(0x0F29, F29, COUNT_OF(F29));
}

/* ---- MSRs ---- */

static struct core core;
static const struct quirks sound;
static struct processor processor;

static void power_up(uint32_t signature)
{
    processor = (struct processor){.model = cpu_model_find(signature), .quirks = &sound, .core = &core};
    msrs_reset(&processor);
}

static uint64_t reads(uint32_t msr)
{
    uint64_t value = 0;
    assert_true(msrs_read(&processor, msr, &value));
    return value;
}

/* What a write of 1 to each bit does: it is kept (1), ignored (0), or faults (-1). */
static void assert_bits(uint32_t msr, uint64_t start, const uint64_t kept, uint64_t ignored)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t one = 1ull << bit;
        if (start & one)
            continue;
        bool written = msrs_write(&processor, msr, start | one);
        assert_int_equal(written, ((kept | ignored) & one) != 0);
        assert_int_equal(reads(msr), kept & one ? start | one : start);
        assert_true(msrs_write(&processor, msr, start));
    }
}

/* The others of docs/pmu-rules.md, the Xeon MP parts of models 3 and 4, p4sim does not have. */
TEST(leaf_4_lists_a_third_level_for_the_xeon_7100_alone)
{
    uint32_t found = 0;

    for (const struct cpu_model *model = CPU_MODELS; model->signature; model++)
        if (model->max_leaf >= 4 && cpu_model_cpuid(model, 2, 0, 4, 2).eax != 0)
            found += model->signature;
    assert_int_equal(found, 0x0F68);
}

TEST(misc_enable_of_0f43)
{
    const uint64_t start = 0x22850089, faulting = 0xFFFFFFFBDC10F800, read_only = 0x20800080;
    power_up(0x0F43);
    assert_int_equal(reads(MSR_IA32_MISC_ENABLE), start);
    assert_bits(MSR_IA32_MISC_ENABLE, start, ~faulting & ~read_only, 0);
    assert_true(msrs_write(&processor, MSR_IA32_MISC_ENABLE, 0));
    assert_int_equal(reads(MSR_IA32_MISC_ENABLE), read_only & start);
}

TEST(a_machine_check_status_can_only_be_cleared)
{
    power_up(0x0F43);
    for (unsigned bank = 0; bank < 4; bank++)
        assert_bits(MSR_IA32_MC_STATUS(bank), 0, 0, 0);
}

TEST(efer_of_0f43)
{
    power_up(0x0F43);
    assert_int_equal(reads(EFER), 0);
    assert_bits(EFER, 0, 0x901, 0x400);
}

TEST(what_a_part_without_execute_disable_lacks)
{
    uint64_t value;
    power_up(0x0F34);
    assert_false(msrs_write(&processor, MSR_IA32_MISC_ENABLE, processor.msrs.misc_enable | 1ull << 34));
    assert_false(msrs_read(&processor, EFER, &value));
    assert_false(msrs_write(&processor, EFER, 0));
}
