/*
 * Counting the occurrences of one event by one counter: the measurement every exact check rests on.
 */
#ifndef TESTS_SUITE_COUNT_H
#define TESTS_SUITE_COUNT_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"
#include "pmc/netburst/setup.h"
#include "vector.h"

/* The counters 0 to 17 as items of a row, named by their numbers: struct pmc_counter. */
extern const struct items every_counter;
unsigned counter_number(const void *item);

/*
 * A counter that stands still may move by this much while it is read a few times: an access adds what its
 * input presents at that moment, at most 15 (E1). A check that a counter stands still allows for it, or the
 * counter is read while its CCCR is 0 or its ESCR has no event.
 */
#define ACCESSES_ADD 32

/* Does a counter that runs move while n occurrences of a workload are caused? */
bool counter_moves(unsigned counter, const struct workload *work, uint32_t n);

/* Two lengths of a workload. The difference of the two counts is free of the frame's own events. */
#define RUN_SHORT 60
#define RUN_LONG  240

/* A counter of another block than either, for the frame's idle writes. */
unsigned idle_counter(unsigned used, unsigned also_used);

/* A frame that starts p, runs n occurrences of a workload and ends p's event (frame_count). */
struct frame frame_of(const struct pmc_programming *p, const struct workload *work, uint32_t n);

/* Which stop write of the frame ends the counting: X's is the last, Y's the one before (frame_count). */
enum count_as { COUNT_AS_X, COUNT_AS_Y };
/*
 * How many events of p are counted, from preset 0, by a frame with these phases (its other fields are
 * replaced). The mode of repeated runs (observe.h).
 */
uint64_t count_alone(const struct pmc_programming *p, enum count_as as, const struct frame *phases);

/* Returns how many events of p are counted for n occurrences of a workload and their frame. */
typedef uint64_t count_fn(const struct pmc_programming *p, const struct workload *work, uint32_t n);
/*
 * count_of: the mode of repeated runs. count_once: one run on a cleared PMU. count_least: the least of
 * LEAST_RUNS such runs. The last two are for numbers that may differ from run to run; what disturbs a run
 * adds to its count.
 */
count_fn count_of, count_once, count_least;
#define LEAST_RUNS 3

/*
 * The rule by which the flags of an ESCR choose what is counted of an event, by what PMC_EVENT says of its
 * thread: 'S' or 'I'.
 */
uint32_t rules_of_flags(char thread);

/*
 * Expect that p counts nothing when its privilege flags exclude what runs, which is CPL 0 of this logical
 * processor: with none of the four flags and, for a thread-specific event, with USR alone and with both flags
 * of the other logical processor, which is halted. The log calls the events `name`.
 */
void expect_excluded(struct pmc_programming p, enum pmc_event_id event, const char *name, count_fn *count,
                     const struct workload *work, uint32_t n);

#endif
