/*
 * Stimuli: an event, the workload that causes exactly n of it, and how well that is known (pmu-rules 8.3, 9).
 *
 * An occurrence of class exact makes one count. For any other it is open how many (10.11), and the probes of
 * 10.11 report it: all that is known is that the number is the same for every counter and every length of
 * the workload, at least 1, and at most the stimulus' `most`.
 */
#ifndef TESTS_SUITE_STIMULUS_H
#define TESTS_SUITE_STIMULUS_H

#include <stdbool.h>
#include <stdint.h>
#include "measure.h"
#include "frame.h"
#include "pmc/netburst/setup.h"
#include "vector.h"

struct stimulus {
    const char *name; /* the part of an id that names it, and its name in the log */
    uint8_t event;    /* enum pmc_event_id */
    uint16_t mask;
    uint32_t filter; /* CCCR bits beside the usual ones: the edge that IOQ_allocation wants */
    const struct workload *work;
    void (*prepare)(void); /* operands, before each measurement; may be null */
    void (*finish)(void);  /* may be null */
    unsigned needs;        /* enum need */
    uint32_t one_of;       /* of so many occurrences at least one counts; 1 where silicon was measured */
    uint32_t most;         /* counts one occurrence may make; 1 for class exact */
    uint32_t slack;        /* counts by which equal runs may differ: 0 for class exact (pmu-rules 8.3) */
};

/* Ends the vector as SKIP on a processor without IOQ_allocation and IOQ_active_entries. */
void skip_without_ioq(void);

/* Mask of IOQ_allocation for our own uncached reads: default request type, ALL_READ, UC, OWN (pmu-rules 9.1).
 */
#define IOQ_UNCACHED_READ 0x20A1u

enum stimulus_id {
    STIMULUS_CLOCKS, /* not a number of occurrences: one a clock, relations only (pmu-rules 8.3) */
    STIMULUS_INSTRUCTIONS,
    STIMULUS_COMPLETED,
    STIMULUS_BRANCHES,
    STIMULUS_TAKEN,
    STIMULUS_NOT_TAKEN,
    STIMULUS_CALLS,
    STIMULUS_RETURNS,
    STIMULUS_PACKED_SP,
    STIMULUS_PACKED_DP,
    STIMULUS_SCALAR_SP,
    STIMULUS_SCALAR_DP,
    STIMULUS_MMX_64,
    STIMULUS_MMX_128,
    STIMULUS_X87,
    STIMULUS_SPLIT_LOADS,
    STIMULUS_SPLIT_STORES,
    STIMULUS_MICROCODE,
    STIMULUS_UNCACHED_READS,
    STIMULUS_X87_ASSISTS,
    STIMULUS_SELF_MODIFYING, /* no number is known: it occurs, and more often with more of the work (F18) */
    STIMULI
};

extern const struct stimulus STIMULUS[STIMULI];

/* Can the stimulus be counted on this counter of this processor? */
bool stimulus_reaches(enum stimulus_id id, unsigned counter);
/* Program a stimulus on a counter, counting this logical processor at every CPL. Bails out when it cannot be
 * counted there. */
struct pmc_programming stimulus_program(enum stimulus_id id, unsigned counter);

/* Prepare the operands, and program. */
struct pmc_programming stimulus_prepared(enum stimulus_id id, unsigned counter);

/* The stimuli that suit a counter's block: events A and B of a cascade, disjoint but for the BPU's clocks
 * (pmu-rules 9.1 to 9.4). */
enum stimulus_id stimulus_a(unsigned counter);
enum stimulus_id stimulus_b(unsigned counter);

/*
 * Bounds of the counts that n more occurrences make, whatever one makes: n for class exact, otherwise from n
 * to `most` times n and what such an event may count beyond (F11).
 */
uint64_t stimulus_least(enum stimulus_id id, uint32_t n);
uint64_t stimulus_most(enum stimulus_id id, uint32_t n);
/* By how much two counts of equally many occurrences may differ when the first was `counted`. */
uint64_t stimulus_spread(enum stimulus_id id, uint64_t counted);

void stimulus_prepare(enum stimulus_id id);
void stimulus_finish(enum stimulus_id id);

/* True for counter 1 of a part that shows erratum E4: ENABLE of CCCR1 does nothing. The log says that the
 * counter is not exercised. */
bool counter_is_dead(unsigned counter);
/* End the vector, which is about this counter, when counter_is_dead(). */
void end_if_dead(unsigned counter);

#endif
