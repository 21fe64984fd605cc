/* Bits of CCCRs and ESCRs that differ with the logical processor that runs, and with an erratum of the part.
 */
#ifndef TESTS_SUITE_BITS_H
#define TESTS_SUITE_BITS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
