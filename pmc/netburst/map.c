/*
 * The tables of map.h, to be read beside SDM Table 18-63 (counters, CCCRs, ESCRs, select values),
 * Table 18-65 (extended cascading) and section 18.15.5.6 (who starts whom).
 */
#include <stddef.h>
#include "map.h"

const char *const PMC_BLOCK_NAME[4] = {"bpu", "ms", "flame", "iq"};

/* clang-format off */

#define NONE PMC_NONE

/*
 * "from": the counter whose overflow starts this one. CASCADE crosses to the other pair of the block, 0-2 and
 * 1-3 in either direction; 16 only from 14; for 17 the manual says "similar restrictions", which leaves 15
 * or 13.
 */
const struct pmc_counter PMC_COUNTER[PMC_COUNTERS] = {
    /* counter              CCCR               no. block        side from  or    bit 11 from */
    { "MSR_BPU_COUNTER0",   "MSR_BPU_CCCR0",    0, BLOCK_BPU,   0,    2, NONE, NONE, NULL },
    { "MSR_BPU_COUNTER1",   "MSR_BPU_CCCR1",    1, BLOCK_BPU,   0,    3, NONE, NONE, NULL },
    { "MSR_BPU_COUNTER2",   "MSR_BPU_CCCR2",    2, BLOCK_BPU,   1,    0, NONE, NONE, NULL },
    { "MSR_BPU_COUNTER3",   "MSR_BPU_CCCR3",    3, BLOCK_BPU,   1,    1, NONE, NONE, NULL },
    { "MSR_MS_COUNTER0",    "MSR_MS_CCCR0",     4, BLOCK_MS,    0,    6, NONE, NONE, NULL },
    { "MSR_MS_COUNTER1",    "MSR_MS_CCCR1",     5, BLOCK_MS,    0,    7, NONE, NONE, NULL },
    { "MSR_MS_COUNTER2",    "MSR_MS_CCCR2",     6, BLOCK_MS,    1,    4, NONE, NONE, NULL },
    { "MSR_MS_COUNTER3",    "MSR_MS_CCCR3",     7, BLOCK_MS,    1,    5, NONE, NONE, NULL },
    { "MSR_FLAME_COUNTER0", "MSR_FLAME_CCCR0",  8, BLOCK_FLAME, 0,   10, NONE, NONE, NULL },
    { "MSR_FLAME_COUNTER1", "MSR_FLAME_CCCR1",  9, BLOCK_FLAME, 0,   11, NONE, NONE, NULL },
    { "MSR_FLAME_COUNTER2", "MSR_FLAME_CCCR2", 10, BLOCK_FLAME, 1,    8, NONE, NONE, NULL },
    { "MSR_FLAME_COUNTER3", "MSR_FLAME_CCCR3", 11, BLOCK_FLAME, 1,    9, NONE, NONE, NULL },
    { "MSR_IQ_COUNTER0",    "MSR_IQ_CCCR0",    12, BLOCK_IQ,    0,   14, NONE, 16,   "CASCNT4INTO0" },
    { "MSR_IQ_COUNTER1",    "MSR_IQ_CCCR1",    13, BLOCK_IQ,    0,   15, NONE, NONE, NULL },
    { "MSR_IQ_COUNTER2",    "MSR_IQ_CCCR2",    14, BLOCK_IQ,    1,   12, NONE, NONE, NULL },
    { "MSR_IQ_COUNTER3",    "MSR_IQ_CCCR3",    15, BLOCK_IQ,    1,   13, NONE, 17,   "CASCNT5INTO3" },
    { "MSR_IQ_COUNTER4",    "MSR_IQ_CCCR4",    16, BLOCK_IQ,    0,   14, NONE, 17,   "CASCNT5INTO4" },
    { "MSR_IQ_COUNTER5",    "MSR_IQ_CCCR5",    17, BLOCK_IQ,    1,   15, 13,   16,   "CASCNT4INTO5" },
};

/* Block and side of an ESCR: the sets of counters in the columns of Table 18-63. */
#define B0 BLOCK_BPU,   0
#define B1 BLOCK_BPU,   1
#define M0 BLOCK_MS,    0
#define M1 BLOCK_MS,    1
#define F0 BLOCK_FLAME, 0
#define F1 BLOCK_FLAME, 1
#define Q0 BLOCK_IQ,    0
#define Q1 BLOCK_IQ,    1

