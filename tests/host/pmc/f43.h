/* CPUID results recorded on a real 0F43H. */
#ifndef TESTS_HOST_PMC_F43_H
#define TESTS_HOST_PMC_F43_H

#include "pmc/netburst/cpu.h"

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

#endif
