/*
 * A fault that strikes now and then: once in N of its acts, drawn once for each act and held for as long as
 * the act lasts, never drawn anew with a clock. An act is only what the fault would change: the draw is made
 * when the outcome of the sound function and that of the fault's function first differ. Elsewhere the fault's
 * function runs, since it may note something.
 *
 * What an act is depends on the stage that deviates:
 *
 *   link_runs, counts        a start, or a halt that is missed: from the first difference on until the sound
 *    (link_source is part     result changes, or both agree that the counter does not run
 *    of link_runs)
 *   add, overflow, count     one carry, one overflow, one count that overflows or raises a PMI
 *   pmi_targets              one request of a PMI, for as long as it stands (R49)
 *   write, read,             one access, INIT, change of a logical processor or unmasking of LVTPC
 *    read_counter, init,
 *    change_lp, pmi_again
 *   route, gate_open,        a window of the counter: from one write of its CCCR to the next
 *    filter
 *   value, decode_escr,      a window of the ESCR: from one write of the ESCR to the next. If a fault names
 *    matches, qualifies,      one of these stages, all its stages of a counter (counts, count) follow the
 *    clock_qualifies, tag     window of the ESCR that the counter selects
 *   cccr_kept, distance,     no acts: with faults they only prepare what another stage does. Of `count`,
 *    due, links_at            FORCE_OVF taken or dead is a window of the counter
 *
 * With the variant cascade_latch a start by an overflow that a fault takes from another counter cannot be
 * drawn: it is the sound counter whose overflow is latched.
 */
#include "faults.h"

#include <string.h>

static struct rate *rate_of(const struct nbpmu *pmu)
{
    return &defects_of(pmu)->rate;
}

/* The table of the fault. */
static const struct nbpmu_stages *faulty_of(const struct nbpmu *pmu)
{
    return &defects_of(pmu)->stages;
}

static const struct nbpmu_fault_row *row_of(const struct nbpmu *pmu)
{
    return fault_of(pmu)->row;
}

/* ---- The draw ---- */

/* One more act. Is it struck? */
static bool is_struck(const struct nbpmu *pmu)
{
    struct rate *rate = rate_of(pmu);
    const bool struck = nbpmu_fault_strikes(fault_of(pmu), ++rate->acts);
    rate->struck += struck;
    return struck;
}

/* The draw of an act that lasts, which is made at the first difference. Does the fault's function act now? */
static bool acts_in(const struct nbpmu *pmu, struct act *act, bool differs)
{
    if (!act->drawn && differs) {
        act->drawn = true;
        act->struck = is_struck(pmu);
    }
    return !act->drawn || act->struck;
}

/* ---- Acts that are one call of something that happens seldom: copies of the PMU show both outcomes ---- */

struct trial {
    struct nbpmu pmu;
    struct defects defects;
};

static struct nbpmu *begin_trial(struct trial *trial, const struct nbpmu *pmu, bool faulty)
{
    trial->pmu = *pmu;
    trial->defects = *defects_of(pmu);
    trial->pmu.defects = &trial->defects;
    trial->pmu.stages = faulty ? &trial->defects.rate.tried : &trial->defects.rate.sound;
    trial->pmu.trace = NULL;
    return &trial->pmu;
}

static bool are_alike(const struct nbpmu *pmu, const struct nbpmu *other)
{
    return memcmp(pmu->counter, other->counter, sizeof pmu->counter) == 0 &&
           memcmp(pmu->escr, other->escr, sizeof pmu->escr) == 0 &&
           memcmp(pmu->lp, other->lp, sizeof pmu->lp) == 0 && pmu->precise_event == other->precise_event &&
           pmu->pebs_enable == other->pebs_enable && pmu->pebs_matrix_vert == other->pebs_matrix_vert;
}

/* Does the fault's function act? If the act is spared, what the function notes of it is kept all the same. */
static bool acts_once(struct nbpmu *pmu, const struct trial *sound, const struct trial *faulty,
                      const uint64_t result[2])
{
    struct defects *defects = defects_of(pmu);
    if ((result[0] == result[1] && are_alike(&sound->pmu, &faulty->pmu)) || is_struck(pmu))
        return true;
    memcpy(defects->counter, faulty->defects.counter, sizeof defects->counter);
    memcpy(defects->escr, faulty->defects.escr, sizeof defects->escr);
    defects->noted = faulty->defects.noted;
    return false;
}

