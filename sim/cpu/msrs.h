/*
 * RDMSR and WRMSR, and the model-specific registers of a logical processor outside of the PMU.
 */
#ifndef SIM_CPU_MSRS_H
#define SIM_CPU_MSRS_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/regs.h"

struct processor;

#define MTRR_VARIABLE 8
#define MTRR_FIXED    11
#define MC_BANKS      4u
#define MC_REGISTERS  4u
#define SYSCALL_MSRS  4u
#define BASE_MSRS     3u

#define MSR_SYSENTER_CS 0x174u /* and ESP, EIP */

/* Bits of IA32_EFER. */
#define EFER_LME FIELD_MASK64(8, 8)
#define EFER_NXE FIELD_MASK64(11, 11)

struct msrs {
    uint64_t tsc_offset; /* of the TSC, see msrs_tsc() */
    uint64_t apic_base, bios_sign, misc_enable, debugctl, pat, ds_area, efer, clock_modulation;
    uint64_t sysenter[3];
    uint64_t syscall[SYSCALL_MSRS], base[BASE_MSRS]; /* of 64-bit mode, where alone they have an effect */
    uint64_t mtrr_variable[2 * MTRR_VARIABLE];       /* base, mask, base, mask, ... */
    uint64_t mtrr_fixed[MTRR_FIXED];
    uint64_t mtrr_default;
    uint64_t l3[L3_COUNTERS];                       /* only stored: they count nothing */
    uint64_t machine_check[MC_BANKS][MC_REGISTERS]; /* control, status, address, miscellaneous */
};

/* Power-up values. */
void msrs_reset(struct processor *processor);

/* RDMSR and WRMSR at CPL 0, the PMU's registers included. False means #GP(0). */
bool msrs_read(struct processor *processor, uint32_t msr, uint64_t *value);
bool msrs_write(struct processor *processor, uint32_t msr, uint64_t value);

/* The time-stamp counter: core clocks, or with the variant core_below_tsc clocks of the processor's own ratio
 * (F23). */
uint64_t msrs_tsc(const struct processor *processor);

/* CPUID leaf 1 loads the microcode revision into IA32_BIOS_SIGN_ID (SDM vol. 3, 9.11.7). */
void msrs_load_microcode_revision(struct processor *processor);

#endif
