/*
 * Composed faults of the sum, the overflow, OVF and the PMI.
 */
#include "compose.h"

/* ---- The sum and its carries ---- */

/* Does the sum carry into this bit? Whether the increment has it makes no difference. */
static bool carries_into(const struct nbpmu *pmu, unsigned n, unsigned increment, unsigned bit)
{
    const uint64_t value = pmu->counter[n].value;
    return (value ^ increment ^ (value + increment)) >> bit & 1;
}

/* Does a counter wrap at the bit of the fault, and has the sum bits that it then lacks? */
static bool is_too_wide(const struct nbpmu *pmu, uint64_t sum)
{
    return is_stage(pmu, STAGE_CARRY) && deviates_by(pmu, DEVIATION_WRAPS) &&
           sum >> place_of(composition_of(pmu), PLACE_BIT);
}

/* The sum has a carry into the bit of the fault, or is too wide. wraps: this count has made it too wide. Is
 * there an overflow? */
static bool carry_deviates(struct nbpmu *pmu, unsigned n, uint64_t before, bool wraps, bool overflow)
{
    struct nbpmu_counter *counter = &pmu->counter[n], *neighbour = &pmu->counter[n ^ 1];
    const uint64_t bit = 1ull << place_of(composition_of(pmu), PLACE_BIT);
    switch (deviation_of(composition_of(pmu))) {
    case DEVIATION_NEVER:
        counter->value = (counter->value - bit) & COUNTER_MASK;
        return overflow;
    case DEVIATION_TWICE:
        counter->value = (counter->value + bit) & COUNTER_MASK;
        return overflow;
    case DEVIATION_STICKS:
        counter->value = before;
        return overflow;
    case DEVIATION_WRAPS:
        counter->value &= bit - 1;
        return wraps;
    case DEVIATION_OVERFLOWS:
        return true;
    default:
        neighbour->value = (neighbour->value + bit) & COUNTER_MASK;
        return overflow;
    }
}

static bool composed_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    struct nbpmu_counter *counter = &pmu->counter[n];
    const int bit = place_of(composition, PLACE_BIT);
    if (is_stage(pmu, STAGE_SUM) && is_effect(pmu))
        nbpmu_fault_affect(pmu, n);
    const uint64_t before = counter->value;
    const bool carries = is_stage(pmu, STAGE_CARRY) && carries_into(pmu, n, increment, (unsigned)bit);
    const bool overflow = nbpmu_add(pmu, n, increment);
    const uint64_t sum = counter->value;
    if (is_stage(pmu, STAGE_SUM) && is_effect(pmu)) {
        return overflow;
    } else if (is_stage(pmu, STAGE_SUM)) {
        const uint64_t deviating = nbpmu_deviating_number(composition, sum);
        if (deviating != sum && acts_in_clock(pmu, n)) {
            counter->value = deviating;
            pmu->changed = true;
        }
    } else if ((carries || is_too_wide(pmu, sum)) && acts_in_clock(pmu, n)) {
        pmu->changed = true;
        const uint64_t end = 1ull << bit;
        return carry_deviates(pmu, n, before, (before & (end - 1)) + increment >= end, overflow);
    }
    return overflow;
}

/* Something that is due comes so many counts later. Is it time? */
static bool is_late(struct nbpmu *pmu, unsigned n, bool now)
{
    struct life *life = life_of(pmu, n);
    const bool comes = life->waits && --life->left == 0;
    pmu->changed |= life->waits;
    if (comes)
        life->waits = false;
    if (now && !life->waits && nbpmu_fault_acts_at(pmu, n)) {
        life->waits = pmu->changed = true; /* the next count must not be skipped */
        life->left = composition_of(pmu)->amount;
        now = false;
    }
    return comes || now;
}

static bool composed_carry_out(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = pmu->counter[n].value, after = before + increment;
    const bool sound = nbpmu_add(pmu, n, increment);
    if (deviates_by(pmu, DEVIATION_LATE))
        return is_late(pmu, n, sound);
    if (deviates_by(pmu, DEVIATION_ONTO_0))
        return sound && !(pmu->counter[n].value != 0 && nbpmu_fault_acts_at(pmu, n));
    if (!deviates_by(pmu, DEVIATION_EARLY))
        return truth_of_counter(pmu, n, sound);
    /* From below 2^40 - 1 up to it, or further. */
    const bool early = before < COUNTER_MASK && after >= COUNTER_MASK;
    return early != sound && nbpmu_fault_acts_at(pmu, n) ? early : sound;
}