/* What a call gives, as a number. */
#define RESULT(call)    ((uint64_t)(call))
#define NO_RESULT(call) ((call), (uint64_t)0)
#define READING(call)   ((call) ? *value : UINT64_MAX)

#define BY_CALL(type, name, parameters, arguments, result_of)                                      \
    static bool acts_in_##name parameters                                                          \
    {                                                                                              \
        struct trial sound, faulty;                                                                \
        struct nbpmu *const real = pmu;                                                            \
        uint64_t result[2];                                                                        \
        pmu = begin_trial(&sound, real, false);                                                    \
        result[0] = result_of(nbpmu_##name arguments);                                             \
        pmu = begin_trial(&faulty, real, true);                                                    \
        result[1] = result_of(faulty_of(pmu)->name arguments);                                     \
        return acts_once(real, &sound, &faulty, result);                                           \
    }                                                                                              \
    static type rated_##name parameters                                                            \
    {                                                                                              \
        return acts_in_##name arguments ? faulty_of(pmu)->name arguments : nbpmu_##name arguments; \
    }
NBPMU_STAGE_write(BY_CALL, RESULT) NBPMU_STAGE_read(BY_CALL, READING)
    NBPMU_STAGE_read_counter(BY_CALL, READING) NBPMU_STAGE_init(BY_CALL, NO_RESULT)
        NBPMU_STAGE_change_lp(BY_CALL, NO_RESULT) NBPMU_STAGE_pmi_again(BY_CALL, RESULT)
            NBPMU_STAGE_overflow(BY_CALL, NO_RESULT) NBPMU_STAGE_count(BY_CALL, RESULT)

    /* A write ends the windows of its register. */
    static bool ends_windows(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const enum nbpmu_register kind = nbpmu_register_of(msr);
    const struct nbpmu_fault_row *row = row_of(pmu);
    if (kind == REG_CCCR && !nbpmu_write_faults(pmu, msr, value))
        rate_of(pmu)->window[msr - MSR_CCCR(0)].drawn = false;
    if (kind == REG_ESCR && !nbpmu_write_faults(pmu, msr, value))
        rate_of(pmu)->escr[ESCR_INDEX(msr)].drawn = false;
    if (row->write || row->counter_holds || row->cccr_holds || row->escr_holds || row->then || row->clears)
        return rated_write(pmu, lp, msr, value);
    return faulty_of(pmu)->write(pmu, lp, msr, value);
}

/* What the room's own `overflow` notes (stages.c) holds of a spared one, too. */
static void notes_overflow(struct nbpmu *pmu, unsigned n)
{
    defects_of(pmu)->overflowing |= 1u << n;
    rated_overflow(pmu, n);
}

/* A count that neither overflows nor raises a PMI is no act. */
static unsigned seldom_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    const bool overflows = is_forced(pmu, n) || counter->value + increment > COUNTER_MASK;
    const bool raises = counter->request != REQUEST_NONE;
    return overflows || raises ? rated_count(pmu, n, increment) : faulty_of(pmu)->count(pmu, n, increment);
}

/* The sum changes its counter alone. */
static bool rated_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n], before = *counter;
    const bool sound = nbpmu_add(pmu, n, increment);
    const struct nbpmu_counter sum = *counter;
    *counter = before;
    const bool overflow = faulty_of(pmu)->add(pmu, n, increment);
    if ((overflow == sound && memcmp(counter, &sum, sizeof sum) == 0) || is_struck(pmu))
        return overflow;
    *counter = sum;
    return sound;
}

/* ---- A request of a PMI: asked for when it is raised, and again for as long as it stands ---- */

static unsigned rated_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    struct rate *rate = rate_of(pmu);
    const unsigned sound = nbpmu_pmi_targets(pmu, n), targets = faulty_of(pmu)->pmi_targets(pmu, n);
    if (!rate->asked_again)
        rate->pmi[n].drawn = false;
    return acts_in(pmu, &rate->pmi[n], targets != sound) ? targets : sound;
}

static bool asks_again(struct nbpmu *pmu, unsigned lp)
{
    rate_of(pmu)->asked_again = true;
    const bool again = nbpmu_pmi_again(pmu, lp);
    rate_of(pmu)->asked_again = false;
    return again;
}

/* ---- Windows of a CCCR and of an ESCR ---- */

static struct act *window_of(const struct nbpmu *pmu, unsigned n)
{
    return &rate_of(pmu)->window[n];
}

