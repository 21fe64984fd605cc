/*
 * Detection (pmc/netburst/cpu.h, pmu-rules 1.4): what is not a NetBurst PMU is refused, with the reason in
 * words.
 */
#include <string.h>
#include "f43.h"
#include "tests/host/support/host_test.h"

static const char *refuse(const struct pmc_cpuid *cpuid)
{
    struct pmc_cpu cpu;
    const char *reason = pmc_identify(&cpu, cpuid);
    assert_non_null(reason);
    return reason;
}

TEST(wrong_vendor)
{
    struct pmc_cpuid cpuid = F43;
    strcpy(cpuid.vendor, "AuthenticAMD");
    assert_string_equal(refuse(&cpuid), "not a NetBurst processor: CPUID vendor AuthenticAMD");
    strcpy(cpuid.vendor, "GenuineIntem");
    assert_string_equal(refuse(&cpuid), "not a NetBurst processor: CPUID vendor GenuineIntem");
    strcpy(cpuid.vendor, "");
    assert_string_equal(refuse(&cpuid), "not a NetBurst processor: CPUID vendor ");
    strcpy(cpuid.vendor, "Gen\x01\n\xFFne"); /* must not break a line of the log */
    assert_string_equal(refuse(&cpuid), "not a NetBurst processor: CPUID vendor Gen???ne");
    strcpy(cpuid.vendor, "Genuine");
    assert_string_equal(refuse(&cpuid), "not a NetBurst processor: CPUID vendor Genuine");
}

TEST(wrong_family)
{
    static const struct {
        uint32_t eax;
        const char *reason;
    } rows[] = {
        {0x00000663, "not a NetBurst processor: CPUID family 06H"},            /* QEMU's 32-bit default */
        {0x000306A9, "not a NetBurst processor: CPUID family 06H"},            /* extended model, family 6 */
        {0x00000543, "not a NetBurst processor: CPUID family 05H"},            /* Pentium */
        {0x00100F43, "not a NetBurst processor: CPUID family 10H"},            /* extended family */
        {0x0FF00F43, "not a NetBurst processor: CPUID family 10EH"},           /* the largest sum */
        {0x00060FB1, "not a NetBurst processor: CPUID family 0FH, model 6BH"}, /* QEMU's 64-bit default under
                                                                                   Intel's name */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pmc_cpuid cpuid = F43;
        struct pmc_cpu cpu;
        cpuid.leaf1_eax = rows[i].eax;
        assert_string_equal(pmc_identify(&cpu, &cpuid), rows[i].reason);
        assert_string_equal(cpu.core, "not NetBurst");
    }
}

TEST(missing_leaf_or_msrs)
{
    struct pmc_cpuid cpuid = F43;
    cpuid.max_leaf = 0;
    assert_string_equal(refuse(&cpuid), "no CPUID leaf 1");
    cpuid = F43;
    cpuid.leaf1_edx &= ~(1u << 5);
    assert_non_null(strstr(refuse(&cpuid), "no MSRs"));
    cpuid = F43;
    cpuid.misc_enable_readable = false;
    assert_non_null(strstr(refuse(&cpuid), "IA32_MISC_ENABLE"));
    cpuid = F43;
    cpuid.misc_enable &= ~0x80ull;
    assert_non_null(strstr(refuse(&cpuid), "IA32_MISC_ENABLE[7] = 0"));
}
