/*
 * Faults of the adder, of OVF and of the PMI (R27 to R31, R43, R45 to R49, R55).
 */
#include "defects.h"

#define TO_LP0 1u
#define TO_LP1 2u

static struct counter_defects *of_counter(const struct nbpmu *pmu, unsigned n)
{
    return &defects_of(pmu)->counter[n];
}

/* ---- The adder (R27, R28) ---- */

/* Is this the fault of a bit of the adder, and does it strike counter n? */
static bool strikes(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return faulty_for(pmu, kind, n) && (fault_of(pmu)->to == EVERY_COUNTER || fault_of(pmu)->to == n);
}

static bool carries_into(unsigned bit, uint64_t before, unsigned increment)
{
    uint64_t below = 1ull << bit;
    return (before & (below - 1)) + increment >= below;
}

/* The sum of an adder whose carry into bit fault->at goes wrong. */
static uint64_t wrong_sum(const struct nbpmu *pmu, unsigned n, uint64_t before, unsigned increment)
{
    const unsigned bit = fault_of(pmu)->at;
    uint64_t sum = before + increment;
    if (strikes(pmu, FAULT_WRAPS_AT_BIT, n)) {
        return sum & FIELD_MASK64(bit - 1, 0);
    }
    if (strikes(pmu, FAULT_CARRY_LOST, n)) {
        return carries_into(bit, before, increment) ? sum - (1ull << bit) : sum;
    }
    if (strikes(pmu, FAULT_CARRY_STICKS, n)) {
        return carries_into(bit, before, increment) ? before : sum;
    }
    if (strikes(pmu, FAULT_CARRY_TWICE, n)) {
        return carries_into(bit, before, increment) ? sum + (1ull << bit) : sum;
    }
    return sum;
}

/* Is this increment taken for an overflow? */
static bool overflows(const struct nbpmu *pmu, unsigned n, uint64_t before, unsigned increment)
{
    uint64_t sum = before + increment;
    if ((pmu->counter[n].cccr & CCCR_COMPARE) && faulty(pmu, FAULT_OVF_NOT_COMPARED)) {
        return false;
    }
    if (strikes(pmu, FAULT_WRAPS_AT_BIT, n)) {
        return carries_into(fault_of(pmu)->at, before, increment);
    }
    if (faulty_for(pmu, FAULT_STEP_OVER_MISSED, n) || faulty_at(pmu, FAULT_STEP_OVER_MISSED_HERE, n)) {
        return sum == COUNTER_MASK + 1;
    }
    if (faulty_for(pmu, FAULT_OVF_EARLY, n)) { /* R29: OVF comes with that very count */
        return before != COUNTER_MASK && sum >= COUNTER_MASK;
    }
    if (faulty_for(pmu, FAULT_OVF_LATE, n)) {
        return before == 0 && increment;
    }
    bool carries = strikes(pmu, FAULT_OVF_AT_CARRY, n) && carries_into(fault_of(pmu)->at, before, increment);
    return carries || sum > COUNTER_MASK;
}

uint32_t nbpmu_counted(const struct nbpmu *pmu, unsigned n)
{
    return of_counter(pmu, n)->counted + (uint32_t)(pmu->counter[n].value - of_counter(pmu, n)->value);
}

void nbpmu_note_counted(struct nbpmu *pmu, unsigned n, uint32_t counted)
{
    of_counter(pmu, n)->counted = counted;
    of_counter(pmu, n)->value = pmu->counter[n].value;
}

bool nbpmu_faulty_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const uint64_t before = counter->value;
    const uint32_t counted = nbpmu_counted(pmu, n);
    bool lost = strikes(pmu, FAULT_COUNT_LOST, n) && carries_into(fault_of(pmu)->at, counted, increment);
    bool overflow = overflows(pmu, n, before, increment);
    uint64_t sum = wrong_sum(pmu, n, before, lost ? increment - 1 : increment) & COUNTER_MASK;
    counter->value = sum;
    nbpmu_note_counted(pmu, n, counted + increment);
    of_counter(pmu, n)->before_count = before;
    if (faulty_for(pmu, FAULT_OVF_NOT_STICKY, n)) {
        counter->cccr &= ~CCCR_OVF;
    }
    if (nbpmu_link_starts_at(pmu, before) != nbpmu_link_starts_at(pmu, sum)) {
        pmu->stale = true;
    }
    return overflow;
}

/* ---- OVF (R29) ---- */

/* By R28 and R37 a counter counts on, whether or not its overflow starts another one. */
static void stop_at_overflow(struct nbpmu *pmu, unsigned n)
{
    bool stops = faulty_for(pmu, FAULT_OVERFLOW_STOPS, n),
         stops_x = faulty_for(pmu, FAULT_CASCADE_STOPS_X, n);
    for (unsigned y = 0; y < PMC_COUNTERS && stops_x; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++) {
            stops |=
                (pmu->counter[y].cccr & nbpmu_link_bit(link)) && nbpmu_link_source(pmu, y, link) == (int)n;
        }
    }
    if (stops) {
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        pmu->stale = true;
    }
}