/* Of an ESCR, or of what goes on tagging in its place (E23). */
static struct act *window_of_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return &rate_of(pmu)->escr[(escr - pmu->escr) % (int)ESCR_INDICES];
}

/* Of the ESCR that counter n selects. Null: it selects none. */
static struct act *window_of_selected(const struct nbpmu *pmu, unsigned n)
{
    const int escr_index = pmu->counter[n].escr_index;
    return escr_index == NO_ESCR ? NULL : &rate_of(pmu)->escr[escr_index];
}

#define IN_WINDOW(type, name, parameters, arguments, window)      \
    static type rated_##name parameters                           \
    {                                                             \
        struct act *const act = window;                           \
        if (!act || (act->drawn && !act->struck))                 \
            return nbpmu_##name arguments;                        \
        const type given = faulty_of(pmu)->name arguments;        \
        if (act->drawn)                                           \
            return given;                                         \
        const type sound = nbpmu_##name arguments;                \
        return acts_in(pmu, act, given != sound) ? given : sound; \
    }
NBPMU_STAGE_route(IN_WINDOW, window_of(pmu, n)) NBPMU_STAGE_gate_open(IN_WINDOW, window_of(pmu, n))
    NBPMU_STAGE_value(IN_WINDOW, window_of_selected(pmu, n))
        NBPMU_STAGE_matches(IN_WINDOW, window_of_escr(pmu, escr))
            NBPMU_STAGE_qualifies(IN_WINDOW, window_of_escr(pmu, escr))
                NBPMU_STAGE_clock_qualifies(IN_WINDOW, window_of_escr(pmu, escr))
                    NBPMU_STAGE_tag(IN_WINDOW, window_of_escr(pmu, escr))

    /* The edge filter has a state, which the fault may change, too, or that of the other counter that it
       strikes. */
    static unsigned rated_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct act *const act = window_of(pmu, n);
    if (act->drawn)
        return act->struck ? faulty_of(pmu)->filter(pmu, n, value, gate_open)
                           : nbpmu_filter(pmu, n, value, gate_open);
    struct nbpmu_counter *counter = &pmu->counter[n], before = *counter;
    struct nbpmu_counter *other = fault_of(pmu)->other ? other_of(pmu) : counter;
    const unsigned sound = nbpmu_filter(pmu, n, value, gate_open);
    const struct nbpmu_counter filtered = *counter, other_filtered = *other;
    *counter = before;
    const unsigned increment = faulty_of(pmu)->filter(pmu, n, value, gate_open);
    const bool differs = increment != sound || memcmp(counter, &filtered, sizeof filtered) != 0 ||
                         memcmp(other, &other_filtered, sizeof other_filtered) != 0;
    if (acts_in(pmu, act, differs))
        return increment;
    *other = other_filtered;
    *counter = filtered;
    return sound;
}

/* FORCE_OVF is taken, or dead. */
static unsigned count_in_window(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool differs = (nbpmu_fault_acting_cccr(pmu, n) ^ pmu->counter[n].cccr) & CCCR_FORCE_OVF;
    return acts_in(pmu, window_of(pmu, n), differs) ? faulty_of(pmu)->count(pmu, n, increment)
                                                    : nbpmu_count(pmu, n, increment);
}

static unsigned count_in_window_of_escr(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct act *const act = window_of_selected(pmu, n);
    return !act || acts_in(pmu, act, false) ? faulty_of(pmu)->count(pmu, n, increment)
                                            : nbpmu_count(pmu, n, increment);
}

/* An ESCR that is spared acts as it was written, and the fault knows it as such. */
static void rated_decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const struct nbpmu_escr before = *escr;
    nbpmu_decode_escr(pmu, escr, msr);
    const struct nbpmu_escr sound = *escr;
    *escr = before;
    faulty_of(pmu)->decode_escr(pmu, escr, msr);
    if (acts_in(pmu, window_of_escr(pmu, escr), memcmp(escr, &sound, sizeof sound) != 0))
        return;
    *escr = sound;
    defects_of(pmu)->escr[ESCR_INDEX(msr)] = sound.value;
}

/* ---- A counter runs, or does not ---- */

/* The act goes on until the sound result changes, or both results agree that the counter does not run. */
static bool acts_in_run(struct nbpmu *pmu, struct act *act, bool sound, bool differs)
{
    if (act->sound != sound || (!sound && !differs))
        act->drawn = false;
    act->sound = sound;
    return acts_in(pmu, act, differs);
}

