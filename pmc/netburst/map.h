/*
 * The map of the PMU: 18 counters, 18 CCCRs, 45 ESCRs, select values, blocks, cascade partners,
 * RDPMC index. Source: SDM Table 18-63 and 18-65, sections 18.15.2 and 18.15.5.6; pmu-rules 2.1, 2.2, 3.2
 * (R34, R35).
 */
#ifndef PMC_NETBURST_MAP_H
#define PMC_NETBURST_MAP_H

#include <stdint.h>
#include "regs.h"

enum pmc_block { BLOCK_BPU, BLOCK_MS, BLOCK_FLAME, BLOCK_IQ };

#define PMC_NONE (-1)

struct pmc_counter {
    const char *counter_name; /* "MSR_IQ_COUNTER0" */
    const char *cccr_name;    /* "MSR_IQ_CCCR0" */
    uint8_t number;           /* flat number 0..17 = RDPMC index */
    uint8_t block;            /* enum pmc_block */
    uint8_t side;             /* 0: selects from the even ESCRs, 1: from the odd ones */
    int8_t cascade_from; /* counter whose overflow starts it by CASCADE; 17: see cascade_from_alternative */
    int8_t cascade_from_alternative; /* the other reading for counter 17 (pmu-rules 5.5.1); else PMC_NONE */
    int8_t extended_from;            /* counter that starts it by bit 11 (Table 18-65), or PMC_NONE */
    const char *extended_name;       /* "CASCNT4INTO0", or null */
};

struct pmc_escr {
    const char *name; /* "MSR_CRU_ESCR0" */
    uint16_t msr;
    uint8_t block;
    uint8_t side;
    uint8_t select;        /* CCCR[15:13] value that reaches it */
    uint8_t counters[3];   /* counters whose CCCR can select it */
    uint8_t counter_count; /* 2, or 3 in the IQ block */
    uint8_t last_model;    /* 2 for IQ_ESCR0/1, else 0FH: not there on later models */
    uint32_t f43_mask;     /* implemented bits as recorded on CPUID 0F43H (pmu-rules 3.4) */
};

extern const struct pmc_counter PMC_COUNTER[PMC_COUNTERS]; /* by flat number */
extern const struct pmc_escr PMC_ESCR[PMC_ESCRS];          /* in address order */

extern const char *const PMC_BLOCK_NAME[4]; /* "bpu", "ms", "flame", "iq" */

/* The ESCR at this address, or null. */
const struct pmc_escr *pmc_escr_at(uint32_t msr);
/* The ESCR that select 0..7 reaches from counter 0..17, or null. */
const struct pmc_escr *pmc_escr_for(unsigned counter, unsigned select);

#endif
