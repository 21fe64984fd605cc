/*
 * What property_case.c and property_step.c share: the state of both sides while a case runs, and one step of
 * it.
 */
#ifndef TESTS_HOST_SECOND_MODEL_PROPERTY_STEP_H
#define TESTS_HOST_SECOND_MODEL_PROPERTY_STEP_H

#include "naive.h"
#include "property_case.h"

#define HOT 3

struct race {
    uint64_t random;
    bool narrate;
    struct nbpmu *model;
    struct naive naive;
    struct lp_state lps[NBPMU_LPS];
    const struct naive_event *hot[HOT];
    uint16_t code; /* value that the coded fields of the BSQ events mostly have */
    struct property_result result;
};

/* A random number; one below n; true with a probability of percent in 100. */
uint64_t race_random(struct race *race);
unsigned race_below(struct race *race, unsigned n);
bool race_chance(struct race *race, unsigned percent);

/* The first counter, from number `from` on, that can select this ESCR; *select is the ESCR select for it. */
unsigned property_counter(uint32_t escr, unsigned from, unsigned *select);

/* Random mask bits for an occurrence of the event (see nbpmu_event()). */
uint16_t property_occurrence(struct race *race, const struct naive_event *row);

/* Report some events to both sides; to the model only half of those that are not active
 * (nbpmu_active_events()). Returns whether any was reported to the model. */
bool property_post_some(struct race *race);

/* Let some clocks with events pass, which the model takes as a block if it may (property_block.c). */
void property_step_block(struct race *race);

/* Make one random step on both sides: mostly a write while setting up, mostly clocks later. */
void property_step(struct race *race, bool setting_up);

#endif
