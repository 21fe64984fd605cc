/*
 * What was in use when an expectation failed, as data: the fields `counters`, `escrs` and `setting` of a
 * failed point, which `pmulog explain` reads (docs/log.md has the words).
 *
 * What programs counters or makes processors work notes it here while the vector runs. A failed expectation
 * keeps what is noted then, and what the registers of the counters hold that its text names (failure.h).
 */
#ifndef TESTS_SUITE_SETTING_H
#define TESTS_SUITE_SETTING_H

#include <stdint.h>
#include "pmc/netburst/setup.h"

/* The words, in the order in which they are printed. */
/* clang-format off */
#define SETTINGS(S) \
    S(COMPARE, "COMPARE") S(COMPLEMENT, "COMPLEMENT") S(THRESHOLD, "THRESHOLD") \
    S(EDGE, "EDGE") S(FORCE_OVF, "FORCE_OVF") S(PMI_T0, "OVF_PMI_T0") \
    S(PMI_T1, "OVF_PMI_T1") S(CASCADE, "CASCADE") S(BIT_11, "bit-11") \
    S(ACTIVE_THREAD, "ACTIVE_THREAD") S(OS_ALONE, "OS-alone") S(USR_ALONE, "USR-alone") \
    S(T1_ALONE, "T1-alone") S(NO_FLAGS, "no-flags") S(SHARED, "shared-ESCR") \
    S(TAGS, "tags") S(CPL, "CPL-1-to-3") S(LP1, "LP1") \
    S(HALT, "HLT") S(INIT, "INIT") S(PMI, "PMI") \
    S(RDPMC, "RDPMC") S(OVF, "OVF") S(STARTED, "started") \
    S(AWAITED, "awaited") S(NEGATIVE, "negative") S(POSITIVE, "positive") \
    S(BLOCK_OVF, "OVF-in-block") S(OTHER_OVF, "OVF-elsewhere") S(ESCR_SELECT, "ESCR-select") \
    S(CCCR_WRITE, "CCCR-write") S(COUNTER_WRITE, "counter-write")
/* clang-format on */
#define SETTING_NUMBER(name, word) SETTING_NUMBER_##name,
enum { SETTINGS(SETTING_NUMBER) SETTING_WORDS };
#define SETTING_BIT(name, word) SETTING_##name = 1u << SETTING_NUMBER_##name,
enum setting_word { SETTINGS(SETTING_BIT) };

struct setting {
    uint32_t counters; /* a set */
    uint64_t escrs;    /* a set of the numbers of PMC_ESCR */
    uint32_t words;    /* a set of enum setting_word */
};

/* A run of the vector begins: nothing is noted. */
void setting_begin(void);
/* Forget the counters and what was noted of them: another measurement begins. */
void setting_measure(void);
/* A counter is programmed so. */
void setting_counter(const struct pmc_programming *p);
/* All that is noted are these words: another measurement begins, which needs them. */
void setting_only(uint32_t words);
/* These are in use, until the run ends. */
void setting_use(uint32_t words);
/* What is noted. */
const struct setting *setting_now(void);

/* The words for a CCCR, and for ESCR[3:0] of this logical processor's events. */
uint32_t setting_of_cccr(uint32_t cccr);
uint32_t setting_of_escr(uint32_t escr);
/* Write the words, blank separated. */
#define SETTING_TEXT 300
void setting_name(uint32_t words, char out[SETTING_TEXT]);

#endif
