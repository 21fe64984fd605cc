/*
 * Observing a machine that may disturb a measurement: it is repeated until one outcome is the most
 * frequent (the mode), so that an SMI or another disturbance does not decide a verdict (pmu-rules 8.4).
 */
#ifndef TESTS_SUITE_OBSERVE_H
#define TESTS_SUITE_OBSERVE_H

#include <stdint.h>

#define OBSERVED_VALUES 6

struct observation {
    uint64_t v[OBSERVED_VALUES];
};

/* One measurement. All CCCRs are 0 when it begins (nothing counts, no OVF). Values that it does not set are
 * 0. */
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

#endif
