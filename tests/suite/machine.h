/* The machine the vectors run on: the processor's PMU as detected, and which logical processor we are. */
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

#define CPUID_1_ECX_HYPERVISOR (1u << 31) /* emulators have it, too */

/* True when the processor says that it has a NetBurst PMU and shows no hypervisor. A reason that
 * machine_detect() returned all the same is a failure then. */
bool machine_promises_pmu(void);

/* The name of the PMU register at this address when its first access faulted (pmc_find_absent()), so that no
 * vector can use it; else null. */
const char *machine_left_out(uint32_t msr);

/* The inventory (docs/log.md), at the head of the log; the PMU's part of it only where machine_detect()
 * returned null. */
void machine_inventory(const char *boot_line);

/* Set of enum need (vector.h) that this machine meets. */
unsigned machine_meets(void);
/* Why a need is not met, in words for a SKIP. */
const char *machine_lacks(unsigned need);
/* What a person can do to have it met; null when the processor lacks it. */
const char *machine_remedy(unsigned need);

/* True when an erratum of pmc/netburst/cpu.h applies to this part. */
bool machine_has_erratum(uint32_t erratum);

/* What a CCCR is written with to stop its counter and clear OVF at once, past msr_write(): 0, but not where
 * E22 holds. */
uint32_t machine_off(void);

/* OVF for a CCCR that is to have it set; where E22 holds, as it stands in counter n's. */
uint32_t machine_ovf(unsigned n);

/* ESCR qualification "count this logical processor (self) or its sibling at these privilege levels" (R11,
 * R12). */
uint32_t escr_self(bool os, bool usr);
uint32_t escr_self_all(void); /* at every CPL */
uint32_t escr_sibling(bool os, bool usr);
/* CCCR OVF_PMI bit towards logical processor lp 0 or 1 (R45). */
uint32_t ovf_pmi_to(unsigned lp);

/*
 * Which bits of a CCCR or an ESCR the manual documents, so that a 1 written to them must be held.
 */

/* The bits of the CCCR of counter 0 to 17, except ENABLE and OVF, and except ACTIVE_THREAD where there is no
 * Hyper-Threading: it must be 11B there. */
uint64_t cccr_documented(unsigned n);

/* The bits of an ESCR: on CPUID 0F43H the set that was recorded there, elsewhere what a documented event
 * needs (pmu-rules 3.4); 0 where this model has no event for it. Without Hyper-Threading no T1 bits: whether
 * they are kept is open. */
uint64_t escr_documented(const struct pmc_escr *escr);

/*
 * HLT on the logical processor that executes the call. Its local APIC timer, which ends the halt, is also the
 * timer of the vector's deadline: the deadline is put off for the time of the halt and set again after it.
 */

/* Halt once, until the timer interrupts after so many microseconds, or another interrupt comes. */
void halt_for_us(uint32_t microseconds);

/* Halt until *flag is true, but not longer than this. True if the flag was set before the time was over: an
 * interrupt other than the timer's ended the halt. */
bool halt_until(const volatile bool *flag, uint32_t microseconds);

#endif
