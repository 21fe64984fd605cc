/*
 * The model's own statement of the map: which ESCR a counter reaches (R17) and which counter starts which
 * (R34, R35). Typed from pmu-rules 2.1, 2.2 and 3.2, independently of pmc/.
 */
#include "routing.h"
#include "state.h"

#define ESCR_SELECTS 8

/* R17, pmu-rules 2.2: one row per set of counters, one column per value of CCCR[15:13]; 0 = nothing mapped.
 */
enum escr_set { B0, B1, M0, M1, F0, F1, Q0, Q1 };
static const uint32_t SET[][ESCR_SELECTS] = {
    [B0] = {MSR_BPU_ESCR0, MSR_IS_ESCR0, MSR_MOB_ESCR0, MSR_ITLB_ESCR0, MSR_PMH_ESCR0, MSR_IX_ESCR0,
            MSR_FSB_ESCR0, MSR_BSU_ESCR0},
    [B1] = {MSR_BPU_ESCR1, MSR_IS_ESCR1, MSR_MOB_ESCR1, MSR_ITLB_ESCR1, MSR_PMH_ESCR1, MSR_IX_ESCR1,
            MSR_FSB_ESCR1, MSR_BSU_ESCR1},
    [M0] = {MSR_MS_ESCR0, MSR_TC_ESCR0, MSR_TBPU_ESCR0},
    [M1] = {MSR_MS_ESCR1, MSR_TC_ESCR1, MSR_TBPU_ESCR1},
    [F0] = {MSR_FLAME_ESCR0, MSR_FIRM_ESCR0, MSR_SAAT_ESCR0, MSR_U2L_ESCR0, 0, MSR_DAC_ESCR0},
    [F1] = {MSR_FLAME_ESCR1, MSR_FIRM_ESCR1, MSR_SAAT_ESCR1, MSR_U2L_ESCR1, 0, MSR_DAC_ESCR1},
    [Q0] = {MSR_IQ_ESCR0, MSR_ALF_ESCR0, MSR_RAT_ESCR0, MSR_SSU_ESCR0, MSR_CRU_ESCR0, MSR_CRU_ESCR2,
            MSR_CRU_ESCR4},
    [Q1] = {MSR_IQ_ESCR1, MSR_ALF_ESCR1, MSR_RAT_ESCR1, 0, MSR_CRU_ESCR1, MSR_CRU_ESCR3, MSR_CRU_ESCR5},
};

static const uint8_t SET_OF_COUNTER[PMC_COUNTERS] = {B0, B0, B1, B1, M0, M0, M1, M1, F0,
                                                     F0, F1, F1, Q0, Q0, Q1, Q1, Q0, Q1};

uint32_t nbpmu_escr_route(unsigned counter, unsigned select)
{
    if (counter >= PMC_COUNTERS || select >= ESCR_SELECTS)
        return 0;
    return SET[SET_OF_COUNTER[counter]][select];
}

bool nbpmu_counter_reaches(unsigned counter, uint32_t escr_msr)
{
    for (unsigned select = 0; select < ESCR_SELECTS; select++)
        if (nbpmu_escr_route(counter, select) == escr_msr)
            return true;
    return false;
}

/* R34: the counters of a block's two pairs start each other, n and n ^ 2. Counters 16 and 17 can be started
 * and start nothing. */
int nbpmu_cascade_source(const struct nbpmu *pmu, unsigned counter)
{
    switch (counter) {
    case 16:
        return 14;
    case 17:
        return pmu->variants.alt17_is_13 ? 13 : 15;
    default:
        return counter < 16 ? (int)(counter ^ 2) : -1;
    }
}

/* R35, Table 18-65: CASCNT4INTO0, CASCNT5INTO3, CASCNT5INTO4, CASCNT4INTO5; models 2 and later. */
int nbpmu_extended_source(const struct nbpmu *pmu, unsigned counter)
{
    if (pmu->part.model < 2)
        return -1;
    switch (counter) {
    case 12:
        return 16;
    case 15:
        return 17;
    case 16:
        return 17;
    case 17:
        return 16;
    default:
        return -1;
    }
}
