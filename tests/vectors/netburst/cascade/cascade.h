/*
 * One cascade X -> Y under measurement: shared by the vectors that cascade.
 *
 * Counter X is preset to -200 and counts event A, counter Y is preset to -400 and counts event B (Example
 * 18-1). Y is armed with ENABLE = 0 and CASCADE = 1, or on an extended link with its CASCNTxINTOy bit.
 */
#ifndef TESTS_VECTORS_NETBURST_CASCADE_H
#define TESTS_VECTORS_NETBURST_CASCADE_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/examples.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/vector.h"

/* The overflow of counter x starts counter y. */
struct cascade_link {
    uint8_t x, y;
    bool extended; /* by bit 11 (Table 18-65), else by CASCADE */
};

/*
 * Every plain link of the map in both directions, in the order of Y; those of them whose events can be
 * counted one by one; the four extended ones. Counter 17 by CASCADE is left out: which counter starts it is
 * an open question (10.2), which link_of_17() answers. Their items are struct cascade_link, named as in
 * "iq.12-14".
 */
extern struct items plain_links, exact_links, extended_links;
/* Fill the three tables. */
void cascade_make_links(void);

struct cascade {
    struct cascade_link link;
    struct pmc_programming x, y;
    enum stimulus_id a, b;
    uint64_t x_count,
        y_count; /* X and Y overflow with this many of their events; cascade_program(): 200, 400 */
    struct frame frame;
    bool with_pmi; /* take Y's PMI (y.cccr says where it goes) */
};

/* What an observation of a cascade holds. */
enum { CASCADE_X, CASCADE_Y, CASCADE_OVF_X, CASCADE_OVF_Y, CASCADE_PMI, CASCADE_PMI_OTHER };

/* The rules by which Y starts with X's overflow. */
uint32_t cascade_rules(const struct cascade_link *link);

/* Program A on X and B on Y, counting this logical processor. */
void cascade_program(struct cascade *c, const struct cascade_link *link);
/*
 * Like cascade_program(), with an A and a B such that no B occurs while A does, nor in the frame around them.
 * Whether Y starts some clocks earlier or later (R37) makes no difference then: it counts every B.
 */
void cascade_program_apart(struct cascade *c, const struct cascade_link *link);

/* Preset both, arm Y; what is left is X's start: the write of X's CCCR with ENABLE. */
void cascade_arm(const struct cascade *c);

/* Run Example 18-1 with the phases of c->frame; the counting ends with the frame. Returns an
 * observation (repeat.h). */
struct observation cascade_run(const struct cascade *c);
/* Make n occurrences of A or B while the counters run. */
void cascade_exercise(const struct cascade *c, enum stimulus_id id, uint32_t n);

/* Does Y move by VISIBLE events? An access to a counter may add a few to one that does not run (E1). */
bool cascade_y_runs(const struct cascade *c);
/* Enable X of a cascade that is armed, and let it overflow: does Y run then? */
bool cascade_starts(const struct cascade *c);
/* Arm counter 17 by CASCADE, and let counter x overflow: does 17 run then? */
bool starts_17(uint8_t x);
/* The link by which CASCADE starts counter 17. Both readings of the manual (pmu-rules 5.5.1) have exactly
 * one, from 13 or from 15; without one, or with both, the vector ends as failed. */
struct cascade_link link_of_17(void);

/* Events after which a counter that runs has visibly moved, however late it started. */
#define VISIBLE 100
/* How far a counter has moved since it held this value. */
uint64_t moved(unsigned counter, uint64_t since);

#endif
