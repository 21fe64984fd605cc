/*
 * Programming the PMU in the manual's own step order (SDM 18.15.5.1 to 18.15.5.5, steps 1 to 11; 18.15.5.8).
 * Everything here goes through the plain forms of msr.h.
 */
#ifndef PMC_NETBURST_SETUP_H
#define PMC_NETBURST_SETUP_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu.h"
#include "event.h"
#include "map.h"

/* A counter and the values of its ESCR and CCCR: which event it counts, for which logical processors and
 * CPLs, and through which filters. */
struct pmc_programming {
    uint8_t counter; /* 0..17 */
    uint32_t escr_msr;
    uint32_t escr; /* value for it */
    uint32_t cccr; /* value without ENABLE, CASCADE, CASCNT and OVF */
};

/*
 * Steps 1 to 6: event, mask and CPL/thread qualification (ESCR_T0_OS ...) on a counter; picks the ESCR of the
 * counter's side and the CCCR select, ACTIVE_THREAD = 11B, no filter. False when the event cannot be counted
 * there, or cpl has bits outside [3:0]; *p is left alone then.
 */
bool pmc_program(struct pmc_programming *p, enum pmc_event_id event, uint16_t mask, uint32_t cpl,
                 unsigned counter);

/* Change whom a programming counts: ESCR[3:0], a set of ESCR_T0_OS and its like; CCCR ACTIVE_THREAD, 0 to 3.
 */
void pmc_set_privilege(struct pmc_programming *p, uint32_t cpl);
void pmc_set_active_thread(struct pmc_programming *p, unsigned active);

/* All 18 CCCRs := 0: everything stops, every OVF is cleared (E6, R32). A CCCR whose access faults is passed
 * over. */
void pmc_stop_all(void);

/*
 * The state between vectors, in which nothing counts: CCCRs, then ESCRs, then counters that exist on
 * this processor (pmc_has_register()), then PEBS_ENABLE and PEBS_MATRIX_VERT to 0. CCCRs are written in any
 * case, the others where they do not read 0; an ESCR that tags while a counter that counts nothing powers it
 * (E23). Verified: returns 0, or the address of the first register that did not become 0.
 */
uint32_t pmc_clear(const struct pmc_cpu *cpu);

/*
 * Preset a stopped counter to value modulo 2^40: written twice (E1), read back. True when it holds that.
 */
bool pmc_preset(unsigned counter, uint64_t value);

/* CCCR := 0, preset the counter while its ESCR has no event (E1), write the ESCR; the CCCR stays 0. False
 * when the preset does not hold. */
bool pmc_arm(const struct pmc_programming *p, uint64_t preset);
/* Step 9: CCCR with ENABLE. */
void pmc_start(const struct pmc_programming *p);
/* CCCR with CASCADE, ENABLE = 0 (Example 18-1), or with bit 11 (18.15.5.7). */
void pmc_arm_cascade(const struct pmc_programming *p);
void pmc_arm_extended_cascade(const struct pmc_programming *p);
/* The CCCR values that these three functions write. */
uint32_t pmc_cccr_enabled(const struct pmc_programming *p);
uint32_t pmc_cccr_cascaded(const struct pmc_programming *p);
uint32_t pmc_cccr_extended(const struct pmc_programming *p);

/* Step 10: read the count, 40 bits. */
uint64_t pmc_read(unsigned counter);
/* Step 11: clear ENABLE, keep everything else (OVF stays as it is). */
void pmc_stop(unsigned counter);
/* Returns OVF of the counter's CCCR. */
bool pmc_overflowed(unsigned counter);
/* Halt a cascaded counter: clear OVF of X and keep everything else (18.15.5.5, R38). */
void pmc_halt_by_overflow_flag(unsigned x);

/*
 * What a PMI handler does before LVTPC (R52): clear OVF and keep the rest of the CCCR, then reload the
 * counter. After it the caller unmasks LVTPC and, in fixed delivery mode, sends EOI.
 */
void pmc_acknowledge(unsigned counter, uint64_t reload);

/* pmc_dump() calls it once for each register that it reports. */
typedef void pmc_dump_fn(void *context, const char *name, uint64_t value);
/*
 * Report every counter, CCCR and ESCR that this processor has and that is not 0, with its manual name, in
 * that order and by address. Uses the try forms; a register whose RDMSR faults is reported as NAME_FAULT with
 * the exception vector. name is valid during the call only.
 */
void pmc_dump(const struct pmc_cpu *cpu, pmc_dump_fn *fn, void *context);

#endif
