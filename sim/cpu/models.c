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
#define L2_256K    0x007A7040u
#define L2_512K    0x007B7040u
#define L2_1M      0x007C7040u
#define L2_2M      0x007D7040u

#define L2_1M_L3_16M 0x007C704Du /* 4DH: L3 */

/* clang-format off */
const struct cpu_model CPU_MODELS[] = {
    {
        .signature = 0x0F07, .core = "Willamette B2",
        .brand = "Intel(R) Pentium(R) 4 CPU 1.40GHz",
        .cores = 1, .ht = false, .bus_mhz = 100, .multiplier = 14,
        .microcode = 0x12, .misc_enable = MISC_ENABLE_EARLY,
        .max_leaf = 2, .brand_index = 0x08, .features_ecx = 0,
        .features_edx = EDX_WILLAMETTE, .extended_edx = EXT_NONE,
        .cache_edx = L2_256K, .tlb_eax = TLB_8K_L1, .l2_kib = 256,
    },
    {
        .signature = 0x0F0A, .core = "Willamette C1",
        .brand = "Intel(R) Pentium(R) 4 CPU 1.50GHz",
        .cores = 1, .ht = false, .bus_mhz = 100, .multiplier = 15,
        .microcode = 0x14, .misc_enable = MISC_ENABLE_EARLY,
        .max_leaf = 2, .brand_index = 0x08, .features_ecx = 0,
        .features_edx = EDX_WILLAMETTE, .extended_edx = EXT_NONE,
        .cache_edx = L2_256K, .tlb_eax = TLB_8K_L1, .l2_kib = 256,
    },
    {
        .signature = 0x0F12, .core = "Willamette D0",
        .brand = "Intel(R) Pentium(R) 4 CPU 1.80GHz",
        .cores = 1, .ht = false, .bus_mhz = 100, .multiplier = 18,
        .microcode = 0x2E, .misc_enable = MISC_ENABLE_EARLY,
        .max_leaf = 2, .brand_index = 0x08, .features_ecx = 0,
        .features_edx = EDX_WILLAMETTE, .extended_edx = EXT_NONE,
        .cache_edx = L2_256K, .tlb_eax = TLB_8K_L1, .l2_kib = 256,
    },
    {
        .signature = 0x0F24, .core = "Northwood B0",
        .brand = "Intel(R) Pentium(R) 4 CPU 2.00GHz",
        .cores = 1, .ht = false, .bus_mhz = 100, .multiplier = 20,
        .microcode = 0x1F, .misc_enable = MISC_ENABLE_EARLY,
        .max_leaf = 2, .brand_index = 0x09, .features_ecx = 0,
        .features_edx = EDX_WILLAMETTE, .extended_edx = EXT_NONE,
        .cache_edx = L2_512K, .tlb_eax = TLB_8K_L1, .l2_kib = 512,
    },
    {
        .signature = 0x0F29, .core = "Northwood D1",
        .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 15,
        .microcode = 0x2E, .misc_enable = MISC_ENABLE_EARLY,
        .max_leaf = 2, .brand_index = 0x09, .features_ecx = ECX_NORTHWOOD_HT,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_NONE,
        .cache_edx = L2_512K, .tlb_eax = TLB_8K_L1, .l2_kib = 512,
    },
    {
        .signature = 0x0F34, .core = "Prescott D0",
        .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 15,
        .microcode = 0x17, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_PRESCOTT_D0,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_NONE,
        .cache_edx = L2_1M, .tlb_eax = TLB_16K_L1, .l2_kib = 1024,
    },
    {
        .signature = 0x0F43, .core = "Prescott 2M N0",
        .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 15,
        .microcode = 0x05, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_PRESCOTT_N0,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_EM64T,
        .cache_edx = L2_2M, .tlb_eax = TLB_16K_L1, .l2_kib = 2048,
    },
    {
        .signature = 0x0F44, .core = "Smithfield A0 (one core)",
        .brand = "Intel(R) Pentium(R) D CPU 3.20GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 16,
        .microcode = 0x06, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_SMITHFIELD,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_EM64T,
        .cache_edx = L2_1M, .tlb_eax = TLB_16K_L1, .l2_kib = 1024,
    },
    {
        .signature = 0x0F47, .core = "Smithfield B0",
        .brand = "Intel(R) Pentium(R) D CPU 2.80GHz",
        .cores = 2, .ht = false, .bus_mhz = 200, .multiplier = 14,
        .microcode = 0x03, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_SMITHFIELD,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_EM64T,
        .cache_edx = L2_1M, .tlb_eax = TLB_16K_L1, .l2_kib = 1024,
    },
    {
        .signature = 0x0F62, .core = "Cedar Mill B1",
        .brand = "Intel(R) Pentium(R) 4 CPU 3.00GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 15,
        .microcode = 0x0F, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_SMITHFIELD,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_EM64T,
        .cache_edx = L2_2M, .tlb_eax = TLB_16K_L1, .l2_kib = 2048,
    },
    {
        .signature = 0x0F64, .core = "Cedar Mill C1",
        .brand = "Intel(R) Pentium(R) 4 CPU 3.40GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 17,
        .microcode = 0x04, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_PRESCOTT_N0,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_EM64T,
        .cache_edx = L2_2M, .tlb_eax = TLB_16K_L1, .l2_kib = 2048,
    },
    {
        .signature = 0x0F68, .core = "Tulsa B0 (one core)",
        .brand = "Intel(R) Xeon(R) CPU 7140M @ 3.40GHz",
        .cores = 1, .ht = true, .bus_mhz = 200, .multiplier = 17,
        .microcode = 0x08, .misc_enable = MISC_ENABLE_LATE,
        .max_leaf = 5, .brand_index = 0x00, .features_ecx = ECX_PRESCOTT_N0,
        .features_edx = EDX_PRESCOTT, .extended_edx = EXT_EM64T,
        .cache_edx = L2_1M_L3_16M, .tlb_eax = TLB_16K_L1, .l2_kib = 1024, .l3_kib = 16384,
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
    struct cpuid_leaf leaf = {0, 0, 0, 0};
    switch (number) {
    case 0:
        leaf.eax = model->max_leaf;
        leaf.ebx = letters("Genu");
        leaf.edx = letters("ineI");
        leaf.ecx = letters("ntel");
        break;
    case 1:
        leaf.eax = model->signature;
        leaf.ebx = model->brand_index | clflush_8_bytes_units | threads * model->cores << 16 |
                   (uint32_t)apic_id << 24;
        leaf.ecx = model->features_ecx;
        leaf.edx = model->features_edx; /* HTT is 1 on single-thread parts too (pmu-rules 1.5) */
        break;
    case 2:
        leaf.eax = model->tlb_eax;
        leaf.edx = model->cache_edx;
        break;
    case 4:
        leaf = cache_leaf(model, threads, subleaf);
        break;
    case 5:
        leaf.eax = monitor_line;
        leaf.ebx = monitor_line;
        break;
    default:
        break;
    }
    return leaf;
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
    struct cpuid_leaf leaf = {0, 0, 0, 0};
    switch (number) {
    case 0x80000000u:
        leaf.eax = highest_extended_leaf(model);
        break;
    case 0x80000001u:
        leaf.edx = model->extended_edx;
        break;
    case 0x80000006u:
        leaf.ecx = model->l2_kib << 16 | ways_8 | line;
        break;
    case 0x80000008u:
        leaf.eax = linear_bits << 8 | physical_bits;
        break;
    case 0x80000005u:
    case 0x80000007u:
        break;
    default:
        leaf = brand_leaf(model, number);
        break;
    }
    return leaf;
}

struct cpuid_leaf cpu_model_cpuid(const struct cpu_model *model, unsigned threads, uint8_t apic_id,
                                  uint32_t leaf, uint32_t subleaf)
{
    if (leaf >= 0x80000000u && leaf <= highest_extended_leaf(model))
        return extended_leaf(model, leaf);
    return basic_leaf(model, threads, apic_id, leaf <= model->max_leaf ? leaf : model->max_leaf, subleaf);
}
