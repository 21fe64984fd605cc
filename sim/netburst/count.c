/*
 * A counter advances: overflow and OVF (R27-R31), and the PMI on the next count (R45-R49, E3, E5).
 */
#include "count.h"
#include "state.h"
#include "stages.h"
#include "errata.h"
#include "enable.h"
#include "fast_forward.h"
#include "trace.h"

#define TO_LP0 1u
#define TO_LP1 2u

/* E3: all of model 2, and models 0 and 1 above stepping 9. */
bool nbpmu_has_e3(const struct nbpmu_part *part)
{
    return part->model == 2 || (part->model < 2 && part->stepping > 9);
}

static bool pmi_lost_in_cascade(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    if (pmu->variants.no_e3 || !nbpmu_has_e3(&pmu->part))
        return false;
    if (pmu->variants.e3_when_started)
        return nbpmu_linked(counter);
    return counter->cccr & (CCCR_CASCADE | CCCR_CASCNT);
}

bool nbpmu_has_pmi_t1(const struct nbpmu_part *part)
{
    return part->lps > 1 && !(part->model == 4 && part->stepping == 4);
}

/* R45: OVF_PMI_T0 interrupts LP0 and OVF_PMI_T1 LP1. */
unsigned nbpmu_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool has_t1 = nbpmu_has_pmi_t1(&pmu->part);
    if (pmi_lost_in_cascade(pmu, counter))
        return 0;
    return (counter->cccr & CCCR_OVF_PMI_T0 ? TO_LP0 : 0) |
           (has_t1 && (counter->cccr & CCCR_OVF_PMI_T1) ? TO_LP1 : 0);
}

unsigned nbpmu_raise_pmi(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (counter->request == REQUEST_NEXT_COUNT && !(counter->cccr & CCCR_OVF)) {
        counter->request = REQUEST_NONE; /* a PMI without OVF (E9) is not repeated */
    } else {
        counter->request = REQUEST_STANDING;
        counter->raised = true;
    }
    return pmu->stages->pmi_targets(pmu, n);
}

/* With the variant cascade_latch (R33) every counter that is armed to be started by n remembers n's
 * overflow. */
static void latch_partners(struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++) {
            struct nbpmu_counter *counter = &pmu->counter[y];
            if (pmu->stages->link_source(pmu, y, link) == (int)n && (counter->cccr & nbpmu_link_bit(link)) &&
                !counter->latched[link]) {
                counter->latched[link] = true;
                pmu->stale = true;
            }
        }
    }
}

/* OVF is sticky: a second overflow finds it set (R29). */
void nbpmu_overflow(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool stood = (counter->cccr & CCCR_OVF) && counter->ovf_by_hardware;
    if (!stood && nbpmu_leaves_unflagged(pmu, n))
        return;
    if (!stood) {
        nbpmu_tracef(pmu, "counter %u overflows", n);
        pmu->stale = true;
    }
    counter->cccr |= CCCR_OVF;
    counter->ovf_by_hardware = true;
    if (pmu->variants.cascade_latch)
        latch_partners(pmu, n);
}

/* A counter has 40 bits (R27); the carry out of the last one is the overflow (R28). */
bool nbpmu_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    uint64_t sum = pmu->counter[n].value + increment;
    pmu->counter[n].value = sum & COUNTER_MASK;
    return sum > COUNTER_MASK;
}

unsigned nbpmu_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    enum nbpmu_request before = counter->request;
    unsigned raised = 0;

    /* The count after an overflow raises its PMI (R46, R47). With the variant pmi_every_count all later
     * counts do as well, while OVF is set (question 11.3). */
    if (before == REQUEST_NEXT_COUNT || (before == REQUEST_STANDING && pmu->variants.pmi_every_count))
        raised |= nbpmu_raise_pmi(pmu, n);
    bool carry = pmu->stages->add(pmu, n, increment);
    bool forced = counter->cccr & CCCR_FORCE_OVF; /* every increment overflows, from any value (R31) */
    if (carry || forced) {
        uint64_t surplus = forced ? increment - 1 : counter->value;
        pmu->stages->overflow(pmu, n);
        counter->request = REQUEST_NEXT_COUNT;
        if (forced && pmu->variants.force_ovf_first_pmi) { /* R48 */
            raised |= nbpmu_raise_pmi(pmu, n);
        } else if (surplus > 0 && pmu->variants.pmi_same_clock_surplus) { /* Question 11.4 */
            raised |= nbpmu_raise_pmi(pmu, n);
            /* The increment forced several overflows in this clock; the last one waits for the next count. */
            counter->request = forced ? REQUEST_NEXT_COUNT : REQUEST_STANDING;
        }
    }
    if (counter->request != before)
        pmu->changed = true;
    return raised;
}

/* R49: while OVF and OVF_PMI are set and the PMI was due, unmasking LVTPC raises it again. */
bool nbpmu_pmi_again(struct nbpmu *pmu, unsigned lp)
{
    bool raised = false;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].raised && (pmu->stages->pmi_targets(pmu, n) & (1u << lp))) {
            nbpmu_tracef(pmu, "PMI to LP%u by counter %u again: OVF stands", lp, n);
            raised = true;
        }
    }
    return raised;
}

bool nbpmu_lvtpc_unmasked(struct nbpmu *pmu, unsigned lp)
{
    nbpmu_sync(pmu);
    return pmu->stages->pmi_again(pmu, lp);
}
