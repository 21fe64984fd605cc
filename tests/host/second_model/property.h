/*
 * One random case of the property test: a part, some variants, and a sequence of register writes and clocks
 * that the model and the naive statement (naive.h) both go through.
 */
#ifndef TESTS_HOST_SECOND_MODEL_PROPERTY_H
#define TESTS_HOST_SECOND_MODEL_PROPERTY_H

#include "naive.h"
#include "sim/lib/random.h"

/* The outcome of a case. */
struct property_result {
    unsigned steps;       /* steps that were run; the last of them differed, if any did */
    uint64_t clocks;      /* clocks that passed */
    char difference[160]; /* the first one, in words; "" when there was none */
    uint64_t sum;         /* of all that was read from the model */
};

/* The state of both sides while a case runs. */
#define HOT        3
#define MOST_POSTS 3

struct race {
    struct random random;
    bool narrate;
    struct nbpmu *model;
    struct naive naive;
    struct lp_state lps[NBPMU_LPS];
    const struct naive_event *hot[HOT];
    uint16_t code;                      /* value that the coded fields of the BSQ events mostly have */
    struct naive_post post[MOST_POSTS]; /* the events of a clock */
    unsigned posts;
    bool singly;      /* clocks pass one by one in the model */
    bool undelivered; /* the model was told so of its latest PMIs */
    struct property_result result;
};

/* A random number; one below n; true with a probability of percent in 100. */
uint64_t race_random(struct race *race);
unsigned race_below(struct race *race, unsigned n);
bool race_chance(struct race *race, unsigned percent);

/* The first counter, from number `from` on, that can select this ESCR; *select is the ESCR select for it. */
unsigned property_counter(uint32_t escr, unsigned from, unsigned *select);

/* Make one random step on both sides: mostly a write while setting up, mostly clocks later. */
void property_step(struct race *race, bool setting_up);

#endif
