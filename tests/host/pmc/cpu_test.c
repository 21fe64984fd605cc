/*
 * Features and errata (pmc/netburst/cpu.h) on every signature of pmu-rules 1.1, and on the recorded CPUID
 * values of pmu-rules 1.3; the texts in which they are put (text.h): bounded, terminated, printable.
 */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/cpu.h"
#include "pmc/netburst/regs.h"
#include "pmc/netburst/text.h"

/* P4 3.00 GHz, F43 with HT, as recorded (pmu-rules 1.3). */
static const struct pmc_cpuid F43 = {
    .vendor = "GenuineIntel",
    .max_leaf = 5,
    .leaf1_eax = 0x00000F43,
    .leaf1_ebx = 0x00020800,
    .leaf1_ecx = 0x0000649D,
    .leaf1_edx = 0xBFEBFBFF,
    .leaf4_eax = 0x00004121,
    .misc_enable_readable = true,
    .misc_enable = 0x22850089,
};

#define LEAF4_DATA_L1(cores, sharing) (((cores)-1) << 26 | ((sharing)-1) << 14 | 0x121)

static struct pmc_cpu identify(const struct pmc_cpuid *cpuid)
{
    struct pmc_cpu cpu;
    assert_null(pmc_identify(&cpu, cpuid));
    return cpu;
}

/* ---- pmu-rules 1.1 ---- */

static const struct {
    uint16_t signature;
    const char *core; /* a word of it */
} PARTS[] = {{0xF07, "Willamette B2"},     {0xF0A, "Foster C1"},         {0xF11, "Foster MP C0"},
             {0xF12, "Willamette"},        {0xF13, "Willamette E0"},     {0xF22, "Gallatin MP A0"},
             {0xF24, "Northwood"},         {0xF25, "Gallatin B1"},       {0xF26, "Gallatin C0"},
             {0xF27, "Prestonia C1"},      {0xF29, "Northwood"},         {0xF33, "Prescott C0"},
             {0xF34, "Nocona D0"},         {0xF41, "Potomac C0"},        {0xF43, "Irwindale N0"},
             {0xF44, "Smithfield A0"},     {0xF47, "Smithfield B0"},     {0xF48, "Paxville A0"},
             {0xF49, "Cranford B0"},       {0xF4A, "Irwindale R0"},      {0xF62, "Cedar Mill B1"},
             {0xF64, "Dempsey"},           {0xF65, "Cedar Mill D0"},     {0xF66, "Tulsa"},
             {0xF68, "Tulsa B0"},          {0xF09, "unlisted NetBurst"}, {0xF19, "unlisted NetBurst"},
             {0xF1A, "unlisted NetBurst"}, {0xF20, "unlisted NetBurst"}, {0xF30, "unlisted NetBurst"}};

TEST(every_listed_part)
{
    for (size_t i = 0; i < COUNT_OF(PARTS); i++) {
        const unsigned signature = PARTS[i].signature, model = signature >> 4 & 0xF,
                       stepping = signature & 0xF;
        struct pmc_cpuid cpuid = F43;
        cpuid.leaf1_eax = 0x1000 | signature; /* the processor type, 13:12, is no part of the signature */
        struct pmc_cpu cpu = identify(&cpuid);
        assert_int_equal(cpu.signature, signature);
        assert_int_equal(cpu.family, 0x0F);
        assert_int_equal(cpu.model, model);
        assert_int_equal(cpu.stepping, stepping);
        assert_non_null(strstr(cpu.core, PARTS[i].core));
        assert_int_equal(cpu.extended_cascade, model >= 2);
        assert_int_equal(cpu.iq_escr, model <= 2);
        assert_int_equal(cpu.instr_completed, model >= 3);
        /* pmu-rules 6: E1, E2 on the whole family, E4 and E9 without a stated limit. */
        uint32_t always = PMC_E1 | PMC_E2 | PMC_E4 | PMC_E9;
        assert_int_equal(cpu.errata & always, always);
        assert_int_equal((cpu.errata & PMC_E3) != 0, model == 2 || (model < 2 && stepping > 9));
        assert_int_equal((cpu.errata & PMC_E10) != 0, signature < 0xF27);
        assert_int_equal((cpu.errata & PMC_E12) != 0, signature < 0xF20);
        assert_int_equal((cpu.errata & PMC_E22) != 0, signature < 0xF0A);
    }
}

/* There is no model 5 (pmu-rules 1.1), so no document promises it anything. */
TEST(an_unlisted_model_has_nothing_that_only_some_have)
{
    struct pmc_cpuid cpuid = F43;
    cpuid.leaf1_eax = 0xF50;
    struct pmc_cpu cpu = identify(&cpuid);
    assert_false(cpu.extended_cascade || cpu.instr_completed || cpu.iq_escr);
}

