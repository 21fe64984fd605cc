/*
 * Observing a machine that may disturb us: a measurement is repeated until the same values come again (the
 * mode), so that an SMI or another stray disturbance does not decide a verdict (reference 8.4).
 */
#ifndef VECTORS_OBSERVE_H
#define VECTORS_OBSERVE_H

#include <stdint.h>

#define OBSERVED_VALUES 6

struct observation {
    uint64_t v[OBSERVED_VALUES];
};

/* One measurement. All CCCRs are 0 when it begins (nothing counts, no OVF); every value it does not set is 0.
 */
typedef void trial(const void *arg, struct observation *out);

#define OBSERVE_AGREE 3  /* as many equal observations decide */
#define OBSERVE_MOST  12 /* at most so many measurements */

/*
 * Repeat the measurement until OBSERVE_AGREE observations are equal, at most OBSERVE_MOST times, and return
 * the most frequent one. When it took more than OBSERVE_AGREE tries, the log says so.
 */
struct observation observe(trial *measure, const void *arg);

#endif
