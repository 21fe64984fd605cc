/*
 * A counter advances: overflow and OVF (R27-R31), and the PMI on the next count (R45-R49, E3, E5).
 */
#include "private.h"

#define TO_LP0 1u
#define TO_LP1 2u

/* E3: all of model 2, and models 0 and 1 above stepping 9, raise no PMI for a counter in cascade mode. */
static bool pmi_lost_in_cascade(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    const struct nbpmu_part *part = &pmu->part;
    if (nbpmu_faulty(pmu, FAULT_CASCADE_PMI_LOST)) { /* R55: on any part */
        return counter->cccr & (CCCR_CASCADE | CCCR_CASCNT);
    }
    if (pmu->choices.no_e3 || !(part->model == 2 || (part->model < 2 && part->stepping > 9))) {
        return false;
    }
    if (pmu->choices.e3_when_started) {
        return nbpmu_linked(counter);
    }
    return counter->cccr & (CCCR_CASCADE | CCCR_CASCNT);
}

/* The faults that change which logical processors a PMI reaches (R45, R48). */
static unsigned misdirected(const struct nbpmu *pmu, unsigned n, unsigned targets)
{
    bool forced = pmu->counter[n].cccr & CCCR_FORCE_OVF;
    if (forced && nbpmu_faulty(pmu, FAULT_PMI_FORCED_ONE_TARGET)) {
        return targets & TO_LP0 ? TO_LP0 : targets;
    }
    if (forced && nbpmu_faulty_at(pmu, FAULT_PMI_FORCED_DEAD, n)) {
        return 0;
    }
    if (nbpmu_faulty_for(pmu, FAULT_PMI_SWAPPED, n)) {
        return (targets & TO_LP0 ? TO_LP1 : 0) | (targets & TO_LP1 ? TO_LP0 : 0);
    }
    if (nbpmu_faulty_for(pmu, FAULT_PMI_TO_BOTH, n)) {
        return targets ? TO_LP0 | TO_LP1 : 0;
    }
    if (nbpmu_faulty_for(pmu, FAULT_PMI_UNASKED, n)) {
        return targets | TO_LP0;
    }
    if (nbpmu_faulty(pmu, forced ? FAULT_FORCE_WITHOUT_PMI : FAULT_PMI_ONLY_FORCED)) {
        return 0;
    }
    return targets;
}

/* Logical processors that a PMI of counter n reaches, as a bit mask. R45: OVF_PMI_T0 interrupts LP0 and
 * OVF_PMI_T1 LP1; without Hyper-Threading only bit 26 works. E5: 0F44H has no OVF_PMI_T1. */
static unsigned pmi_targets(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool no_t1 = !nbpmu_has_ht(pmu) || (pmu->part.model == 4 && pmu->part.stepping == 4) ||
                 nbpmu_faulty_on(pmu, FAULT_PMI_T1_MISSING, n);
    unsigned targets = 0;
    if (pmi_lost_in_cascade(pmu, counter) || nbpmu_faulty_on(pmu, FAULT_PMI_MISSING, n)) {
        return 0;
    }
    if ((counter->cccr & CCCR_OVF_PMI_T0) && !nbpmu_faulty(pmu, FAULT_PMI_T0_DEAD)) {
        targets |= TO_LP0;
    }
    if ((counter->cccr & CCCR_OVF_PMI_T1) && !no_t1 && !nbpmu_faulty(pmu, FAULT_PMI_T1_DEAD)) {
        targets |= TO_LP1;
    }
    return misdirected(pmu, n, targets);
}

static unsigned raise_pmi(struct nbpmu *pmu, unsigned n)
{
    unsigned targets = pmi_targets(pmu, n);
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (counter->request == REQUEST_NEXT_COUNT && !(counter->cccr & CCCR_OVF)) {
        counter->request = REQUEST_NONE; /* a PMI without OVF (E9) is not repeated */
    } else {
        counter->request = REQUEST_STANDING;
        counter->raised = true;
    }
    if (targets && nbpmu_faulty_at(pmu, FAULT_PMI_IN_A_ROW, counter->in_a_row++)) {
        counter->raised = false;
        targets = 0;
    }
    if (targets && nbpmu_faulty_for(pmu, FAULT_PMI_FREEZES, n)) { /* R43 */
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        pmu->stale = true;
    }
    if (targets & TO_LP0) {
        nbpmu_tracef(pmu, "PMI to LP0 by counter %u", n);
    }
    if (targets & TO_LP1) {
        nbpmu_tracef(pmu, "PMI to LP1 by counter %u", n);
    }
    return targets;
}

