/*
 * The table of processors and their CPUID leaves.
 *
 * Recorded values (pmu-rules 1.3) for 0F12 and 0F43, and the form of the extended leaves; the other rows are
 * the published features of the part. The frequency is that of a product that was sold with the stepping.
 */
#include "models.h"

#include <stdio.h>

#define EDX_WILLAMETTE 0x3FEBFBFFu /* recorded on 0F12H: everything up to SSE2, DS, SS, HTT, TM */
#define EDX_PRESCOTT   0xBFEBFBFFu /* recorded on 0F43H: EDX_WILLAMETTE and PBE */

#define ECX_NORTHWOOD_HT 0x00004400u /* CNXT-ID, xTPR */
#define ECX_PRESCOTT_D0  0x0000441Du /* SSE3, DTES64, MONITOR, DS-CPL, CNXT-ID, xTPR */
#define ECX_SMITHFIELD   0x0000641Du /* ECX_PRESCOTT_D0 and CMPXCHG16B */
#define ECX_PRESCOTT_N0  0x0000649Du /* recorded on 0F43H: ECX_SMITHFIELD and EST */

#define MISC_ENABLE_EARLY 0x00000089u /* recorded on 0F12H: fast strings, TM1, performance monitoring */
#define MISC_ENABLE_LATE  0x22850089u /* recorded on 0F43H */

#define EXT_NONE  0x00000000u
#define EXT_EM64T 0x20100800u /* recorded on 0F43H: SYSCALL in 64-bit mode, XD, EM64T */

/* CPUID.2: descriptor bytes 50H ITLB, 5BH DTLB, 66H/60H L1 data, 70H trace cache, 40H no L3, 7xH L2. */
#define TLB_8K_L1  0x665B5001u
#define TLB_16K_L1 0x605B5001u

/* clang-format off */
/* A second level of so many KB; 4DH: a third level of 16 MB. */
#define L2_256K      .cache_edx = 0x007A7040u, .l2_kib = 256
#define L2_512K      .cache_edx = 0x007B7040u, .l2_kib = 512
#define L2_1M        .cache_edx = 0x007C7040u, .l2_kib = 1024
#define L2_2M        .cache_edx = 0x007D7040u, .l2_kib = 2048
#define L2_1M_L3_16M .cache_edx = 0x007C704Du, .l2_kib = 1024, .l3_kib = 16384

/* What models 0 to 2 have in common, the Willamettes among them, and models 3 and later. */
#define EARLY \
    .cores = 1, .misc_enable = MISC_ENABLE_EARLY, .max_leaf = 2, .extended_edx = EXT_NONE, .tlb_eax = TLB_8K_L1
#define WILLAMETTE \
    EARLY, .ht = false, .bus_mhz = 100, .brand_index = 0x08, .features_ecx = 0, .features_edx = EDX_WILLAMETTE, L2_256K
#define LATE \
    .bus_mhz = 200, .misc_enable = MISC_ENABLE_LATE, .max_leaf = 5, .brand_index = 0x00, \
    .features_edx = EDX_PRESCOTT, .tlb_eax = TLB_16K_L1

