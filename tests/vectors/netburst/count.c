/*
 * A counter counts exactly what the workload does (R8, R21, R27).
 *
 * The workload runs with n and with n + more occurrences; the difference of the two counts is free of the
 * frame's own events and must be `more`: exactly for the events of class exact, within the slack for
 * near-exact ones (pmu-rules 8.3). Every counter that the event can reach is tried, one after the other. And
 * every ESCR that knows the event keeps it out by its OS and USR flags (R11 to R13).
 */
#include "tests/suite/expect.h"
#include "kernel/lib/format.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "tests/suite/stimulus.h"

/* Enough to be told from the slack. Code that modifies itself costs an emulator a translation each time:
 * fewer do. */
struct lengths {
    uint32_t base, more;
};
static const struct lengths USUAL = {50, 150}, SELF_MODIFYING = {10, 40};

static unsigned first_exact(unsigned member)
{
    return member + STIMULUS_INSTRUCTIONS; /* STIMULUS_CLOCKS has no number to compare with */
}

static unsigned stimuli(void)
{
    return STIMULI - STIMULUS_INSTRUCTIONS;
}

static void stimulus_suffix(unsigned member, char *out, size_t size)
{
    format(out, size, "%s", STIMULUS[first_exact(member)].name);
}

static unsigned stimulus_needs(unsigned member)
{
    return STIMULUS[first_exact(member)].needs;
}

static const struct family every_stimulus = {stimuli, stimulus_suffix, stimulus_needs};

static uint64_t counted(const struct pmc_programming *p, const struct stimulus *s, uint32_t n)
{
    struct frame frame;

    frame_init(&frame, idle_counter(p->counter, p->counter));
    frame_phase(&frame, 0, s->work, n);
    return count_alone(p, COUNT_AS_X, &frame);
}

/*
 * The same with flags that keep the events out: none of the four; for a thread-specific event also USR alone,
 * and both of the other logical processor, which sleeps. Each ESCR has its own flags.
 */
static void kept_out(struct pmc_programming p, const struct stimulus *s, uint32_t n)
{
    const uint32_t flags[] = {0, escr_self(false, true), machine_cpu.ht ? escr_sibling(true, true) : 0};
    bool flags_matter = s->event != EVENT_IOQ_ALLOCATION || !machine_has_erratum(PMC_E10);
    unsigned tried = !flags_matter ? 0 : PMC_EVENT[s->event].thread == 'I' ? 1 : 3;

    for (unsigned i = 0; i < tried; i++) {
        p.escr = (p.escr & ~ESCR_CPL_MASK) | flags[i];
        expect_equal(0, counted(&p, s, n), "counter %u, %s at CPL 0 of LP%u with ESCR[3:0] = %1H", p.counter,
                     s->name, smp_self(), flags[i]);
    }
}

static void count_stimulus(unsigned member)
{
    enum stimulus_id id = first_exact(member);
    const struct stimulus *s = &STIMULUS[id];

    const struct lengths *n = id == STIMULUS_SELF_MODIFYING ? &SELF_MODIFYING : &USUAL;

    stimulus_prepare(id);
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++) {
        if (!stimulus_reaches(id, counter) || counter_is_dead(counter))
            continue;
        struct pmc_programming p = stimulus_program(id, counter);
        uint64_t base = counted(&p, s, n->base), more = counted(&p, s, n->base + n->more);
        expect_between(n->more - s->slack, n->more + s->slack, more - base, "counter %u, %u more %s", counter,
                       n->more, s->name);
        expect_between(n->base - s->slack, n->base + s->slack + 64, base,
                       "counter %u, %u %s and the frame's own", counter, n->base, s->name);
        if (counter == pmc_escr_at(p.escr_msr)->counters[0])
            kept_out(p, s, n->base);
    }
    stimulus_finish(id);
}

static const struct vector count_rows[] = {
    {"count", "every counter of the event counts exactly the occurrences", "R2 R7 R8 R11 R12 R13 R17 R21 R27",
     0, false, 5000, count_stimulus, &every_stimulus},
};
VECTOR_GROUP(count);