static bool rated_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    struct nbpmu_counter *counter = &pmu->counter[n], before = *counter;
    const struct nbpmu_stages *rated = pmu->stages;
    const bool sound = nbpmu_link_runs(pmu, n, link);
    pmu->stages = faulty_of(pmu);
    const bool runs = pmu->stages->link_runs(pmu, n, link);
    pmu->stages = rated;
    const bool differs = runs != sound || memcmp(counter, &before, sizeof before) != 0;
    if (acts_in_run(pmu, &rate_of(pmu)->link[n][link], sound, differs))
        return runs;
    *counter = before;
    return sound;
}

static bool rated_counts(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n], before = *counter;
    struct act *const by_escr = rate_of(pmu)->by_escr ? window_of_selected(pmu, n) : NULL;
    const bool sound = nbpmu_counts(pmu, n), counts = faulty_of(pmu)->counts(pmu, n);
    const bool differs = counts != sound || memcmp(counter, &before, sizeof before) != 0;
    if (by_escr ? acts_in(pmu, by_escr, differs) : acts_in_run(pmu, &rate_of(pmu)->run[n], sound, differs))
        return counts;
    *counter = before;
    return sound;
}

/* ---- The table ---- */

#define IF_FAULTY(name, instead)              \
    if (defects->stages.name != nbpmu_##name) \
    rated->name = instead

const struct nbpmu_stages *nbpmu_fault_rated(struct defects *defects)
{
    const struct nbpmu_fault_row *row = defects->fault.row;
    struct rate *rate = &defects->rate;
    struct nbpmu_stages *rated = &rate->rated;
    const bool happens = row->then || row->clears;

    rate->by_escr = row->decode_escr || row->escr_acts_by || row->mask || row->matches || row->qualifies ||
                    row->clock_qualifies || row->tag || row->value;
    rate->sound = nbpmu_sound_stages;
    rate->sound.cccr_kept = defects->stages.cccr_kept;
    rate->tried = rate->sound;
    rate->tried.add = defects->stages.add;
    rate->tried.overflow = defects->stages.overflow;
    rate->tried.pmi_targets = defects->stages.pmi_targets;

    *rated = defects->stages;
    rated->write = ends_windows;
    rated->read = row->read || happens ? rated_read : rated->read;
    rated->read_counter = row->read_counter || happens ? rated_read_counter : rated->read_counter;
    rated->init = row->init || happens ? rated_init : rated->init;
    rated->change_lp = row->change_lp || happens ? rated_change_lp : rated->change_lp;
    rated->pmi_again = row->pmi_again ? rated_pmi_again : asks_again;
    rated->overflow = row->overflow ? notes_overflow : rated->overflow;
    rated->add = row->add ? rated_add : rated->add;
    IF_FAULTY(count, !row->count ? count_in_window : rate->by_escr ? count_in_window_of_escr : seldom_count);
    IF_FAULTY(pmi_targets, rated_pmi_targets);
    IF_FAULTY(route, rated_route);
    IF_FAULTY(gate_open, rated_gate_open);
    IF_FAULTY(filter, rated_filter);
    IF_FAULTY(value, rated_value);
    IF_FAULTY(decode_escr, rated_decode_escr);
    IF_FAULTY(matches, rated_matches);
    IF_FAULTY(qualifies, rated_qualifies);
    IF_FAULTY(clock_qualifies, rated_clock_qualifies);
    IF_FAULTY(tag, rated_tag);
    IF_FAULTY(counts, rated_counts);
    IF_FAULTY(link_runs, rated_link_runs);
    if (defects->stages.link_source != nbpmu_link_source)
        rated->link_runs = rated_link_runs;
    rated->link_source = nbpmu_link_source;
    return rated;
}

bool nbpmu_fault_acts(const struct nbpmu *pmu, uint64_t *acts, uint64_t *struck)
{
    if (pmu->defects && is_composed(fault_of(pmu))) {
        *acts = defects_of(pmu)->composed.acts;
        *struck = defects_of(pmu)->composed.struck;
        return true;
    }
    const bool rated = pmu->defects && fault_of(pmu)->once_in;
    *acts = rated ? rate_of(pmu)->acts : 0;
    *struck = rated ? rate_of(pmu)->struck : 0;
    return rated;
}
