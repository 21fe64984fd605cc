/* The machine that the vectors run on: what its processor says by CPUID, and whether it has this PMU. */
#ifndef TESTS_SUITE_MACHINE_H
#define TESTS_SUITE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/cpu.h"
#include "pmc/netburst/map.h"

/* Whether machine_detect() returned null: only then is machine_cpu valid. */
extern bool machine_has_pmu;
extern struct pmc_cpu machine_cpu;
#define SIGNATURE_F43 0xF43 /* of the part on which much is recorded that others may do otherwise */

/* Read again what CPUID says, which may be more once the limit of CPUID is lifted. */
void machine_identify(void);

/*
 * CPUID says that Hyper-Threading was manufactured, and not whether the BIOS has it on: on some parts it says
 * so with Hyper-Threading off. So what R3 and R11 say of two logical processors is tested only where the
 * second one runs. For use once the sibling was started; machine_cpu.ht is as CPUID says before.
 */
void machine_settle_ht(void);
/* CPUID promises Hyper-Threading: if no second logical processor runs, its CPL is open. */
bool machine_may_have_ht(void);

/*
 * Identify the processor, remember what its PMU registers hold, and probe whether they store anything.
 * Returns null, or in words why this is not a NetBurst PMU.
 */
const char *machine_detect(void);

/* True when CPUID shows a hypervisor. Emulators show one, too. */
bool machine_is_virtual(void);

/* True when the processor says that it has a NetBurst PMU and shows no hypervisor. A reason that
 * machine_detect() returned all the same is a failure then. */
bool machine_promises_pmu(void);

/* What a register of the PMU answered, if machine_promises_pmu() and machine_detect() returned a reason. */
const struct pmc_answer *machine_dead_register(void);

/* The name of the PMU register at this address when its first access faulted (pmc_find_absent()), so that no
 * vector can use it; else null. */
const char *machine_left_out(uint32_t msr);

/* The manual's name of the PMU register at this address. */
const char *machine_register_name(uint32_t msr);

/* What CPUID said. */
const struct pmc_cpuid *machine_id(void);
bool machine_has_sse2(void);

/* True when an erratum of pmc/netburst/cpu.h applies to this part. */
bool machine_has_erratum(uint32_t erratum);

#endif
