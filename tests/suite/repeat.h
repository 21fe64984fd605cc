/*
 * How often something is measured, and what decides. No other file of the suite or of the vectors says so.
 *
 * A board disturbs measurements (pmu-rules 8.4). A disturbance leaves a witness (witness.h), and a
 * measurement beside a witness is made again and not counted. Without one a wrong result counts, however
 * seldom it comes: no value is outvoted. A vector in which an expectation fails runs again, to find out
 * whether it always fails or now and then (suite.c, unexplained.h). A number that may legally differ from run
 * to run has bounds:
 *   - a reference is never a single run: the least of REFERENCE_RUNS, since what is not expected adds;
 *   - of a number to which a wrong path or another agent adds, the least of LEAST_RUNS decides, or the median
 *     of MEDIAN_RUNS for a probe.
 */
#ifndef TESTS_SUITE_REPEAT_H
#define TESTS_SUITE_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFERENCE_RUNS 2
#define LEAST_RUNS     3
#define MEDIAN_RUNS    7

/* ---- Several values of one measurement ---- */

#define OBSERVED_VALUES 6

struct observation {
    uint64_t v[OBSERVED_VALUES];
};

/* One measurement. All CCCRs are 0 when it begins: nothing counts, no OVF is set. Values that it does not set
 * are 0. */
typedef void trial(const void *arg, struct observation *out);

/* Measure, undisturbed (witness.h). */
struct observation observe(trial *measure, const void *arg);
/* The first value of REFERENCE_RUNS such observations, the least of them. */
uint64_t reference(trial *measure, const void *arg);

/*
 * Where LVTPC delivers NMIs, an NMI of the board passes for a PMI and has no witness. `measure` counts PMIs,
 * and leaves LVTPC masked. If they are more than `most`, it is called once more, so that too many count only
 * if they come twice; and again until they are not, if NMIs come without LVTPC, too. If they always are, and
 * the board has an NMI in each such measurement, the vector is too disturbed to be judged. Too few count at
 * once.
 */
unsigned pmis_as_nmis(unsigned (*measure)(void *arg), void *arg, unsigned most);

/* Does the board interrupt again and again within a millisecond, although nothing counts and LVTPC is masked?
 */
bool interrupts_come_often(void);

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
