#include "observe.h"

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