/* With the choice cascade_latch (R33) every counter that is armed to be started by n remembers n's
 * overflow. */
static void latch_partners(struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++) {
            struct nbpmu_counter *counter = &pmu->counter[y];
            if (nbpmu_link_source(pmu, y, link) == (int)n && (counter->cccr & nbpmu_link_bit(link)) &&
                !counter->latched[link]) {
                counter->latched[link] = true;
                pmu->stale = true;
            }
        }
    }
}

/* The faults that stop a counter at its overflow. By R28 and R37 it counts on, whether or not the overflow
 * starts another counter. */
static void stop_at_overflow(struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++) {
            bool armed = pmu->counter[y].cccr & nbpmu_link_bit(link);
            if (nbpmu_faulty_for(pmu, FAULT_OVERFLOW_STOPS, n) ||
                (armed && nbpmu_link_source(pmu, y, link) == (int)n)) {
                pmu->counter[n].cccr &= ~CCCR_ENABLE;
                pmu->stale = true;
            }
        }
    }
}

/* The faults of two counters: by R29 each sets its own OVF, whatever else overflows in this clock. Is the OVF
 * of n lost? */
static bool lost_beside_another(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = &pmu->fault;
    pmu->overflowing |= 1u << n;
    if (nbpmu_faulty_at(pmu, FAULT_OVF_ALSO_ON, n)) {
        pmu->counter[fault->to].cccr |= CCCR_OVF;
    }
    if (nbpmu_faulty(pmu, FAULT_OVF_LOST_BESIDE) && fault->to == n && (pmu->overflowing >> fault->at & 1)) {
        pmu->counter[fault->at].cccr &= ~CCCR_OVF;
    }
    return nbpmu_faulty_at(pmu, FAULT_OVF_LOST_BESIDE, n) && (pmu->overflowing >> fault->to & 1);
}

/* Set OVF of counter n. It is sticky: a second overflow finds it set (R29). */
static void set_ovf(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool stood = (counter->cccr & CCCR_OVF) && counter->ovf_by_hardware;
    if (lost_beside_another(pmu, n) || nbpmu_faulty_on(pmu, FAULT_OVF_MISSING, n) ||
        (!stood && nbpmu_leaves_unflagged(pmu, n))) {
        return;
    }
    if (!stood) {
        nbpmu_tracef(pmu, "counter %u overflows", n);
        pmu->stale = true;
    }
    counter->cccr |= CCCR_OVF;
    counter->ovf_by_hardware = true;
    nbpmu_overflowed(pmu, n);
    if (pmu->choices.cascade_latch) {
        latch_partners(pmu, n);
    }
    if (nbpmu_faulty_for(pmu, FAULT_OVERFLOW_STOPS, n) || nbpmu_faulty_for(pmu, FAULT_CASCADE_STOPS_X, n)) {
        stop_at_overflow(pmu, n);
    }
}

/* Does FORCE_OVF make every increment of counter n an overflow? It does from any value (R31). */
static bool is_forced(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    if (nbpmu_faulty(pmu, FAULT_FORCE_IGNORED) || nbpmu_faulty_on(pmu, FAULT_FORCE_DEAD, n)) {
        return false;
    }
    if (counter->cccr & CCCR_COMPARE && nbpmu_faulty_at(pmu, FAULT_FORCE_DEAD_COMPARED, n)) {
        return false;
    }
    if (nbpmu_faulty(pmu, FAULT_FORCE_DEAD_BESIDE) && (counter->cccr >> pmu->fault.at & 1)) {
        return false;
    }
    bool negative = counter->value > COUNTER_MASK / 2;
    return (counter->cccr & CCCR_FORCE_OVF) && !(negative && nbpmu_faulty(pmu, FAULT_FORCE_POSITIVE_ONLY));
}

/* The faults of what a forced overflow does: it sets OVF and changes nothing else (R31). */
static void misforce(struct nbpmu *pmu, unsigned n, uint64_t before)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (nbpmu_faulty_at(pmu, FAULT_FORCE_LOSES_COUNT, n)) {
        counter->value = before;
    } else if (nbpmu_faulty(pmu, FAULT_FORCE_CLEARS)) {
        counter->value = 0;
    }
}

