/*
 * What a processor of a defective or unusual board is. Plain data, read by the parts of a processor and
 * filled in by sim/inject/. All zero is a sound board.
 */
#ifndef SIM_CPU_QUIRKS_H
#define SIM_CPU_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>

/* How RDMSR and WRMSR end. */
enum msr_access {
    MSR_WORKS,  /* as the register says */
    MSR_FAULTS, /* #GP(0) */
    MSR_IS_ZERO /* the register reads 0 and drops what is written */
};

#define FAULTING_MSRS  8u /* at most */
#define PACKAGES_APART 6u /* initial APIC IDs, from one of the two packages to the other */

struct quirks {
    enum msr_access pmu_msrs, other_msrs;
    uint32_t faulting_msrs[FAULTING_MSRS]; /* #GP(0), whatever the two above say; 0: none */
    bool hypervisor;                       /* CPUID.1 ECX[31] = 1 */
    uint8_t first_apic_id;                 /* the local APICs are numbered from this ID on */
    bool apic_never_on;                    /* a write leaves ENABLE in IA32_APIC_BASE as it is */
    bool boots_on_last;   /* the board starts on its last logical processor instead of its first */
    uint32_t port_clocks; /* by which each access to an I/O port takes longer than usual */
    bool two_packages;    /* two cores, with initial APIC IDs as of two packages */
    bool ht_manufactured; /* CPUID says two logical processors where the BIOS left one on */
};

#endif
