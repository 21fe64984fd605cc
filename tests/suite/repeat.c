#include "repeat.h"

#include <stdbool.h>

#include "pmc/netburst/setup.h"

static struct tally tally;

struct tally observe_tally(void)
{
    struct tally now = tally;

    tally = (struct tally){0, 0};
    return now;
}

static bool same(const struct observation *a, const struct observation *b)
{
    for (unsigned i = 0; i < OBSERVED_VALUES; i++)
        if (a->v[i] != b->v[i])
            return false;
    return true;
}

/* Is the most frequent outcome far enough ahead of all others? */
static bool decided(const unsigned times[], unsigned distinct, unsigned best)
{
    for (unsigned i = 0; i < distinct; i++)
        if (i != best && times[best] < times[i] + OBSERVE_AHEAD)
            return false;
    return times[best] >= OBSERVE_AHEAD;
}

struct observation observe(trial *measure, const void *arg)
{
    struct observation seen[OBSERVE_MOST];
    unsigned times[OBSERVE_MOST];
    unsigned distinct = 0, best = 0, tries = 0;

    do {
        struct observation now = {{0}};
        unsigned i = 0;

        pmc_stop_all();
        measure(arg, &now);
        tries++;
        while (i < distinct && !same(&seen[i], &now))
            i++;
        if (i == distinct) {
            seen[distinct] = now;
            times[distinct++] = 0;
        }
        times[i]++;
        if (times[i] > times[best])
            best = i;
    } while (tries < OBSERVE_MOST && !decided(times, distinct, best));
    tally.observations += tries;
    tally.outvoted += tries - times[best];
    return seen[best];
}

uint64_t least_of(uint64_t (*count)(const void *arg), const void *arg)
{
    uint64_t least = UINT64_MAX;

    for (unsigned run = 0; run < LEAST_RUNS; run++) {
        const uint64_t counted = count(arg);

        least = counted < least ? counted : least;
    }
    return least;
}

struct spread spread_of(uint32_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
            uint32_t lower = values[j];

            values[j] = values[j - 1];
            values[j - 1] = lower;
        }
    return (struct spread){values[0], values[count / 2], values[count - 1]};
}

uint32_t median_of(uint32_t (*measure)(const void *arg), const void *arg)
{
    uint32_t values[MEDIAN_RUNS];

    for (unsigned i = 0; i < MEDIAN_RUNS; i++)
        values[i] = measure(arg);
    return spread_of(values, MEDIAN_RUNS).median;
}
