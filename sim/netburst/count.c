/*
 * A counter advances: overflow and OVF (R27-R31), and the PMI on the next count (R45-R49, E3, E5).
 */
#include "private.h"

#define TO_LP0 1u
#define TO_LP1 2u

/* E3: all of model 2, and models 0 and 1 above stepping 9, raise no PMI for a counter in cascade mode. */
static bool pmi_lost_in_cascade(const struct pmu *pmu, const struct pmu_counter *counter)
{
    const struct pmu_config *config = &pmu->config;
    if (pmu_faulty(pmu, FAULT_CASCADE_PMI_LOST)) { /* R55: on any part */
        return counter->cccr & (CCCR_CASCADE | CCCR_CASCNT);
    }
    if (config->no_e3 || !(config->model == 2 || (config->model < 2 && config->stepping > 9))) {
        return false;
    }
    if (config->e3_when_started) {
        return pmu_linked(counter);
    }
    return counter->cccr & (CCCR_CASCADE | CCCR_CASCNT);
}

/* Deviations from R45 and R48 in whom a PMI reaches. */
static unsigned misdirected(const struct pmu *pmu, const struct pmu_counter *counter, unsigned targets)
{
    bool forced = counter->cccr & CCCR_FORCE_OVF;
    if (pmu_faulty(pmu, FAULT_PMI_SWAPPED)) {
        return (targets & TO_LP0 ? TO_LP1 : 0) | (targets & TO_LP1 ? TO_LP0 : 0);
    }
    if (pmu_faulty(pmu, FAULT_PMI_TO_BOTH)) {
        return targets ? TO_LP0 | TO_LP1 : 0;
    }
    if (pmu_faulty(pmu, FAULT_PMI_UNASKED)) {
        return targets | TO_LP0;
    }
    if (pmu_faulty(pmu, forced ? FAULT_FORCE_WITHOUT_PMI : FAULT_PMI_ONLY_FORCED)) {
        return 0;
    }
    return targets;
}

/* R45: OVF_PMI_T0 to LP0, OVF_PMI_T1 to LP1; without HT only bit 26. E5: 0F44H has no OVF_PMI_T1. */
unsigned pmu_pmi_targets(const struct pmu *pmu, unsigned n)
{
    const struct pmu_counter *counter = &pmu->counter[n];
    bool no_t1 = !pmu->config.ht || (pmu->config.model == 4 && pmu->config.stepping == 4) ||
                 pmu_faulty_at(pmu, FAULT_PMI_T1_MISSING, n);
    unsigned targets = 0;
    if (pmi_lost_in_cascade(pmu, counter) || pmu_faulty_at(pmu, FAULT_PMI_MISSING, n)) {
        return 0;
    }
    if ((counter->cccr & CCCR_OVF_PMI_T0) && !pmu_faulty(pmu, FAULT_PMI_T0_DEAD)) {
        targets |= TO_LP0;
    }
    if ((counter->cccr & CCCR_OVF_PMI_T1) && !no_t1 && !pmu_faulty(pmu, FAULT_PMI_T1_DEAD)) {
        targets |= TO_LP1;
    }
    return misdirected(pmu, counter, targets);
}

static unsigned raise_pmi(struct pmu *pmu, unsigned n)
{
    unsigned targets = pmu_pmi_targets(pmu, n);
    pmu->counter[n].request = REQUEST_STANDING;
    pmu->counter[n].raised = true;
    if (targets && pmu_faulty(pmu, FAULT_PMI_FREEZES)) { /* R43 */
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        pmu->stale = true;
    }
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

/* R28, R37: a counter goes on after its overflow, whether or not that starts another one. */
static void stop_at_overflow(struct pmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum pmu_link link = 0; link < LINKS; link++) {
            bool armed = pmu->counter[y].cccr & pmu_link_bit(link);
            if (pmu_faulty(pmu, FAULT_OVERFLOW_STOPS) || (armed && pmu_link_source(pmu, y, link) == (int)n)) {
                pmu->counter[n].cccr &= ~CCCR_ENABLE;
                pmu->stale = true;
            }
        }
    }
}

/* R29: OVF is sticky; a second overflow finds it set. */
static void set_ovf(struct pmu *pmu, unsigned n)
{
    struct pmu_counter *counter = &pmu->counter[n];
    bool stood = (counter->cccr & CCCR_OVF) && counter->ovf_by_hardware;
    if (pmu_faulty_at(pmu, FAULT_OVF_MISSING, n) || (!stood && pmu_leaves_unflagged(pmu, n))) {
        return;
    }
    if (!stood) {
        pmu_tracef(pmu, "counter %u overflows", n);
        pmu->stale = true;
    }
    counter->cccr |= CCCR_OVF;
    counter->ovf_by_hardware = true;
    if (pmu->config.cascade_start == PMU_CASCADE_LATCH) {
        latch_partners(pmu, n);
    }
    if (pmu_faulty(pmu, FAULT_OVERFLOW_STOPS) || pmu_faulty(pmu, FAULT_CASCADE_STOPS_X)) {
        stop_at_overflow(pmu, n);
    }
}