const struct cpu_model CPU_MODELS[] = {
    {
        .signature = 0x0F07, .core = "Willamette B2", .brand = "Intel(R) Pentium(R) 4 CPU 1.40GHz",
        WILLAMETTE, .multiplier = 14, .microcode = 0x12,
    },
    {
        .signature = 0x0F0A, .core = "Willamette C1", .brand = "Intel(R) Pentium(R) 4 CPU 1.50GHz",
        WILLAMETTE, .multiplier = 15, .microcode = 0x14,
    },
    {
        .signature = 0x0F12, .core = "Willamette D0", .brand = "Intel(R) Pentium(R) 4 CPU 1.80GHz",
        WILLAMETTE, .multiplier = 18, .microcode = 0x2E,
    },
    {
        .signature = 0x0F24, .core = "Northwood B0", .brand = "Intel(R) Pentium(R) 4 CPU 2.00GHz",
        EARLY, .ht = false, .bus_mhz = 100, .multiplier = 20, .microcode = 0x1F, .brand_index = 0x09,
        .features_ecx = 0, .features_edx = EDX_WILLAMETTE, L2_512K,
    },
    {
        .signature = 0x0F29, .core = "Northwood D1", .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        EARLY, .ht = true, .bus_mhz = 200, .multiplier = 15, .microcode = 0x2E, .brand_index = 0x09,
        .features_ecx = ECX_NORTHWOOD_HT, .features_edx = EDX_PRESCOTT, L2_512K,
    },
    {
        .signature = 0x0F34, .core = "Prescott D0", .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        LATE, .cores = 1, .ht = true, .multiplier = 15, .microcode = 0x17,
        .features_ecx = ECX_PRESCOTT_D0, .extended_edx = EXT_NONE, L2_1M,
    },
    {
        .signature = 0x0F43, .core = "Prescott 2M N0", .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        LATE, .cores = 1, .ht = true, .multiplier = 15, .microcode = 0x05,
        .features_ecx = ECX_PRESCOTT_N0, .extended_edx = EXT_EM64T, L2_2M,
    },
    {
        .signature = 0x0F44, .core = "Smithfield A0 (one core)", .brand = "Intel(R) Pentium(R) D CPU 3.20GHz",
        LATE, .cores = 1, .ht = true, .multiplier = 16, .microcode = 0x06,
        .features_ecx = ECX_SMITHFIELD, .extended_edx = EXT_EM64T, L2_1M,
    },
    {
        .signature = 0x0F47, .core = "Smithfield B0", .brand = "Intel(R) Pentium(R) D CPU 2.80GHz",
        LATE, .cores = 2, .ht = false, .multiplier = 14, .microcode = 0x03,
        .features_ecx = ECX_SMITHFIELD, .extended_edx = EXT_EM64T, L2_1M,
    },
    {
        .signature = 0x0F48, .core = "Paxville A0", .brand = "Intel(R) Xeon(TM) CPU 2.80GHz",
        LATE, .cores = 2, .ht = true, .multiplier = 14, .microcode = 0x0C,
        .features_ecx = ECX_SMITHFIELD, .extended_edx = EXT_EM64T, L2_2M,
    },
    {
        .signature = 0x0F62, .core = "Cedar Mill B1", .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        LATE, .cores = 1, .ht = true, .multiplier = 15, .microcode = 0x0F,
        .features_ecx = ECX_SMITHFIELD, .extended_edx = EXT_EM64T, L2_2M,
    },
    {
        .signature = 0x0F64, .core = "Cedar Mill C1", .brand = "Intel(R) Pentium(R) 4 CPU 3.40GHz",
        LATE, .cores = 1, .ht = true, .multiplier = 17, .microcode = 0x04,
        .features_ecx = ECX_PRESCOTT_N0, .extended_edx = EXT_EM64T, L2_2M,
    },
    {
        .signature = 0x0F68, .core = "Tulsa B0 (one core)", .brand = "Intel(R) Xeon(R) CPU 7140M @ 3.40GHz",
        LATE, .cores = 1, .ht = true, .multiplier = 17, .microcode = 0x08,
        .features_ecx = ECX_PRESCOTT_N0, .extended_edx = EXT_EM64T, L2_1M_L3_16M,
    },
    {.signature = 0},
};
/* clang-format on */

const struct cpu_model *cpu_model_find(uint32_t signature)
{
    for (const struct cpu_model *model = CPU_MODELS; model->signature; model++)
        if (model->signature == signature)
            return model;
    return NULL;
}

uint8_t cpu_model_number(const struct cpu_model *model)
{
    return model->signature >> 4 & 0xF;
}

unsigned cpu_model_ratio(const struct cpu_model *model, bool core_below_tsc)
{
    return core_below_tsc && cpu_model_number(model) >= 3 ? model->multiplier * 4 / 5 : model->multiplier;
}

static uint32_t letters(const char *text)
{
    return (uint32_t)(uint8_t)text[0] | (uint32_t)(uint8_t)text[1] << 8 | (uint32_t)(uint8_t)text[2] << 16 |
           (uint32_t)(uint8_t)text[3] << 24;
}