/* Set OVF of the counter that FORCE_OVF of counter n means: n itself (R31). */
static void force_ovf(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (nbpmu_faulty_at(pmu, FAULT_FORCE_ON_PAIR, n)) {
        set_ovf(pmu, pmu->fault.to);
    } else if (!counter->forced_once || !nbpmu_faulty_at(pmu, FAULT_FORCE_ONCE, n)) {
        set_ovf(pmu, n);
    }
    counter->forced_once = true;
}

/* Is the sum all that comes of this increment? Most increments are so, and then nothing else is asked. */
static bool counts_plainly(const struct nbpmu *pmu, const struct nbpmu_counter *counter, unsigned increment)
{
    return nbpmu_sound(pmu) && !(counter->cccr & CCCR_FORCE_OVF) &&
           counter->value + increment <= COUNTER_MASK;
}

unsigned nbpmu_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    enum nbpmu_request before = counter->request;
    unsigned raised = 0;

    /* The count after an overflow raises its PMI (R46, R47). With the choice pmi_every_count all later
     * counts do as well, while OVF is set (question 11.3). */
    if (nbpmu_faulty_for(pmu, FAULT_PMI_COUNT_LATE, n) && before == REQUEST_NEXT_COUNT &&
        counter->value == 0) {
        before = REQUEST_NONE; /* with this fault the PMI waits for one more count */
    }
    bool due = before == REQUEST_NEXT_COUNT || (before == REQUEST_STANDING && pmu->choices.pmi_every_count);
    if (!due && counts_plainly(pmu, counter, increment)) {
        counter->value += increment;
        return 0;
    }
    if (due) {
        raised |= raise_pmi(pmu, n);
    }

    bool carry = nbpmu_carries_out(pmu, n, increment) &&
                 !((counter->cccr & CCCR_COMPARE) && nbpmu_faulty(pmu, FAULT_OVF_NOT_COMPARED));
    bool forced = is_forced(pmu, n);
    uint64_t before_count = counter->value;
    counter->value = nbpmu_sum(pmu, n, increment); /* R27 */
    if (nbpmu_faulty_for(pmu, FAULT_OVF_NOT_STICKY, n)) {
        counter->cccr &= ~CCCR_OVF;
    }
    if (nbpmu_link_starts_at(pmu, before_count) != nbpmu_link_starts_at(pmu, counter->value)) {
        pmu->stale = true;
    }

    if (carry || forced) { /* R31 */
        uint64_t surplus = forced ? increment - 1 : counter->value;
        if (forced) {
            misforce(pmu, n, before_count);
            force_ovf(pmu, n);
        } else {
            set_ovf(pmu, n);
        }
        counter->request = REQUEST_NEXT_COUNT;
        if ((forced && pmu->choices.force_ovf_first_pmi) ||
            nbpmu_faulty_for(pmu, FAULT_PMI_AT_OVERFLOW, n)) { /* R48 */
            raised |= raise_pmi(pmu, n);
        } else if (surplus > 0 && pmu->choices.pmi_same_clock_surplus) { /* Question 11.4 */
            raised |= raise_pmi(pmu, n);
            /* The increment forced several overflows in this clock; the last one waits for the next count. */
            counter->request = forced ? REQUEST_NEXT_COUNT : REQUEST_STANDING;
        }
    }
    if (counter->request != before) {
        pmu->changed = true;
    }
    return raised;
}

/* R49: while OVF and OVF_PMI are set and the PMI was due, unmasking LVTPC raises it again. */
bool nbpmu_lvtpc_unmasked(struct nbpmu *pmu, unsigned lp)
{
    bool raised = false;
    nbpmu_sync(pmu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].raised && (pmi_targets(pmu, n) & (1u << lp)) &&
            !nbpmu_faulty_for(pmu, FAULT_PMI_NOT_AGAIN, n)) {
            nbpmu_tracef(pmu, "PMI to LP%u by counter %u again: OVF stands", lp, n);
            raised = true;
            pmu->counter[n].raised = !nbpmu_faulty(pmu, FAULT_PMI_AGAIN_ONCE);
        }
    }
    return raised;
}
