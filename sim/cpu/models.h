/*
 * The processors that p4sim can simulate, named by CPUID signature (CPUID.1 EAX[11:0]): identity, features
 * and nominal frequency of each. Data only.
 */
#ifndef SIM_CPU_MODELS_H
#define SIM_CPU_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpuid_leaf {
    uint32_t eax, ebx, ecx, edx;
};

struct cpu_model {
    uint16_t signature;    /* 0F43H is family 0FH, model 4, stepping 3 */
    const char *core;      /* core and stepping, as in pmu-rules 1.1 */
    const char *brand;     /* CPUID 80000002H..80000004H, at most 47 characters */
    unsigned cores;        /* 1 or 2; a two-core part has a PMU in each core and no Hyper-Threading */
    bool ht;               /* two logical processors per core */
    unsigned bus_mhz;      /* bus clock, which the local APIC timer counts */
    unsigned multiplier;   /* core clock = bus clock times this */
    uint32_t microcode;    /* revision in IA32_BIOS_SIGN_ID[63:32] */
    uint32_t misc_enable;  /* IA32_MISC_ENABLE at power-up */
    uint32_t max_leaf;     /* CPUID.0 EAX */
    uint32_t brand_index;  /* CPUID.1 EBX[7:0] */
    uint32_t features_ecx; /* CPUID.1 ECX */
    uint32_t features_edx; /* CPUID.1 EDX with Hyper-Threading or two cores as built */
    uint32_t extended_edx; /* CPUID 80000001H EDX */
    uint32_t cache_edx;    /* CPUID.2 EDX: L2 descriptor, trace cache, data TLB */
    uint32_t tlb_eax;      /* CPUID.2 EAX */
    unsigned l2_kib;       /* for CPUID.4 */
    unsigned l3_kib;       /* 0: no third level, nor its counters */
};

#define EXTENDED_EDX_XD    (1u << 20) /* pages can be marked as data (execute disable) */
#define EXTENDED_EDX_EM64T (1u << 29)

/* All models in the order of their signatures; the last row has signature 0. */
extern const struct cpu_model CPU_MODELS[];

#define CPU_MODEL_DEFAULT 0x0F43u

/* Row with this signature, or null. */
const struct cpu_model *cpu_model_find(uint32_t signature);

/* Core clock over bus clock: the multiplier or, if the core is slower than a TSC that ticks at a rate of its
 * own (F23), four fifths of it. */
unsigned cpu_model_ratio(const struct cpu_model *model, bool core_below_tsc);

/* CPUID family is always 0FH; model is EAX[7:4], stepping EAX[3:0]. */
uint8_t cpu_model_number(const struct cpu_model *model);
uint8_t cpu_model_stepping(const struct cpu_model *model);

/*
 * What CPUID returns for leaf and subleaf. threads is the present number of logical processors per core (1
 * when Hyper-Threading is off), apic_id the initial APIC ID of the processor that executes CPUID. A leaf
 * above the highest one returns what the highest basic leaf returns (SDM vol. 2, CPUID).
 */
struct cpuid_leaf cpu_model_cpuid(const struct cpu_model *model, unsigned threads, uint8_t apic_id,
                                  uint32_t leaf, uint32_t subleaf);

#endif
