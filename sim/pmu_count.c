/*
 * A counter advances: overflow and OVF (R27-R31), and the PMI on the next count (R45-R49, E3, E5).
 */
#include "sim/pmu_private.h"

#define TO_LP0 1u
#define TO_LP1 2u

/* E3: all of model 2, and models 0 and 1 above stepping 9, raise no PMI for a counter in cascade mode. */
static bool pmi_lost_in_cascade(const struct pmu *pmu, const struct pmu_counter *counter)
{
    const struct pmu_config *config = &pmu->config;
    if (config->no_e3 || !(config->model == 2 || (config->model < 2 && config->stepping > 9))) {
        return false;
    }
    if (config->e3_when_started) {
        return counter->linked[LINK_CASCADE] || counter->linked[LINK_CASCNT];
    }
    return counter->cccr & (CCCR_CASCADE | CCCR_CASCNT);
}

/* R45: OVF_PMI_T0 to LP0, OVF_PMI_T1 to LP1; without HT only bit 26. E5: F44 has no OVF_PMI_T1. */
unsigned pmu_pmi_targets(const struct pmu *pmu, unsigned n)
{
    const struct pmu_counter *counter = &pmu->counter[n];
    bool no_t1 = !pmu->config.ht || (pmu->config.model == 4 && pmu->config.stepping == 4);
    unsigned targets = 0;
    if (pmi_lost_in_cascade(pmu, counter)) {
        return 0;
    }
    if (counter->cccr & CCCR_OVF_PMI_T0) {
        targets |= TO_LP0;
    }
    if ((counter->cccr & CCCR_OVF_PMI_T1) && !no_t1) {
        targets |= TO_LP1;
    }
    return targets;
}

static unsigned raise_pmi(struct pmu *pmu, unsigned n)
{
    unsigned targets = pmu_pmi_targets(pmu, n);
    pmu->counter[n].request = REQUEST_STANDING;
    if (targets & TO_LP0) {
        pmu_tracef(pmu, "PMI to LP0 by counter %u", n);
    }
    if (targets & TO_LP1) {
        pmu_tracef(pmu, "PMI to LP1 by counter %u", n);
    }
    return targets;
}

/* The latch form of R33 remembers the overflow for every counter armed to be started by n. */
static void latch_partners(struct pmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum pmu_link link = 0; link < LINKS; link++) {
            struct pmu_counter *counter = &pmu->counter[y];
            if (pmu_link_source(pmu, y, link) == (int)n && (counter->cccr & pmu_link_bit(link)) &&
                !counter->latched[link]) {
                counter->latched[link] = true;
                pmu->stale = true;
            }
        }
    }
}

/* R29: OVF is sticky; a second overflow finds it set. */
static void set_ovf(struct pmu *pmu, unsigned n)
{
    struct pmu_counter *counter = &pmu->counter[n];
    if (!(counter->cccr & CCCR_OVF) || !counter->ovf_by_hardware) {
        pmu_tracef(pmu, "counter %u overflows", n);
        pmu->stale = true;
    }
    counter->cccr |= CCCR_OVF;
    counter->ovf_by_hardware = true;
    if (pmu->config.cascade_start == PMU_CASCADE_LATCH) {
        latch_partners(pmu, n);
    }
}

unsigned pmu_count(struct pmu *pmu, unsigned n, unsigned increment)
{
    struct pmu_counter *counter = &pmu->counter[n];
    enum pmu_request before = counter->request;
    unsigned raised = 0;

    /* R46, R47: this count raises the PMI of the overflow before it. 11 #3: once, or at every count. */
    if (before == REQUEST_NEXT_COUNT || (before == REQUEST_STANDING && pmu->config.pmi_every_count)) {
        raised |= raise_pmi(pmu, n);
    }

    uint64_t sum = counter->value + increment;
    bool carry = sum > COUNTER_MASK; /* R28: carry out of bit 39 */
    bool forced = counter->cccr & CCCR_FORCE_OVF;
    counter->value = sum & COUNTER_MASK; /* R27 */

    if (carry || forced) { /* R31: forced, every increment overflows */
        uint64_t surplus = forced ? increment - 1 : counter->value;
        set_ovf(pmu, n);
        counter->request = REQUEST_NEXT_COUNT;
        if (forced && pmu->config.force_ovf_first_pmi) { /* R48 */
            raised |= raise_pmi(pmu, n);
        } else if (surplus > 0 && pmu->config.pmi_same_clock_surplus) { /* 11 #4 */
            raised |= raise_pmi(pmu, n);
            /* Of several forced overflows in one clock the last still waits for its next count. */
            counter->request = forced ? REQUEST_NEXT_COUNT : REQUEST_STANDING;
        }
    }
    if (counter->request != before) {
        pmu->changed = true;
    }
    return raised;
}

/* R49: where OVF and OVF_PMI stand and the PMI was due, taking the LVT mask away brings it again. */
bool pmu_lvtpc_unmasked(struct pmu *pmu, unsigned lp)
{
    bool raised = false;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].request == REQUEST_STANDING && (pmu_pmi_targets(pmu, n) & (1u << lp))) {
            pmu_tracef(pmu, "PMI to LP%u by counter %u again: OVF stands", lp, n);
            raised = true;
        }
    }
    return raised;
}