#define LATEST 0x0F /* there on every model */

/* In the order of the addresses. */
const struct pmc_escr PMC_ESCR[PMC_ESCRS] = {
    /* name              address         set sel counters        n last model, bits on 0F43H */
    { "MSR_BSU_ESCR0",   MSR_BSU_ESCR0,   B0, 7, { 0, 1 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_BSU_ESCR1",   MSR_BSU_ESCR1,   B1, 7, { 2, 3 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_FSB_ESCR0",   MSR_FSB_ESCR0,   B0, 6, { 0, 1 },       2, LATEST, 0x3FFFFFFF },
    { "MSR_FSB_ESCR1",   MSR_FSB_ESCR1,   B1, 6, { 2, 3 },       2, LATEST, 0x3FFFFFFF },
    { "MSR_FIRM_ESCR0",  MSR_FIRM_ESCR0,  F0, 1, { 8, 9 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_FIRM_ESCR1",  MSR_FIRM_ESCR1,  F1, 1, { 10, 11 },     2, LATEST, 0x7FFFFFFF },
    { "MSR_FLAME_ESCR0", MSR_FLAME_ESCR0, F0, 0, { 8, 9 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_FLAME_ESCR1", MSR_FLAME_ESCR1, F1, 0, { 10, 11 },     2, LATEST, 0x7FFFFFFF },
    { "MSR_DAC_ESCR0",   MSR_DAC_ESCR0,   F0, 5, { 8, 9 },       2, LATEST, 0x1E01FE0F },
    { "MSR_DAC_ESCR1",   MSR_DAC_ESCR1,   F1, 5, { 10, 11 },     2, LATEST, 0x1E01FE0F },
    { "MSR_MOB_ESCR0",   MSR_MOB_ESCR0,   B0, 2, { 0, 1 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_MOB_ESCR1",   MSR_MOB_ESCR1,   B1, 2, { 2, 3 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_PMH_ESCR0",   MSR_PMH_ESCR0,   B0, 4, { 0, 1 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_PMH_ESCR1",   MSR_PMH_ESCR1,   B1, 4, { 2, 3 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_SAAT_ESCR0",  MSR_SAAT_ESCR0,  F0, 2, { 8, 9 },       2, LATEST, 0x7FFFFFFF },
    { "MSR_SAAT_ESCR1",  MSR_SAAT_ESCR1,  F1, 2, { 10, 11 },     2, LATEST, 0x7FFFFFFF },
    { "MSR_U2L_ESCR0",   MSR_U2L_ESCR0,   F0, 3, { 8, 9 },       2, LATEST, 0x0E3FFE0F },
    { "MSR_U2L_ESCR1",   MSR_U2L_ESCR1,   F1, 3, { 10, 11 },     2, LATEST, 0x0E3FFE0F },
    { "MSR_BPU_ESCR0",   MSR_BPU_ESCR0,   B0, 0, { 0, 1 },       2, LATEST, 0x1E03FFFF },
    { "MSR_BPU_ESCR1",   MSR_BPU_ESCR1,   B1, 0, { 2, 3 },       2, LATEST, 0x1E03FFFF },
    { "MSR_IS_ESCR0",    MSR_IS_ESCR0,    B0, 1, { 0, 1 },       2, LATEST, 0x0E01FE0F },
    { "MSR_IS_ESCR1",    MSR_IS_ESCR1,    B1, 1, { 2, 3 },       2, LATEST, 0x0E01FE0F },
    { "MSR_ITLB_ESCR0",  MSR_ITLB_ESCR0,  B0, 3, { 0, 1 },       2, LATEST, 0x70000E1F },
    { "MSR_ITLB_ESCR1",  MSR_ITLB_ESCR1,  B1, 3, { 2, 3 },       2, LATEST, 0x70000E1F },
    { "MSR_CRU_ESCR0",   MSR_CRU_ESCR0,   Q0, 4, { 12, 13, 16 }, 3, LATEST, 0x0E01FE0F },
    { "MSR_CRU_ESCR1",   MSR_CRU_ESCR1,   Q1, 4, { 14, 15, 17 }, 3, LATEST, 0x0E01FE0F },
    { "MSR_IQ_ESCR0",    MSR_IQ_ESCR0,    Q0, 0, { 12, 13, 16 }, 3, 2,     0x00000000 },
    { "MSR_IQ_ESCR1",    MSR_IQ_ESCR1,    Q1, 0, { 14, 15, 17 }, 3, 2,     0x00000000 },
    { "MSR_RAT_ESCR0",   MSR_RAT_ESCR0,   Q0, 2, { 12, 13, 16 }, 3, LATEST, 0x7FFFFFFF },
    { "MSR_RAT_ESCR1",   MSR_RAT_ESCR1,   Q1, 2, { 14, 15, 17 }, 3, LATEST, 0x7FFFFFFF },
    { "MSR_SSU_ESCR0",   MSR_SSU_ESCR0,   Q0, 3, { 12, 13, 16 }, 3, LATEST, 0x7FFFFFFF },
    { "MSR_MS_ESCR0",    MSR_MS_ESCR0,    M0, 0, { 4, 5 },       2, LATEST, 0x1E007E1F },
    { "MSR_MS_ESCR1",    MSR_MS_ESCR1,    M1, 0, { 6, 7 },       2, LATEST, 0x1E007E1F },
    { "MSR_TBPU_ESCR0",  MSR_TBPU_ESCR0,  M0, 2, { 4, 5 },       2, LATEST, 0x0E01FE0F },
    { "MSR_TBPU_ESCR1",  MSR_TBPU_ESCR1,  M1, 2, { 6, 7 },       2, LATEST, 0x0E01FE0F },
    { "MSR_TC_ESCR0",    MSR_TC_ESCR0,    M0, 1, { 4, 5 },       2, LATEST, 0x1E07FE0F },
    { "MSR_TC_ESCR1",    MSR_TC_ESCR1,    M1, 1, { 6, 7 },       2, LATEST, 0x1E07FE0F },
    { "MSR_IX_ESCR0",    MSR_IX_ESCR0,    B0, 5, { 0, 1 },       2, LATEST, 0x0E01FE0F },
    { "MSR_IX_ESCR1",    MSR_IX_ESCR1,    B1, 5, { 2, 3 },       2, LATEST, 0x0E01FE0F },
    { "MSR_ALF_ESCR0",   MSR_ALF_ESCR0,   Q0, 1, { 12, 13, 16 }, 3, LATEST, 0x0FFFFE0F },
    { "MSR_ALF_ESCR1",   MSR_ALF_ESCR1,   Q1, 1, { 14, 15, 17 }, 3, LATEST, 0x0FFFFE0F },
    { "MSR_CRU_ESCR2",   MSR_CRU_ESCR2,   Q0, 5, { 12, 13, 16 }, 3, LATEST, 0x1E0FFE0F },
    { "MSR_CRU_ESCR3",   MSR_CRU_ESCR3,   Q1, 5, { 14, 15, 17 }, 3, LATEST, 0x1E0FFE0F },
    { "MSR_CRU_ESCR4",   MSR_CRU_ESCR4,   Q0, 6, { 12, 13, 16 }, 3, LATEST, 0x0E00FE0F },
    { "MSR_CRU_ESCR5",   MSR_CRU_ESCR5,   Q1, 6, { 14, 15, 17 }, 3, LATEST, 0x0E00FE0F },
};

/* clang-format on */

/* A binary search: every access to the PMU asks whether the register is there, some 80 times for each
 * clean-up. */
const struct pmc_escr *pmc_escr_at(uint32_t msr)
{
    unsigned first = 0, end = PMC_ESCRS;

    while (first < end) {
        unsigned middle = (first + end) / 2;
        if (PMC_ESCR[middle].msr == msr)
            return &PMC_ESCR[middle];
        if (PMC_ESCR[middle].msr < msr)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

const struct pmc_escr *pmc_escr_for(unsigned counter, unsigned select)
{
    if (counter >= PMC_COUNTERS)
        return NULL;
    const struct pmc_counter *c = &PMC_COUNTER[counter];
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *escr = &PMC_ESCR[i];
        if (escr->block == c->block && escr->side == c->side && escr->select == select)
            return escr;
    }
    return NULL;
}