/* R28: overflow is the carry out of bit 39. */
static bool carries(const struct pmu *pmu, uint64_t before, unsigned increment)
{
    uint64_t sum = before + increment;
    if (pmu_faulty(pmu, FAULT_WRAPS_AT_BIT)) {
        uint64_t limit = 1ull << pmu->config.fault.at;
        return before % limit + increment >= limit;
    }
    if (pmu_faulty(pmu, FAULT_STEP_OVER_MISSED)) {
        return sum == COUNTER_MASK + 1;
    }
    if (pmu_faulty(pmu, FAULT_OVF_EARLY)) { /* R29: OVF comes with that very count */
        return before != COUNTER_MASK && sum >= COUNTER_MASK;
    }
    if (pmu_faulty(pmu, FAULT_OVF_LATE)) {
        return before == 0 && increment;
    }
    if (pmu_faulty(pmu, FAULT_OVF_AT_CARRY)) {
        uint64_t below = 1ull << pmu->config.fault.at;
        return sum > COUNTER_MASK || before % below + increment >= below;
    }
    return sum > COUNTER_MASK;
}

/* R31: with FORCE_OVF, from whatever count. */
static bool is_forced(const struct pmu *pmu, unsigned n)
{
    const struct pmu_counter *counter = &pmu->counter[n];
    if (pmu_faulty(pmu, FAULT_FORCE_IGNORED) || pmu_faulty_at(pmu, FAULT_FORCE_DEAD, n)) {
        return false;
    }
    bool negative = counter->value > COUNTER_MASK / 2;
    return (counter->cccr & CCCR_FORCE_OVF) && !(negative && pmu_faulty(pmu, FAULT_FORCE_POSITIVE_ONLY));
}

unsigned pmu_count(struct pmu *pmu, unsigned n, unsigned increment)
{
    struct pmu_counter *counter = &pmu->counter[n];
    enum pmu_request before = counter->request;
    unsigned raised = 0;

    /* R46, R47: this count raises the PMI of the overflow before it. Question 11.3: once, or at every count.
     */
    if (pmu_faulty(pmu, FAULT_PMI_COUNT_LATE) && before == REQUEST_NEXT_COUNT && counter->value == 0) {
        before = REQUEST_NONE; /* the count after this one */
    }
    if (before == REQUEST_NEXT_COUNT || (before == REQUEST_STANDING && pmu->config.pmi_every_count)) {
        raised |= raise_pmi(pmu, n);
    }

    bool carry = carries(pmu, counter->value, increment) &&
                 !((counter->cccr & CCCR_COMPARE) && pmu_faulty(pmu, FAULT_OVF_NOT_COMPARED));
    bool forced = is_forced(pmu, n);
    uint64_t before_count = counter->value;
    counter->value = (counter->value + increment) & COUNTER_MASK; /* R27 */
    if (pmu_faulty(pmu, FAULT_OVF_NOT_STICKY)) {
        counter->cccr &= ~CCCR_OVF;
    } else if (pmu_faulty(pmu, FAULT_WRAPS_AT_BIT)) {
        counter->value &= (1ull << pmu->config.fault.at) - 1;
    }
    if (pmu_link_starts_at(pmu, before_count) != pmu_link_starts_at(pmu, counter->value)) {
        pmu->stale = true;
    }

    if (carry || forced) { /* R31: forced, every increment overflows */
        uint64_t surplus = forced ? increment - 1 : counter->value;
        set_ovf(pmu, n);
        counter->request = REQUEST_NEXT_COUNT;
        if ((forced && pmu->config.force_ovf_first_pmi) || pmu_faulty(pmu, FAULT_PMI_AT_OVERFLOW)) { /* R48 */
            raised |= raise_pmi(pmu, n);
        } else if (surplus > 0 && pmu->config.pmi_same_clock_surplus) { /* Question 11.4 */
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
    pmu_settle(pmu);
    if (pmu_faulty(pmu, FAULT_PMI_NOT_AGAIN)) {
        return false;
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].raised && (pmu_pmi_targets(pmu, n) & (1u << lp))) {
            pmu_tracef(pmu, "PMI to LP%u by counter %u again: OVF stands", lp, n);
            raised = true;
        }
    }
    return raised;
}
