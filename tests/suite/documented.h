/*
 * Which bits of a CCCR or an ESCR the manual documents, so that a 1 written to them must be held.
 */
#ifndef TESTS_SUITE_DOCUMENTED_H
#define TESTS_SUITE_DOCUMENTED_H

#include <stdint.h>
#include "pmc/netburst/map.h"

/* Of the CCCR of counter 0 to 17, but for ENABLE and OVF. Without Hyper-Threading ACTIVE_THREAD is left out,
 * too, which must be 11B there. */
uint64_t cccr_documented(unsigned n);

/* Of an ESCR: on CPUID 0F43H the set that was recorded there, elsewhere what a documented event needs
 * (pmu-rules 3.4); 0 where this model has no event for it. */
uint64_t escr_documented(const struct pmc_escr *escr);

#endif
