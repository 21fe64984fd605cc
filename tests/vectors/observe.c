#include "observe.h"

#include <stdbool.h>

#include "expect.h"
#include "pmc/setup.h"

static bool same(const struct observation *a, const struct observation *b)
{
    for (unsigned i = 0; i < OBSERVED_VALUES; i++)
        if (a->v[i] != b->v[i])
            return false;
    return true;
}

struct observation observe(trial *measure, const void *arg)
{
    struct observation seen[OBSERVE_MOST];
    unsigned times[OBSERVE_MOST];
    unsigned distinct = 0, best = 0, tries = 0;

    while (tries < OBSERVE_MOST) {
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
        if (times[best] == OBSERVE_AGREE)
            break;
    }
    if (tries > OBSERVE_AGREE)
        report("disturbed: %u of %u measurements agree", times[best], tries);
    return seen[best];
}
