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
#include "tests/suite/observe.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/vector.h"

/* The overflow of counter x starts counter y. */
struct cascade_link {
    uint8_t x, y;
    bool extended; /* by bit 11 (Table 18-65), else by CASCADE */
};

/*
 * Every plain link of the map in both directions, in the order of Y; those of them whose events can be
 * counted exactly; the four extended ones. Counter 17 by CASCADE is left out: which counter starts it is an
 * open question (10.2). Their items are struct cascade_link, named as in "iq.12-14".
 */
extern struct items plain_links, exact_links, extended_links;
/* Fill the three tables. */
void cascade_make_links(void);

struct cascade {
    struct cascade_link link;
    struct pmc_programming x, y;
    enum stimulus_id a, b;
    uint32_t overhead_a, overhead_b; /* what the empty frame adds to each */
    struct frame frame;
    bool with_pmi; /* take Y's PMI (y.cccr says where it goes) */
};

/* What an observation of a cascade holds. */
enum { CASCADE_X, CASCADE_Y, CASCADE_OVF_X, CASCADE_OVF_Y, CASCADE_PMI, CASCADE_PMI_OTHER };

/* Program A on X and B on Y, counting this logical processor. */
void cascade_program(struct cascade *c, const struct cascade_link *link);
/* Measure what the frame itself adds to A and B. */
void cascade_calibrate(struct cascade *c);

/* Presets -200 and -400, Y armed; what is left is X's start: the write of X's CCCR with ENABLE. */
void cascade_arm(const struct cascade *c);

/* Example 18-1 with a occurrences of A's workload, then b of B's; the counting ends with the frame. */
struct observation cascade_run(struct cascade *c, uint32_t a, uint32_t b);
/* n occurrences of A or B for counters that are running. */
void cascade_exercise(const struct cascade *c, enum stimulus_id id, uint32_t n);

/* Events after which a counter that runs has visibly moved, however late it started. */
#define VISIBLE 100
/* How far a counter has moved since it held this value. */
uint64_t moved(unsigned counter, uint64_t since);

/* A known number of B's, far from Y's overflow. */
#define KNOWN_B 100
/*
 * How many more than the workload's B's Y counts in this frame when X overflows at the end of the A phase:
 * the frame's own events less the start latency (R37), checked to lie within them.
 */
int32_t cascade_extra_b(struct cascade *c);

#endif
