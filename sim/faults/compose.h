/*
 * What the files of composed faults share: reading the composition of a PMU, asking whether it acts, and what
 * each file adds to the table of stages.
 */
#ifndef SIM_FAULTS_COMPOSE_H
#define SIM_FAULTS_COMPOSE_H

#include "faults.h"

static inline const struct nbpmu_composition *composition_of(const struct nbpmu *pmu)
{
    return &fault_of(pmu)->composition;
}

static inline bool is_stage(const struct nbpmu *pmu, enum stage stage)
{
    return stage_of(composition_of(pmu)) == stage;
}

static inline bool deviates_by(const struct nbpmu *pmu, enum deviation deviation)
{
    return deviation_of(composition_of(pmu)) == deviation;
}

/* Is the deviation something that is done to a counter? */
static inline bool is_effect(const struct nbpmu *pmu)
{
    return deviation_of(composition_of(pmu)) >= DEVIATION_CLEARS_COUNTER;
}

static inline struct life *life_of(const struct nbpmu *pmu, unsigned n)
{
    return &defects_of(pmu)->composed.at[n];
}

static inline struct life *life_of_escr(const struct nbpmu *pmu, int escr_index)
{
    return &defects_of(pmu)->composed.at[PMC_COUNTERS + escr_index];
}

/* The counter that what happens to counter n reaches, too; n: none. */
static inline unsigned also_reached(const struct nbpmu *pmu, unsigned n)
{
    switch (deviation_of(composition_of(pmu))) {
    case DEVIATION_ALSO_NEIGHBOUR:
        return n ^ 1;
    case DEVIATION_ALSO_PARTNER:
        return partner_of(n);
    case DEVIATION_ALSO_NEXT:
        return (n + 1) % PMC_COUNTERS;
    default:
        return n;
    }
}

/* A result of counter n in a clock would deviate. Does the fault act? Where single results are counted, or
 * drawn, the clock must not be repeated without asking. */
static inline bool acts_in_clock(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const enum history history = (enum history)composition->history;
    const enum act_scope act = nbpmu_fault_stages[stage_of(composition)].act;
    pmu->changed |= history == HISTORY_AFTER || history == HISTORY_EVERY ||
                    (history == HISTORY_ONCE_IN && (act == ACT_CALL || act == ACT_REQUEST));
    return nbpmu_fault_acts_at(pmu, n);
}

/* A truth, or a number, of counter n in a clock. */
static inline bool truth_of_counter(struct nbpmu *pmu, unsigned n, bool sound)
{
    const bool deviating = nbpmu_deviating_truth(composition_of(pmu), sound);
    return deviating != sound && acts_in_clock(pmu, n) ? deviating : sound;
}

static inline unsigned number_of_counter(struct nbpmu *pmu, unsigned n, unsigned sound, unsigned deviating)
{
    return deviating != sound && acts_in_clock(pmu, n) ? deviating : sound;
}

/* effects.c: something that should change nothing else has happened to counter n: in a clock, or between
 * clocks, where what follows from the registers is worked out at once. */
void nbpmu_fault_affect(struct nbpmu *pmu, unsigned n);
void nbpmu_fault_affect_at_access(struct nbpmu *pmu, unsigned n);

/* A stage that acts by some bits of the CCCR gets those of the fault, and gives the CCCR back
 * (compose_values.c). */
uint32_t nbpmu_fault_lend_cccr(struct nbpmu *pmu, unsigned n, uint32_t bits);
void nbpmu_fault_return_cccr(struct nbpmu *pmu, unsigned n, uint32_t bits, uint32_t cccr);
/* The stage `count` of each composed fault (compose_counts.c). */
unsigned nbpmu_fault_count(struct nbpmu *pmu, unsigned n, unsigned increment);

/* What each file puts into the table: with every fault what notes accesses and events, and the stage of this
 * one, if it is there. */
void nbpmu_fault_compose_registers(struct nbpmu_stages *stages, const struct nbpmu_composition *composition);
void nbpmu_fault_compose_values(struct nbpmu_stages *stages, const struct nbpmu_composition *composition);
void nbpmu_fault_compose_counts(struct nbpmu_stages *stages, const struct nbpmu_composition *composition);
void nbpmu_fault_compose_links(struct nbpmu_stages *stages, const struct nbpmu_composition *composition);

#endif
