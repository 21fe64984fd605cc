#include "count.h"

#include "expect.h"
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "machine.h"
#include "observe.h"

static void counter_name(const void *item, char *out, size_t size)
{
    format(out, size, "%u", counter_number(item));
}

const struct items every_counter = {
    .first = PMC_COUNTER, .size = sizeof PMC_COUNTER[0], .count = PMC_COUNTERS, .name = counter_name};

unsigned counter_number(const void *item)
{
    return ((const struct pmc_counter *)item)->number;
}

unsigned idle_counter(unsigned used, unsigned also_used)
{
    /* A counter of another block shares no ESCR with the ones in use, and none of them can start it. */
    unsigned n = 0;

    while (PMC_COUNTER[n].block == PMC_COUNTER[used].block ||
           PMC_COUNTER[n].block == PMC_COUNTER[also_used].block)
        n++;
    return n;
}

bool counter_moves(unsigned counter, const struct workload *work, uint32_t n)
{
    uint64_t before = pmc_read(counter);

    work_exercise(work, n);
    return pmc_read(counter) != before;
}

struct frame frame_of(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    struct frame frame;

    frame_init(&frame, idle_counter(p->counter, p->counter));
    frame_phase(&frame, 0, work, n);
    frame_count(&frame, p, 0, p);
    return frame;
}

struct alone {
    const struct pmc_programming *p;
    const struct frame *frame;
};

static void alone_trial(const void *arg, struct observation *out)
{
    const struct alone *alone = arg;

    pmc_arm(alone->p, 0);
    frame_measure(alone->frame);
    out->v[0] = pmc_read(alone->p->counter);
}

uint64_t count_alone(const struct pmc_programming *p, enum count_as as, const struct frame *phases)
{
    struct frame frame = *phases;
    struct alone alone = {p, &frame};

    frame_count(&frame, p, as == COUNT_AS_Y ? p : 0, as == COUNT_AS_X ? p : 0);
    return observe(alone_trial, &alone).v[0];
}

uint64_t count_of(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    struct frame frame = frame_of(p, work, n);
    struct alone alone = {p, &frame};

    return observe(alone_trial, &alone).v[0];
}

uint64_t count_once(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    struct frame frame = frame_of(p, work, n);

    pmc_clear(&machine_cpu);
    pmc_arm(p, 0);
    frame_measure(&frame);
    return pmc_read(p->counter);
}

uint64_t count_least(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    uint64_t least = UINT64_MAX;

    for (unsigned run = 0; run < LEAST_RUNS; run++) {
        uint64_t counted = count_once(p, work, n);
        if (counted < least)
            least = counted;
    }
    return least;
}

uint32_t rules_of_flags(char thread)
{
    return !machine_cpu.ht ? R11 : thread == 'I' ? R13 : R12;
}

void expect_excluded(struct pmc_programming p, enum pmc_event_id event, const char *name, count_fn *count,
                     const struct workload *work, uint32_t n)
{
    const uint32_t flags[] = {0, escr_self(false, true), machine_cpu.ht ? escr_sibling(true, true) : 0};
    unsigned tried = PMC_EVENT[event].thread == 'S' ? COUNT_OF(flags) : 1;

    for (unsigned i = 0; i < tried; i++) {
        pmc_set_privilege(&p, flags[i]);
        expect_equal(rules_of_flags(PMC_EVENT[event].thread), 0, count(&p, work, n),
                     "counter %u, %s at CPL 0 of LP%u with ESCR[3:0] = %1H", p.counter, name, smp_self(),
                     flags[i]);
    }
}