/* ---- Overflow, OVF, and the PMI ---- */

static uint32_t due_of_clock(struct nbpmu *pmu)
{
    defects_of(pmu)->overflowing = 0;
    return nbpmu_due(pmu);
}

/* The same of a fault that has to be asked in each clock, and does not say so when it is asked
 * (acts_in_clock()): a result of an ESCR is counted, or it depends on the clock before. */
static uint32_t due_of_each_clock(struct nbpmu *pmu)
{
    const uint32_t due = due_of_clock(pmu);
    pmu->changed |= due != 0;
    return due;
}

static bool is_asked_in_each_clock(const struct nbpmu_composition *composition)
{
    const enum history history = (enum history)composition->history;
    return (nbpmu_fault_stages[stage_of(composition)].act == ACT_ESCR &&
            (history == HISTORY_AFTER || history == HISTORY_EVERY)) ||
           nbpmu_fault_asks_about(composition, "counting");
}

/* By counter n, and by others in the same clock. */
static void composed_overflow(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    defects_of(pmu)->overflowing |= 1u << n;
    const bool concerned = is_stage(pmu, STAGE_OVF), stood = counter->cccr & CCCR_OVF;
    if (concerned && deviates_by(pmu, DEVIATION_LATE)) {
        struct life *life = life_of(pmu, n);
        if (!stood && !life->waits && nbpmu_fault_acts_at(pmu, n)) {
            life->waits = pmu->changed = true;
            life->left = composition_of(pmu)->amount;
        } else if (stood || !life->waits) {
            nbpmu_overflow(pmu, n);
        }
    } else if (concerned && deviates_by(pmu, DEVIATION_NEVER) && !stood && nbpmu_fault_acts_at(pmu, n)) {
        pmu->changed = true;
    } else {
        nbpmu_overflow(pmu, n);
        if (concerned && deviates_by(pmu, DEVIATION_INVERTED) && stood && acts_in_clock(pmu, n)) {
            counter->cccr &= ~CCCR_OVF;
            pmu->stale = true;
        }
        const unsigned also = also_reached(pmu, n);
        if (concerned && also != n && !has_bits(pmu, also, CCCR_OVF) && acts_in_clock(pmu, n)) {
            pmu->counter[also].cccr |= CCCR_OVF;
            pmu->stale = true;
        }
        if (concerned && is_effect(pmu))
            nbpmu_fault_affect(pmu, n);
    }
    nbpmu_fault_happened(pmu, n, HAPPENED_OVERFLOW);
}

/* A count of a counter whose PMI is due raises it one count later. */
static unsigned count_late(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    pmu->counter[n].request = REQUEST_NONE;
    const unsigned raised = nbpmu_count(pmu, n, increment);
    pmu->counter[n].request = REQUEST_NEXT_COUNT;
    pmu->changed = true;
    return raised;
}

/* A count of a counter whose OVF comes late. */
static unsigned count_to_late_ovf(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct life *life = life_of(pmu, n);
    const bool waited = life->waits;
    const unsigned raised = nbpmu_fault_count(pmu, n, increment);
    pmu->changed |= waited;
    if (waited && life->waits && --life->left == 0) {
        life->waits = false;
        nbpmu_overflow(pmu, n);
    }
    return raised;
}

static unsigned force_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    const bool forced = truth_of_counter(pmu, n, cccr & CCCR_FORCE_OVF);
    pmu->counter[n].cccr = with_field(cccr, CCCR_FORCE_OVF, forced ? CCCR_FORCE_OVF : 0);
    const unsigned raised = nbpmu_fault_count(pmu, n, increment);
    nbpmu_fault_return_cccr(pmu, n, CCCR_FORCE_OVF, cccr);
    return raised;
}

