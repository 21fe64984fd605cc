/*
 * The other logical processor of the boot processor's core: the application processor (AP), or sibling. LP0
 * and LP1 (T0 and T1 in names of fields) are bit 0 of the initial APIC ID (pmu-rules 1.5); the boot processor
 * may be either, so callers ask smp_self().
 *
 * The sibling is started once by INIT-SIPI-SIPI and is then halted until it is given work, so that it
 * disturbs no measurement. All waits are bounded: a sibling that never answers is reported, not waited for.
 */
#ifndef KERNEL_SMP_SMP_H
#define KERNEL_SMP_SMP_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/x86/trap.h"

/* The processors, by the firmware's tables (the ACPI MADT, if there is one) and by CPUID. */
struct topology {
    const char *source;      /* "ACPI MADT" or "none" */
    unsigned processors;     /* enabled local APICs listed */
    uint8_t apic_ids[32];    /* their IDs, at most 32 */
    uint8_t bsp_apic_id;     /* of the boot processor, as its local APIC has it now */
    uint8_t sibling_apic_id; /* of its sibling, if there is one: bit 0 differs. Without NetBurst: of the first
                                other processor */
    unsigned bsp_thread;     /* bit 0 of its initial APIC ID */
    uint8_t initial_apic_id; /* of the boot processor (CPUID.1 EBX[31:24]), which no BIOS changes */
    bool sibling_elsewhere;  /* the processor with the sibling's ID has answered, and is in another core */
    bool netburst;           /* a sibling is another thread of our core; else any processor is taken for it */
    bool sibling_listed; /* sibling_apic_id is listed, and with NetBurst CPUID says that two threads share a
                            core */
    unsigned threads_per_core; /* from CPUID leaves 1 and 4 */
    unsigned cores_per_package;
};

enum ap_state { AP_ABSENT, AP_SILENT, AP_PARKED, AP_WORKING, AP_DONE, AP_FAULTED };

/* Read the topology, and start the AP when there is one. */
void smp_init(void);
const struct topology *smp_topology(void);

/* True when there is an AP and it has answered. */
bool smp_has_sibling(void);
/* 0 or 1: the logical processor executing the call; on a NetBurst part without HT always 0. */
unsigned smp_self(void);

/* Give the sibling fn(arg). Returns false unless it is halted (parked, or done with the last work). fn runs
 * with interrupts on. */
bool smp_start(void (*fn)(void *), void *arg);
enum ap_state smp_state(void);
/* Wait for the sibling's work to return; false after the time-out (the sibling is still working then). */
bool smp_wait(uint32_t microseconds);
/* The trap report when the state is AP_FAULTED. */
const struct trap_report *smp_fault(void);
/* Bring the AP back to AP_PARKED, by INIT and start-up IPI if it is still working; it is halted when this
 * returns. False when it no longer answers. True when there is no AP. */
bool smp_park(void);
/* INIT-SIPI-SIPI, whatever the sibling does; false when it does not answer. Its local APIC comes back as at
 * boot. */
bool smp_restart(void);
/* What LVTPC of the sibling held after its latest INIT, before the sibling wrote it. */
uint32_t smp_lvtpc_at_start(void);
/* INIT: leave the AP waiting for a start-up IPI, until smp_restart() or smp_park(). */
void smp_stop_sibling(void);

/* For the exception handler on the AP: leave a report, interrupt the boot processor, and halt. */
_Noreturn void smp_sibling_fault(const struct trap_frame *frame, uint32_t cr2);

/* ---- topology.c: which processors this board has, by CPUID and by the firmware's tables ---- */

/* Undo a BIOS setting that hides the CPUID leaf by which two cores differ from two threads. Call it before
 * anything reads that leaf. */
void cpuid_lift_limit(void);
/* True when cpuid_lift_limit() found the leaf hidden. */
bool cpuid_was_limited(void);

/* The initial APIC ID of the logical processor that calls: CPUID.1 EBX[31:24]. */
uint8_t cpuid_initial_apic_id(void);

/* Fill topology. On the boot processor, after multiboot_read(). */
void topology_read(struct topology *topology);

#endif