/* Each counter sets its own OVF, whatever else overflows in this clock. Is the OVF of n lost? */
static bool lost_beside_another(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    const uint32_t overflowing = defects_of(pmu)->overflowing |= 1u << n;
    if (faulty_at(pmu, FAULT_OVF_ALSO_ON, n)) {
        pmu->counter[fault->to].cccr |= CCCR_OVF;
    }
    if (faulty(pmu, FAULT_OVF_LOST_BESIDE) && fault->to == n && (overflowing >> fault->at & 1)) {
        pmu->counter[fault->at].cccr &= ~CCCR_OVF;
    }
    return faulty_at(pmu, FAULT_OVF_LOST_BESIDE, n) && (overflowing >> fault->to & 1);
}

static void set_ovf(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool stood = counter->cccr & CCCR_OVF;
    of_counter(pmu, n)->overflows++;
    if (lost_beside_another(pmu, n) || faulty_on(pmu, FAULT_OVF_MISSING, n) ||
        (faulty_at(pmu, FAULT_OVF_NTH_LOST, n) && of_counter(pmu, n)->overflows == fault_of(pmu)->to)) {
        return;
    }
    nbpmu_overflow(pmu, n);
    if (stood) {
        nbpmu_overflowed_again(pmu, n);
    }
    if ((counter->cccr & CCCR_OVF) && counter->ovf_by_hardware) { /* E9 may have kept it clear */
        nbpmu_overflowed(pmu, n);
        stop_at_overflow(pmu, n);
    }
}

/* By R31 a forced overflow sets OVF of its own counter and changes nothing else. */
void nbpmu_faulty_overflow(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    struct counter_defects *defects = of_counter(pmu, n);
    bool forced = counter->cccr & CCCR_FORCE_OVF, again = forced && defects->forced_once;
    defects->overflowed = true;
    defects->forced_once |= forced;
    if (forced && faulty_at(pmu, FAULT_FORCE_LOSES_COUNT, n)) {
        counter->value = defects->before_count;
    } else if (forced && faulty(pmu, FAULT_FORCE_CLEARS)) {
        counter->value = 0;
    }
    if (forced && faulty_at(pmu, FAULT_FORCE_ON_OTHER, n)) {
        set_ovf(pmu, fault_of(pmu)->to);
    } else if (!(again && faulty_at(pmu, FAULT_FORCE_ONCE, n))) {
        set_ovf(pmu, n);
    }
}

/* Has FORCE_OVF of counter n no effect? */
static bool force_is_dead(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    return faulty(pmu, FAULT_FORCE_IGNORED) || faulty_on(pmu, FAULT_FORCE_DEAD, n) ||
           ((counter->cccr & CCCR_COMPARE) && faulty_at(pmu, FAULT_FORCE_DEAD_COMPARED, n)) ||
           (faulty_at(pmu, FAULT_FORCE_DEAD_SEVERAL, n) && counter->escr_index != NO_ESCR &&
            pmu->escr[counter->escr_index].sum > 1) ||
           (faulty(pmu, FAULT_FORCE_DEAD_BESIDE) && (counter->cccr >> fault_of(pmu)->at & 1)) ||
           (faulty(pmu, FAULT_FORCE_POSITIVE_ONLY) && counter->value > COUNTER_MASK / 2);
}

/* ---- PMI (R45 to R49) ---- */

/* By R45 the flags of a counter's own CCCR choose. */
static uint32_t by_twin(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const uint32_t flags = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
    const uint32_t of_twin = pmu->counter[n < 16 ? n ^ 1 : n - 4].cccr & flags;
    if (!faulty_at(pmu, FAULT_PMI_OF_TWIN, n) || !(cccr & flags) || !of_twin) {
        return cccr;
    }
    return fault_of(pmu)->to ? cccr | of_twin : (cccr & ~flags) | of_twin;
}

