/* How often something is measured: again beside a witness of a disturbance, otherwise not. */
#include "repeat.h"

#include "expect.h"
#include "kernel/run/pmi.h"
#include "pmc/netburst/setup.h"
#include "witness.h"

#define WAITS      10
#define AMONG_NMIS 400 /* further measurements where NMIs come all the time: one of some 50 has none */

struct observed {
    trial *measure;
    const void *arg;
    struct observation values;
};

static void observe_once(void *arg)
{
    struct observed *o = arg;

    o->values = (struct observation){{0}};
    pmc_stop_all();
    o->measure(o->arg, &o->values);
}

struct observation observe(trial *measure, const void *arg)
{
    struct observed o = {.measure = measure, .arg = arg};

    undisturbed(observe_once, &o);
    return o.values;
}

uint64_t reference(trial *measure, const void *arg)
{
    uint64_t least = UINT64_MAX;

    for (unsigned run = 0; run < REFERENCE_RUNS; run++) {
        const uint64_t value = observe(measure, arg).v[0];

        least = value < least ? value : least;
    }
    return least;
}

/* Within the time that some PMIs may take. */
static struct unexpected_interrupts that_come_anyway(void)
{
    const struct unexpected_interrupts before = unexpected_interrupts();

    for (unsigned i = 0; i < WAITS; i++)
        pmi_wait_for_delivery();
    const struct unexpected_interrupts after = unexpected_interrupts();

    return (struct unexpected_interrupts){.nmi = after.nmi - before.nmi, .other = after.other - before.other};
}

bool interrupts_come_anyway(void)
{
    const struct unexpected_interrupts come = that_come_anyway();

    return come.nmi || come.other;
}

unsigned pmis_as_nmis(unsigned (*measure)(void *arg), void *arg, unsigned most)
{
    unsigned taken = measure(arg);

    if (taken > most)
        taken = measure(arg);
    if (taken <= most || that_come_anyway().nmi == 0)
        return taken;
    for (unsigned i = 0; i < AMONG_NMIS && taken > most; i++)
        taken = measure(arg);
    if (taken > most)
        skip_now("too disturbed to judge: NMIs of the board pass for PMIs");
    return taken;
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
