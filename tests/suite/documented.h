/* Which bits of a CCCR or an ESCR the manual documents, so that a 1 written to them must be held. */
#ifndef TESTS_SUITE_DOCUMENTED_H
#define TESTS_SUITE_DOCUMENTED_H

#include <stdint.h>
#include "pmc/netburst/map.h"

/* The bits of the CCCR of counter 0 to 17, except ENABLE and OVF, and except ACTIVE_THREAD where there is no
 * Hyper-Threading: it must be 11B there. */
uint64_t cccr_documented(unsigned n);

/* The bits of an ESCR: on CPUID 0F43H the set that was recorded there, elsewhere what a documented event
 * needs (pmu-rules 3.4); 0 where this model has no event for it. Without Hyper-Threading no T1 bits: whether
 * they are kept is open. */
uint64_t escr_documented(const struct pmc_escr *escr);

#endif
