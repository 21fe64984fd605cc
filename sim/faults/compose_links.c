/*
 * Composed faults of who counts: ENABLE and cascades.
 */
#include "compose.h"

/* ---- Who counts ---- */

static bool is_of_link(const struct nbpmu *pmu, enum nbpmu_link link)
{
    return is_at(composition_of(pmu), PLACE_LINK, link);
}

/* An act of a counter that runs: it ends when the sound result changes, or when both agree that it does not
 * run. */
static bool acts_in_run(struct nbpmu *pmu, unsigned n, bool sound, bool deviating)
{
    struct act *act = &life_of(pmu, n)->act;
    if (act->sound != sound || (!sound && deviating == sound))
        act->drawn = false;
    act->sound = sound;
    return deviating != sound && nbpmu_fault_acts_at(pmu, n);
}

static bool starts_of(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, int x)
{
    struct nbpmu_counter *source = &pmu->counter[x], before = *source;
    source->cccr |= CCCR_OVF;
    source->ovf_by_hardware = true;
    const bool latched = pmu->counter[n].latched[link];
    pmu->counter[n].latched[link] = true;
    const bool runs = nbpmu_link_runs(pmu, n, link);
    *source = before;
    pmu->counter[n].latched[link] = latched;
    return runs;
}

static bool linked_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool early = deviates_by(pmu, DEVIATION_EARLY);
    const uint64_t at = early ? COUNTER_MASK : composition_of(pmu)->amount, before = pmu->counter[n].value;
    const bool overflow = nbpmu_add(pmu, n, increment);
    const uint64_t after = pmu->counter[n].value;
    pmu->stale |= early ? (before == at) != (after == at) : (before < at) != (after < at);
    return overflow;
}

/* Runs Y by this link as if its flag were set? */
static bool runs_unarmed(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    const uint32_t cccr = y->cccr;
    y->cccr |= nbpmu_link_bit(link);
    const bool runs = nbpmu_link_runs(pmu, n, link);
    y->cccr = cccr;
    return runs;
}

/* The flag is not needed: at all, or after a start. */
static bool runs_without_flag(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, bool sound)
{
    const bool linked = pmu->counter[n].linked[link], armed = pmu->counter[n].cccr & nbpmu_link_bit(link);
    switch (deviation_of(composition_of(pmu))) {
    case DEVIATION_UNARMED:
        return sound || runs_unarmed(pmu, n, link);
    case DEVIATION_KEPT_BY_OVF:
        return sound || (linked && runs_unarmed(pmu, n, link));
    case DEVIATION_KEPT_BY_EITHER:
        return sound || (linked && (armed || runs_unarmed(pmu, n, link)));
    default:
        return sound;
    }
}

static bool composed_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    const bool sound = nbpmu_link_runs(pmu, n, link);
    const int x = y->cccr & nbpmu_link_bit(link) ? nbpmu_link_source(pmu, n, link) : -1;
    if (!is_of_link(pmu, link))
        return sound;
    bool deviating = runs_without_flag(pmu, n, link, sound);
    if (deviating != sound)
        return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
    if (x < 0)
        return sound;
    const uint64_t value = pmu->counter[x].value;
    switch (deviation_of(composition_of(pmu))) {
    case DEVIATION_NEVER:
        deviating = false;
        break;
    case DEVIATION_ALWAYS:
        deviating = starts_of(pmu, n, link, x);
        break;
    case DEVIATION_INVERTED:
        deviating = !sound && starts_of(pmu, n, link, x);
        break;
    case DEVIATION_EARLY:
        deviating = sound || (value == COUNTER_MASK && starts_of(pmu, n, link, x));
        break;
    case DEVIATION_LATE:
        deviating = sound && value >= composition_of(pmu)->amount;
        break;
    case DEVIATION_KEPT:
        deviating = sound || y->linked[link];
        break;
    default: /* what else a start does */
        if (sound && !y->linked[link]) {
            life_of(pmu, n)->act.drawn = false;
            nbpmu_fault_affect(pmu, n);
        }
        return sound;
    }
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

/* A counter that this link cannot start has no other source either. */
static int other_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const int sound = nbpmu_link_source(pmu, n, link);
    if (sound < 0 || !is_of_link(pmu, link))
        return sound;
    const unsigned other = nbpmu_deviating_index(composition_of(pmu), (unsigned)sound, PMC_COUNTERS);
    return other < PMC_COUNTERS && other != n ? (int)other : -1;
}

/* For 17 the X is 13 by one reading and 15 by the other (R34): the fault has the other one. */
static bool also_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, bool sound)
{
    if (!is_of_link(pmu, link) || !nbpmu_fault_at_counter(pmu, n))
        return sound;
    const unsigned named = composition_of(pmu)->amount;
    const unsigned other = (int)named == nbpmu_link_source(pmu, n, link) ? named ^ 2 : named;
    const bool armed = pmu->counter[n].cccr & nbpmu_link_bit(link);
    const bool deviating = sound || (armed && nbpmu_ovf_starts(pmu, &pmu->counter[other]));
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

/* A counter that the fault starts by bit 11 has the bit. */
static uint64_t composed_cccr_kept(const struct nbpmu *pmu, unsigned n)
{
    return nbpmu_cccr_kept(pmu, n) |
           (nbpmu_fault_at_counter(pmu, n) && is_of_link(pmu, LINK_CASCNT) ? CCCR_CASCNT : 0);
}

/* The source is wrong as long as the counter runs, or does not. */
static bool source_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const bool sound = nbpmu_link_runs(pmu, n, link);
    if (deviates_by(pmu, DEVIATION_ALSO_BY))
        return also_link_runs(pmu, n, link, sound);
    const int other = pmu->counter[n].cccr & nbpmu_link_bit(link) ? other_source(pmu, n, link) : -1;
    const bool is_open = pmu->variants.force_ovf_breaks_cascade && other >= 0 &&
                         (has_bits(pmu, n, CCCR_FORCE_OVF) || has_bits(pmu, (unsigned)other, CCCR_FORCE_OVF));
    const bool deviating =
        is_of_link(pmu, link) ? other >= 0 && !is_open && nbpmu_ovf_starts(pmu, &pmu->counter[other]) : sound;
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

static bool composed_counts(struct nbpmu *pmu, unsigned n)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    const bool sound = nbpmu_counts(pmu, n);
    bool deviating = sound || (pmu->running >> n & 1); /* kept: it cannot stop */
    if (deviates_by(pmu, DEVIATION_NEVER)) {
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        deviating = nbpmu_counts(pmu, n);
        pmu->counter[n].cccr = cccr;
    } else if (deviates_by(pmu, DEVIATION_ALWAYS)) {
        deviating = sound || pmu->counter[n].has_event;
    }
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

/* ---- The table ---- */

void nbpmu_fault_compose_links(struct nbpmu_stages *stages, const struct nbpmu_composition *composition)
{
    const enum deviation deviation = deviation_of(composition);
    switch (stage_of(composition)) {
    case STAGE_LINK_SOURCE:
        stages->link_runs = source_link_runs;
        if (deviation == DEVIATION_ALSO_BY)
            stages->cccr_kept = composed_cccr_kept;
        break;
    case STAGE_LINK:
        stages->link_runs = composed_link_runs;
        if (deviation == DEVIATION_EARLY || deviation == DEVIATION_LATE)
            stages->add = linked_add;
        break;
    case STAGE_ENABLE:
        stages->counts = composed_counts;
        break;
    default:
        break;
    }
}