/* ---- Topology (pmu-rules 1.5) ---- */

static struct pmc_cpu package(uint16_t signature, unsigned logical, uint32_t max_leaf, uint32_t leaf4_eax)
{
    struct pmc_cpuid cpuid = F43;
    cpuid.leaf1_eax = signature;
    cpuid.leaf1_ebx = logical << 16;
    cpuid.max_leaf = max_leaf;
    cpuid.leaf4_eax = leaf4_eax;
    return identify(&cpuid);
}

TEST(topologies)
{
    static const struct {
        const char *what;
        uint16_t signature;
        unsigned logical;
        uint32_t max_leaf, leaf4_eax;
        unsigned cores, threads;
    } rows[] = {
        {"Northwood with HT, no leaf 4", 0xF29, 2, 2, 0, 1, 2},
        {"Northwood without", 0xF29, 1, 2, 0, 1, 1},
        {"as recorded", 0xF43, 2, 5, 0x4121, 1, 2},
        {"Prescott with HT off", 0xF43, 1, 5, LEAF4_DATA_L1(1, 1), 1, 1},
        {"an address range of 2, one thread", 0xF34, 2, 5, LEAF4_DATA_L1(1, 1), 1, 1},
        {"Pentium D", 0xF47, 2, 5, LEAF4_DATA_L1(2, 1), 2, 1},
        {"Pentium D, leaves limited", 0xF47, 2, 3, 0, 2, 1},
        {"Pentium EE 955", 0xF62, 4, 6, LEAF4_DATA_L1(2, 2), 2, 2},
        {"Pentium EE 840", 0xF44, 4, 5, LEAF4_DATA_L1(2, 2), 2, 2},
        {"Tulsa, leaves limited", 0xF68, 4, 3, 0, 2, 2},
        {"Smithfield with a core off", 0xF47, 1, 3, 0, 1, 1},
        {"Cedar Mill with HT", 0xF64, 2, 6, LEAF4_DATA_L1(1, 2), 1, 2},
        {"Presler", 0xF64, 2, 6, LEAF4_DATA_L1(2, 1), 2, 1},
        {"Cedar Mill, leaves limited", 0xF64, 2, 3, 0, 1, 2},
        {"what leaf 4 would say beyond the limit", 0xF43, 2, 3, LEAF4_DATA_L1(2, 1), 1, 2},
        {"leaf 4 that names no cache", 0xF43, 2, 5, 0, 1, 2},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pmc_cpu cpu = package(rows[i].signature, rows[i].logical, rows[i].max_leaf, rows[i].leaf4_eax);
        if (cpu.cores_per_package != rows[i].cores || cpu.threads_per_core != rows[i].threads)
            fail_msg("%s: %u cores, %u threads", rows[i].what, cpu.cores_per_package, cpu.threads_per_core);
        assert_int_equal(cpu.ht, rows[i].threads == 2);
        /* E5: Pentium D, two cores without HT; 0F44H is named whatever it is sold as. */
        assert_int_equal((cpu.errata & PMC_E5) != 0,
                         rows[i].signature == 0xF44 || (rows[i].cores == 2 && rows[i].threads == 1));
    }
}

/* EBX[23:16] means nothing while EDX[28] is 0. */
TEST(no_htt_flag_means_one_logical_processor)
{
    struct pmc_cpuid cpuid = F43;
    cpuid.leaf1_edx &= ~(1u << 28);
    assert_int_equal(identify(&cpuid).threads_per_core, 1);
}

/* 18.21: a Xeon 7100 is model 6 with a third-level cache. */
TEST(no_ioq_events_on_a_xeon_7100)
{
    struct pmc_cpuid cpuid = F43;
    assert_true(identify(&cpuid).ioq);
    cpuid.l3 = true; /* a Xeon MP */
    assert_true(identify(&cpuid).ioq);
    cpuid.leaf1_eax = 0xF68;
    assert_false(identify(&cpuid).ioq);
    cpuid.l3 = false;
    assert_true(identify(&cpuid).ioq);
}

TEST(bts_and_pebs)
{
    struct pmc_cpuid cpuid = F43;
    struct pmc_cpu cpu = identify(&cpuid);
    assert_true(cpu.bts_available && cpu.pebs_available);
    cpuid.misc_enable |= 1u << 11;
    cpu = identify(&cpuid);
    assert_true(!cpu.bts_available && cpu.pebs_available);
    cpuid.misc_enable ^= 1u << 11 | 1u << 12;
    cpu = identify(&cpuid);
    assert_true(cpu.bts_available && !cpu.pebs_available);
    cpuid.misc_enable = F43.misc_enable;
    cpuid.leaf1_edx &= ~(1u << 21); /* no DS area */
    cpu = identify(&cpuid);
    assert_false(cpu.bts_available || cpu.pebs_available);
}