/* The PMI that is due waits for so many counts more. */
static unsigned late_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct life *life = life_of(pmu, n);
    if (!is_due(pmu, n)) {
        life->waits = false;
        return nbpmu_count(pmu, n, increment);
    }
    if (!life->waits) {
        if (!nbpmu_pmi_targets(pmu, n) || !acts_in_clock(pmu, n))
            return nbpmu_count(pmu, n, increment);
        life->waits = true;
        life->left = composition_of(pmu)->amount;
    } else if (life->left == 0) {
        life->waits = false;
        pmu->changed = true; /* the next one may be late, too */
        return nbpmu_count(pmu, n, increment);
    }
    life->left--;
    return count_late(pmu, n, increment);
}

static unsigned composed_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool is_late_by_fault = is_stage(pmu, STAGE_REQUEST) && deviates_by(pmu, DEVIATION_LATE);
    const bool was_due = is_due(pmu, n), is_put_off = life_of(pmu, n)->is_put_off;
    life_of(pmu, n)->is_put_off = false;
    if (is_put_off && was_due)
        return count_late(pmu, n, increment);
    unsigned raised = is_late_by_fault ? late_count(pmu, n, increment) : nbpmu_count(pmu, n, increment);
    if (is_stage(pmu, STAGE_REQUEST) && raised && deviates_by(pmu, DEVIATION_NEVER) &&
        acts_in_clock(pmu, n)) {
        counter->raised = false;
        raised = 0;
    }
    const bool is_early = is_stage(pmu, STAGE_REQUEST) && deviates_by(pmu, DEVIATION_EARLY);
    if (is_early && is_due(pmu, n) && (!was_due || raised) && acts_in_clock(pmu, n)) {
        raised |= nbpmu_raise_pmi(pmu, n);
        pmu->changed = true;
    }
    if (raised) {
        if (is_stage(pmu, STAGE_REQUEST) && is_effect(pmu))
            nbpmu_fault_affect(pmu, n);
        nbpmu_fault_happened(pmu, n, HAPPENED_PMI);
    }
    return raised;
}

/* With bit 39 the conditions change that ask for it. And an overflow may follow another one, by which the PMI
 * is due again (carry-out.early,until=overflow): the clock must not be repeated. */
unsigned nbpmu_fault_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = pmu->counter[n].value;
    const unsigned raised = composed_count(pmu, n, increment);
    pmu->changed |= (before ^ pmu->counter[n].value) >> (COUNTER_BITS - 1);
    return raised;
}

static unsigned composed_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    const unsigned sound = nbpmu_pmi_targets(pmu, n);
    const unsigned deviating = sound ? (unsigned)nbpmu_deviating_set(composition_of(pmu), sound) : 0;
    return deviating != sound && acts_in_clock(pmu, n) ? deviating : sound;
}

/* A request ends when OVF is cleared, or another one is due. */
static unsigned requested_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    if (!defects_of(pmu)->composed.asked_again)
        life_of(pmu, n)->act.drawn = false;
    return composed_pmi_targets(pmu, n);
}

static bool composed_pmi_again(struct nbpmu *pmu, unsigned lp)
{
    defects_of(pmu)->composed.asked_again = true;
    const bool sound = nbpmu_pmi_again(pmu, lp);
    defects_of(pmu)->composed.asked_again = false;
    if (!is_stage(pmu, STAGE_AGAIN) || deviates_by(pmu, DEVIATION_KEPT) ||
        !is_at(composition_of(pmu), PLACE_LP, lp) || !sound)
        return sound;
    return !nbpmu_fault_acts_anywhere(pmu);
}

/* ---- The table ---- */

void nbpmu_fault_compose_counts(struct nbpmu_stages *stages, const struct nbpmu_composition *composition)
{
    stages->overflow = composed_overflow;
    stages->count = nbpmu_fault_count;
    stages->pmi_again = composed_pmi_again;
    stages->due = is_asked_in_each_clock(composition) ? due_of_each_clock : due_of_clock;
    switch (stage_of(composition)) {
    case STAGE_SUM:
    case STAGE_CARRY:
        stages->add = composed_add;
        break;
    case STAGE_CARRY_OUT:
        stages->add = composed_carry_out;
        break;
    case STAGE_FORCE:
        stages->count = force_count;
        break;
    case STAGE_OVF:
        if (deviation_of(composition) == DEVIATION_LATE)
            stages->count = count_to_late_ovf;
        break;
    case STAGE_TARGETS:
        stages->pmi_targets = requested_pmi_targets;
        break;
    default:
        break;
    }
}
