/*
 * One cascade X -> Y under measurement: shared by the vectors that cascade.
 *
 * Counter X is preset to -200 and counts A, counter Y to -400 and counts B (Example 18-1). Y is armed with
 * CASCADE, or on an extended route with its CASCNTxINTOy bit, and ENABLE = 0.
 */
#ifndef TESTS_VECTORS_NETBURST_CASCADE_H
#define TESTS_VECTORS_NETBURST_CASCADE_H

#include <stdbool.h>
#include <stdint.h>
#include "tests/suite/observe.h"
#include "pmc/netburst/examples.h"
#include "tests/suite/stimulus.h"

/* Which counter's overflow starts which, and by what. */
struct route {
    uint8_t x, y;
    bool extended; /* by bit 11 (Table 18-65), else by CASCADE */
};

/*
 * The documented routes of the map: every plain pair in both directions, in the order of Y, or the four
 * extended ones. Counter 17 by CASCADE is left out: who starts it is an open question (10.2,
 * pmu-rules 5.5.1).
 */
unsigned plain_routes(void);
struct route plain_route(unsigned index);
unsigned extended_routes(void);
struct route extended_route(unsigned index);
/* "iq.12-14" */
void route_suffix(struct route route, char *out, size_t size);
extern const struct family every_extended_route;

struct cascade {
    struct route route;
    struct pmc_programming x, y;
    enum stimulus_id a, b;
    uint32_t overhead_a, overhead_b; /* what the empty frame adds to each */
    struct frame frame;
    bool with_pmi; /* take Y's PMI (y.cccr says where it goes) */
};

/* What an observation of a cascade holds. */
enum { CASCADE_X, CASCADE_Y, CASCADE_OVF_X, CASCADE_OVF_Y, CASCADE_PMI, CASCADE_PMI_OTHER };

/* Program A on X and B on Y, counting this logical processor. */
void cascade_program(struct cascade *c, struct route route);
/* The same, and calibrate the frame. */
void cascade_setup(struct cascade *c, struct route route);

/* Presets -200 and -400, Y armed; what is left is X's start: the write of x's CCCR with ENABLE. */
void cascade_arm(const struct cascade *c);

/* Example 18-1 with a occurrences of A's workload, then b of B's, counting ended with the frame. */
struct observation cascade_run(struct cascade *c, uint32_t a, uint32_t b);
/* n occurrences of A or B for counters that are running. */
void cascade_exercise(const struct cascade *c, enum stimulus_id id, uint32_t n);

/*
 * How many more than the workload's B's Y counts in this frame when X overflows at the end of the A phase:
 * the frame's own events less the start latency (R37), checked to lie within them.
 */
int32_t cascade_extra_b(struct cascade *c);

#endif