/* ---- What is refused (pmu-rules 1.4), with the reason in words ---- */

/* Returns what the core is called then. */
static const char *refuse(const struct pmc_cpuid *cpuid, const char *reason)
{
    struct pmc_cpu cpu;
    assert_string_equal(pmc_identify(&cpu, cpuid), reason);
    return cpu.core;
}

TEST(wrong_vendor)
{
    static const char *const vendors[][2] = {
        {"AuthenticAMD", "AuthenticAMD"}, {"GenuineIntem", "GenuineIntem"}, {"", ""},
        {"Genuine", "Genuine"},           {"Gen\x01\n\xFFne", "Gen???ne"}, /* must not break a line of the log
                                                                            */
    };
    for (size_t i = 0; i < COUNT_OF(vendors); i++) {
        struct pmc_cpuid cpuid = F43;
        char reason[80] = "not a NetBurst processor: CPUID vendor ";
        strcpy(cpuid.vendor, vendors[i][0]);
        refuse(&cpuid, strcat(reason, vendors[i][1]));
    }
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
        cpuid.leaf1_eax = rows[i].eax;
        assert_string_equal(refuse(&cpuid, rows[i].reason), "not NetBurst");
    }
}

TEST(missing_leaf_or_msrs)
{
    struct pmc_cpuid cpuid = F43;
    cpuid.max_leaf = 0;
    refuse(&cpuid, "no CPUID leaf 1");
    cpuid = F43;
    cpuid.leaf1_edx &= ~(1u << 5);
    refuse(&cpuid, "no MSRs (CPUID.1 EDX[5] = 0)");
    cpuid = F43;
    cpuid.misc_enable_readable = false;
    refuse(&cpuid, "RDMSR of IA32_MISC_ENABLE faults");
    cpuid = F43;
    cpuid.misc_enable &= ~0x80ull;
    refuse(&cpuid, "IA32_MISC_ENABLE[7] = 0: performance monitoring not available");
}

/* ---- Names ---- */

TEST(erratum_names)
{
    static const struct {
        uint32_t set;
        const char *name;
    } rows[] = {{PMC_E1, "E1"}, {PMC_E2, "E2"},     {PMC_E3, "E3"},          {PMC_E4, "E4"},   {PMC_E5, "E5"},
                {PMC_E9, "E9"}, {PMC_E10, "E10"},   {PMC_E12, "E12"},        {PMC_E22, "E22"}, {0, "none"},
                {~0u, "E1"},    {1u << 31, "none"}, {PMC_E12 | PMC_E3, "E3"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(pmc_erratum_name(rows[i].set), rows[i].name);
    assert_non_null(strstr(pmc_erratum_effect(PMC_E3 | PMC_E5), "cascade"));
    assert_non_null(strstr(pmc_erratum_effect(PMC_E5), "OVF_PMI_T1"));
    assert_string_equal(pmc_erratum_effect(0), "no erratum");
}

/* ---- Texts ---- */

static char buffer[16];

TEST(appends_follow_each_other)
{
    char *end = buffer + sizeof buffer;
    assert_ptr_equal(text_append(buffer, end, ""), buffer);
    assert_string_equal(buffer, "");
    char *at = text_append_hex(text_append(buffer, end, "family "), end, 0x10E, 3);
    assert_string_equal(buffer, "family 10EH");
    assert_ptr_equal(at, buffer + 11);
    assert_ptr_equal(text_append(at, end, ""), at);
    text_append_hex(buffer, end, 0xABCDEF09, 8);
    assert_string_equal(buffer, "ABCDEF09H");
    text_append_hex(buffer, end, 6, 2);
    assert_string_equal(buffer, "06H");
    text_append(buffer, end, "a\n\x7F\xFF ~");
    assert_string_equal(buffer, "a??? ~");
}

/* Every size: cut at size - 1, terminated, nothing beyond. */
TEST(never_writes_past_the_end)
{
    for (size_t size = 1; size < sizeof buffer; size++) {
        memset(buffer, '#', sizeof buffer);
        char *end = buffer + size;
        char *at = text_append_hex(text_append(buffer, end, "0123456"), end, 0x789ABCDE, 8);
        assert_int_equal(strlen(buffer), size - 1);
        assert_ptr_equal(at, end - 1);
        assert_memory_equal(buffer, "0123456789ABCDEH", size - 1);
        assert_int_equal(*end, '#');
    }
}