unsigned nbpmu_faulty_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const uint32_t cccr = counter->cccr;
    bool forced = cccr & CCCR_FORCE_OVF;
    if (faulty_on(pmu, FAULT_PMI_MISSING, n) || (forced && faulty_at(pmu, FAULT_PMI_FORCED_DEAD, n)) ||
        faulty(pmu, forced ? FAULT_FORCE_WITHOUT_PMI : FAULT_PMI_ONLY_FORCED) ||
        (faulty(pmu, FAULT_CASCADE_PMI_LOST) && (cccr & (CCCR_CASCADE | CCCR_CASCNT)))) {
        return 0;
    }
    counter->cccr = by_twin(pmu, n, nbpmu_seen_cccr(pmu, n)) |
                    (faulty_for(pmu, FAULT_PMI_UNASKED, n) ? CCCR_OVF_PMI_T0 : 0);
    unsigned targets = nbpmu_pmi_targets(pmu, n);
    counter->cccr = cccr;
    if (faulty(pmu, FAULT_PMI_T0_DEAD)) {
        return targets & ~TO_LP0;
    }
    if (faulty(pmu, FAULT_PMI_T1_DEAD) || faulty_on(pmu, FAULT_PMI_T1_MISSING, n)) {
        return targets & ~TO_LP1;
    }
    if (forced && (targets & TO_LP0) && faulty(pmu, FAULT_PMI_FORCED_ONE_TARGET)) {
        return TO_LP0;
    }
    if (faulty_for(pmu, FAULT_PMI_SWAPPED, n)) {
        return (targets & TO_LP0 ? TO_LP1 : 0) | (targets & TO_LP1 ? TO_LP0 : 0);
    }
    return targets && faulty_for(pmu, FAULT_PMI_TO_BOTH, n) ? TO_LP0 | TO_LP1 : targets;
}

/* Is the PMI of counter n that is about to come lost? */
static bool pmi_lost(struct nbpmu *pmu, unsigned n)
{
    return faulty_at(pmu, FAULT_PMI_IN_A_ROW, of_counter(pmu, n)->in_a_row++) ||
           (faulty_at(pmu, FAULT_PMI_DEAD_ABOVE_CPL_0, n) && (pmu->lp[0].cpl > 0 || pmu->lp[1].cpl > 0)) ||
           (defects_of(pmu)->raised && faulty(pmu, FAULT_PMI_SAME_CLOCK_LOST)); /* R46 */
}

unsigned nbpmu_faulty_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool freezes = faulty_for(pmu, FAULT_PMI_FREEZES, n);
    const uint32_t force = counter->cccr & CCCR_FORCE_OVF;
    const uint32_t acts = force_is_dead(pmu, n) ? 0 : nbpmu_seen_cccr(pmu, n) & CCCR_FORCE_OVF;
    const bool late =
        ((faulty_for(pmu, FAULT_PMI_COUNT_LATE, n) && counter->value == 0) || of_counter(pmu, n)->put_off) &&
        counter->request == REQUEST_NEXT_COUNT;
    if (nbpmu_counts_pmi_alone(pmu, n)) {
        const bool due = counter->request == REQUEST_NEXT_COUNT;
        pmu->stale = pmu->changed = pmu->stale || due;
        return due ? nbpmu_raise_pmi(pmu, n) : 0;
    }
    of_counter(pmu, n)->put_off = false;
    const enum nbpmu_request request = counter->request;
    const bool changed = pmu->changed;
    counter->request = late ? REQUEST_NONE : request;
    counter->cccr = (counter->cccr & ~CCCR_FORCE_OVF) | acts;
    of_counter(pmu, n)->overflowed = false;
    unsigned raised = nbpmu_count(pmu, n, increment);
    counter->cccr = (counter->cccr & ~CCCR_FORCE_OVF) | force;
    if (late) { /* the PMI waits for one more count */
        counter->request = REQUEST_NEXT_COUNT;
        pmu->changed = true;
    }
    if (of_counter(pmu, n)->overflowed && counter->request == REQUEST_NEXT_COUNT &&
        faulty_for(pmu, FAULT_PMI_AT_OVERFLOW, n)) { /* R47 */
        raised |= nbpmu_raise_pmi(pmu, n);
        pmu->changed = changed || counter->request != request;
    }
    if (increment > 1 && counter->request == REQUEST_NEXT_COUNT &&
        faulty_at(pmu, FAULT_PMI_DEAD_SEVERAL, n)) {
        counter->request = REQUEST_NONE;
    }
    if (raised && pmi_lost(pmu, n)) {
        counter->raised = false;
        raised = 0;
    }
    if (raised && freezes) { /* R43 */
        counter->cccr &= ~CCCR_ENABLE;
        pmu->stale = true;
    }
    defects_of(pmu)->raised |= raised;
    return raised;
}

bool nbpmu_faulty_pmi_again(struct nbpmu *pmu, unsigned lp)
{
    uint32_t hidden = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].raised && faulty_for(pmu, FAULT_PMI_NOT_AGAIN, n)) {
            hidden |= 1u << n;
            pmu->counter[n].raised = false;
        }
    }
    bool again = nbpmu_pmi_again(pmu, lp);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        bool served = faulty(pmu, FAULT_PMI_AGAIN_ONCE) && (nbpmu_faulty_pmi_targets(pmu, n) & (1u << lp));
        pmu->counter[n].raised = (pmu->counter[n].raised || (hidden >> n & 1)) && !served;
    }
    return again;
}
