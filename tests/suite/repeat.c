/* How often something is measured: again beside a witness of a disturbance, otherwise not. */
#include "repeat.h"

#include "expect.h"
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "pmc/netburst/setup.h"
#include "witness.h"

#define WAITS      20
#define OFTEN      3   /* of the waits; interrupts that come now and then are in none or one of them */
#define LENGTHS    20  /* of a measurement among NMIs */
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

/* What comes while nothing counts and LVTPC is masked: NMIs, and in how many of WAITS waits there is any
 * interrupt. */
struct coming {
    uint32_t nmis;
    unsigned waits;
};

static struct coming coming_anyway(void)
{
    struct coming coming = {0, 0};

    for (unsigned i = 0; i < WAITS; i++) {
        const struct unexpected_interrupts before = unexpected_interrupts();

        pmi_wait_for_delivery();
        const struct unexpected_interrupts after = unexpected_interrupts();

        coming.nmis += after.nmi - before.nmi;
        coming.waits += after.nmi != before.nmi || after.other != before.other;
    }
    return coming;
}

bool interrupts_come_often(void)
{
    return coming_anyway().waits >= OFTEN;
}

/* Do so many NMIs come anyway that there was one in each of AMONG_NMIS measurements, which took so many
 * clocks? */
static bool nmis_fill(uint64_t clocks)
{
    const uint32_t before = unexpected_interrupts().nmi;
    const uint64_t from = rdtsc();

    do
        pmi_wait_for_delivery();
    while ((rdtsc() - from) * (AMONG_NMIS / LENGTHS) < clocks);
    return unexpected_interrupts().nmi - before >= LENGTHS;
}

unsigned pmis_as_nmis(unsigned (*measure)(void *arg), void *arg, unsigned most)
{
    unsigned taken = measure(arg);

    if (taken > most)
        taken = measure(arg);
    if (taken <= most || coming_anyway().nmis == 0)
        return taken;
    const uint64_t from = rdtsc();

    for (unsigned i = 0; i < AMONG_NMIS && taken > most; i++)
        taken = measure(arg);
    if (taken > most && nmis_fill(rdtsc() - from))
        expect_too_disturbed("NMIs of the board pass for PMIs");
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