/* CPUID.4: deterministic cache parameters (SDM vol. 2): L1 data 16 KiB, L2 and L3 as the part has, in
 * partitions of 8 ways; lines of 64 bytes. */
static struct cpuid_leaf cache_leaf(const struct cpu_model *model, unsigned threads, uint32_t subleaf)
{
    const uint32_t line = 64, ways = 8, self_initialising = 1u << 8;
    struct cpuid_leaf leaf = {0, 0, 0, 0};
    if (subleaf > (model->l3_kib ? 2u : 1u))
        return leaf;
    uint32_t type = subleaf == 0 ? 1 : 3; /* data, unified */
    uint32_t level = subleaf + 1;
    uint32_t kib[] = {16, model->l2_kib, model->l3_kib}, size = kib[subleaf] * 1024, partitions = subleaf + 1;
    leaf.eax = type | level << 5 | self_initialising | (threads - 1) << 14 | (model->cores - 1) << 26;
    leaf.ebx = (line - 1) | (partitions - 1) << 12 | (ways - 1) << 22;
    leaf.ecx = size / line / ways / partitions - 1;
    return leaf;
}

static struct cpuid_leaf basic_leaf(const struct cpu_model *model, unsigned threads, uint8_t apic_id,
                                    uint32_t number, uint32_t subleaf)
{
    const uint32_t clflush_8_bytes_units = 8u << 8, monitor_line = 64;
    switch (number) {
    case 0:
        return (struct cpuid_leaf){model->max_leaf, letters("Genu"), letters("ntel"), letters("ineI")};
    case 1: /* HTT is 1 on single-thread parts too (pmu-rules 1.5) */
        return (struct cpuid_leaf){model->signature,
                                   model->brand_index | clflush_8_bytes_units | threads * model->cores << 16 |
                                       (uint32_t)apic_id << 24,
                                   model->features_ecx, model->features_edx};
    case 2:
        return (struct cpuid_leaf){.eax = model->tlb_eax, .edx = model->cache_edx};
    case 4:
        return cache_leaf(model, threads, subleaf);
    case 5:
        return (struct cpuid_leaf){.eax = monitor_line, .ebx = monitor_line};
    default:
        return (struct cpuid_leaf){0};
    }
}

/* CPUID 80000002H to 80000004H: the brand string, with blanks before it. */
static struct cpuid_leaf brand_leaf(const struct cpu_model *model, uint32_t number)
{
    char brand[48];
    snprintf(brand, sizeof brand, "%47s", model->brand);
    const char *part = brand + (number - 0x80000002u) * 16;
    return (struct cpuid_leaf){letters(part), letters(part + 4), letters(part + 8), letters(part + 12)};
}

static uint32_t highest_extended_leaf(const struct cpu_model *model)
{
    return cpu_model_number(model) < 3 ? 0x80000004u : 0x80000008u;
}

static struct cpuid_leaf extended_leaf(const struct cpu_model *model, uint32_t number)
{
    const uint32_t line = 64, ways_8 = 6u << 12, physical_bits = 36;
    uint32_t linear_bits = model->extended_edx & EXTENDED_EDX_EM64T ? 48 : 32;
    switch (number) {
    case 0x80000000u:
        return (struct cpuid_leaf){.eax = highest_extended_leaf(model)};
    case 0x80000001u:
        return (struct cpuid_leaf){.edx = model->extended_edx};
    case 0x80000005u:
    case 0x80000007u:
        return (struct cpuid_leaf){0};
    case 0x80000006u:
        return (struct cpuid_leaf){.ecx = model->l2_kib << 16 | ways_8 | line};
    case 0x80000008u:
        return (struct cpuid_leaf){.eax = linear_bits << 8 | physical_bits};
    default:
        return brand_leaf(model, number);
    }
}

struct cpuid_leaf cpu_model_cpuid(const struct cpu_model *model, unsigned threads, uint8_t apic_id,
                                  uint32_t leaf, uint32_t subleaf)
{
    if (leaf >= 0x80000000u && leaf <= highest_extended_leaf(model))
        return extended_leaf(model, leaf);
    return basic_leaf(model, threads, apic_id, leaf <= model->max_leaf ? leaf : model->max_leaf, subleaf);
}
