/*
 * Which processor this is and what its PMU has: detection (pmu-rules 1.4), features and errata by CPUID
 * signature (1.1, 6). Portable: works on values, not on the CPUID instruction.
 */
#ifndef PMC_NETBURST_CPU_H
#define PMC_NETBURST_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include "regs.h"

/* What the caller read. Leaves that do not exist are zero. */
struct pmc_cpuid {
    char vendor[13];
    uint32_t max_leaf;
    uint32_t leaf1_eax, leaf1_ebx, leaf1_ecx, leaf1_edx;
    uint32_t leaf4_eax;        /* subleaf 0; valid when max_leaf >= 4 */
    bool l3;                   /* leaf 4 lists a cache of level 3 */
    bool misc_enable_readable; /* RDMSR(1A0H) did not fault */
    uint64_t misc_enable;
};

/* Errata that change what a vector may expect (pmu-rules 6). */
enum pmc_erratum {
    PMC_E1 = 1u << 0,  /* counter writes: write twice */
    PMC_E2 = 1u << 1,  /* carry lost when disabled in its clock */
    PMC_E3 = 1u << 2,  /* no PMI in cascade or extended cascade mode */
    PMC_E4 = 1u << 3,  /* CCCR1 ENABLE; open, never a failure */
    PMC_E5 = 1u << 4,  /* no OVF_PMI_T1 (Pentium D) */
    PMC_E9 = 1u << 5,  /* PMI without OVF */
    PMC_E10 = 1u << 6, /* FSB_ESCR1 not usable for IOQ_allocation, CPL ignored (before 0F27H) */
    PMC_E12 = 1u << 7, /* old IOQ filter equation (models 0, 1) */
    PMC_E22 = 1u << 8, /* OVF is cleared by writing 1 (before C1 of model 0) */
};

#define PMC_REGISTERS (2 * PMC_COUNTERS + PMC_ESCRS + 2)

/* The addresses of the registers of the PMU whose first access faulted. */
struct pmc_absent {
    unsigned count;
    uint32_t msr[PMC_REGISTERS];
};

struct pmc_cpu {
    uint16_t signature; /* CPUID.1 EAX[11:0], for example F43H */
    uint8_t family, model, stepping;
    unsigned threads_per_core; /* 1 or 2 (pmu-rules 1.5) */
    unsigned cores_per_package;
    bool ht;                            /* two threads share this PMU */
    bool extended_cascade;              /* bit 11 works: models 2, 3, 4, 6 (R35) */
    bool instr_completed;               /* models 3, 4, 6 */
    bool iq_escr;                       /* IQ_ESCR0/1 usable: models 0-2 */
    bool ioq;                           /* the two IOQ events: not on a Xeon 7100, which is model 6 with L3 */
    bool bts_available, pebs_available; /* DS area (EDX[21]) and MISC_ENABLE[11], [12] = 0 */
    uint32_t errata;                    /* set of enum pmc_erratum */
    struct pmc_absent absent;           /* what pmc_find_absent() found; empty before */
    /* "Prescott 2M, Nocona, Irwindale N0", "unlisted NetBurst", or "not NetBurst" */
    const char *core;
};

/*
 * Fill cpu. Returns null for a NetBurst processor that says it has the PMU, otherwise the reason in words
 * ("not a NetBurst processor (CPUID family 06H)", "no MSRs ...", "IA32_MISC_ENABLE[7] = 0: ..."); the text
 * stays valid until the next call. Does not touch the hardware: whether the registers really store anything
 * is pmc_probe_registers()'s question.
 *
 * Without leaf 4 (a BIOS may limit CPUID) a package of two logical processors is taken for two cores where
 * the signature is known to be a two-core part, else for one core with two threads.
 */
const char *pmc_identify(struct pmc_cpu *cpu, const struct pmc_cpuid *cpuid);

/* What a register answered that the PMU should have. */
struct pmc_answer {
    uint32_t msr;
    unsigned fault; /* the exception that its access raised, or NO_FAULT */
    bool by_write;  /* WRMSR raised it, not RDMSR */
    uint64_t written, read;
};

/*
 * Find out whether the counters store anything: emulators accept NetBurst MSR accesses and drop them. A
 * counter is stopped, two different values are written to it and read back, and it is left 0. The counters
 * are tried in turn until one reads back two different values, so that a defective counter is not taken for
 * an absent PMU. Returns null when one does, else the reason in words, and one of the answers as an example.
 * Uses the try forms only.
 */
const char *pmc_probe_registers(struct pmc_answer *example);

/*
 * The first access to each CCCR, ESCR and counter that this model has, to PEBS_ENABLE and to
 * PEBS_MATRIX_VERT, by the try forms: write 0 and read. A register that faults is remembered in cpu->absent,
 * and pmc_clear() and pmc_dump() leave it out: parts differ from what is documented for their model (E19).
 */
void pmc_find_absent(struct pmc_cpu *cpu);
/* True when this model has the register of the PMU at this address, and it is not absent. */
bool pmc_has_register(const struct pmc_cpu *cpu, uint32_t msr);

/*
 * The bits of a PMU register whose reading can be judged: without Hyper-Threading not 17:16 of a CCCR, which
 * must be written 11B (Figure 18-45). No source says what they read there (R19).
 */
uint64_t pmc_judged_bits(const struct pmc_cpu *cpu, uint32_t msr);

/* "E3" for the lowest erratum of the set, and its effect in a few words; "none" and "no erratum" for 0. */
const char *pmc_erratum_name(uint32_t erratum);
const char *pmc_erratum_effect(uint32_t erratum);

#endif
