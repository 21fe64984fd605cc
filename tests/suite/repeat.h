/*
 * How often something is measured, and what decides. No other file of the suite or of the vectors says so.
 *
 * A board disturbs measurements (pmu-rules 8.4). An SMI takes time, and it wakes a halted processor. An NMI
 * adds the instructions of its handler, and passes for a PMI that is an NMI. A PMI may come without OVF (E9).
 * A disturbance does not repeat, a defect does:
 *   - of an exact number the most frequent value decides: observe();
 *   - of a number that may differ from run to run, and to which a disturbance adds, the least of LEAST_RUNS
 *     decides, or the median of MEDIAN_RUNS for a probe; a reference is never a single run;
 *   - a step that a disturbance can spoil is tried up to TRIES times, and once right is right;
 *   - a vector in which an expectation fails runs again until its runs have decided (suite.c).
 */
#ifndef TESTS_SUITE_REPEAT_H
#define TESTS_SUITE_REPEAT_H

#include <stddef.h>
#include <stdint.h>

#define LEAST_RUNS  3
#define MEDIAN_RUNS 7

/* LONG_TRIES is for steps that wait for a PMI or last a millisecond: an NMI of the board hits more of them.
 */
#define TRIES      3
#define LONG_TRIES 5

/*
 * A vector is ok as soon as more of its runs passed than failed, which a first run that passes decides at
 * once. It is not ok when the failed runs are ahead by FAILURES_AHEAD, or when a run fails after RUNS_MOST. A
 * vector that is disturbed in one run of ten fails wrongly once in half a million. A run that fails while an
 * NMI or an interrupt of a vector that nobody uses comes is likely disturbed by the board, so up to
 * BESIDE_INTERRUPTS of them weigh as much as one failed run.
 */
#define FAILURES_AHEAD    6
#define RUNS_MOST         24
#define BESIDE_INTERRUPTS 3

/* A course has passed as soon as it went right more often than wrong. It has failed as soon as it went wrong
 * COURSE_AHEAD times more often than right, or after COURSE_PLAYS: a defect that strikes every second time is
 * one. */
#define COURSE_AHEAD 3
#define COURSE_PLAYS 9

/* ---- The most frequent value ---- */

#define OBSERVED_VALUES 6

struct observation {
    uint64_t v[OBSERVED_VALUES];
};

/* One measurement. All CCCRs are 0 when it begins: nothing counts, no OVF is set. Values that it does not set
 * are 0. */
typedef void trial(const void *arg, struct observation *out);

#define OBSERVE_AHEAD 3  /* an outcome that was seen this many times more often than any other decides */
#define OBSERVE_MOST  16 /* at most this many measurements */

/*
 * Repeat the measurement until the most frequent outcome is OBSERVE_AHEAD observations ahead of the next, at
 * most OBSERVE_MOST times, and return it. Observations that disagree are tallied for the log.
 */
struct observation observe(trial *measure, const void *arg);

/* Observations since the last call of this, and how many of them were not the ones returned. */
struct tally {
    unsigned observations, outvoted;
};
struct tally observe_tally(void);

/* ---- Values that differ ---- */

/* The least of LEAST_RUNS counts. */
uint64_t least_of(uint64_t (*count)(const void *arg), const void *arg);

/* Several measurements of one quantity. */
struct spread {
    uint32_t least, median, most;
};
/* Sorts the values. count is at least 1. */
struct spread spread_of(uint32_t *values, size_t count);

/* The median of MEDIAN_RUNS measurements. */
uint32_t median_of(uint32_t (*measure)(const void *arg), const void *arg);

#endif
