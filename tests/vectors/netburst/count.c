/*
 * A counter counts exactly what the workload does (R8, R21, R27).
 *
 * The workload runs with n and with n + more occurrences. The difference of the two counts is free of the
 * frame's own events and must be `more`: exactly for the events of class exact, within the slack for
 * near-exact ones (pmu-rules 8.3). A smaller difference means lost events, a larger one double counting.
 * Every counter that the event can reach is tried, one after the other. And the OS and USR flags of every
 * ESCR that knows the event must be able to exclude it (R11 to R13).
 */
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

/* Enough to be distinguished from the slack. Fewer of the code that modifies itself, because each time costs
 * an emulator a translation. */
struct lengths {
    uint32_t base, more;
};
static const struct lengths USUAL = {50, 150}, SELF_MODIFYING = {10, 40};

static unsigned stimulus_needs(const void *item)
{
    return ((const struct stimulus *)item)->needs;
}

/* All but STIMULUS_CLOCKS, which has no number to compare with. */
static const struct items every_stimulus = {.first = &STIMULUS[STIMULUS_INSTRUCTIONS],
                                            .size = sizeof STIMULUS[0],
                                            .count = STIMULI - STIMULUS_INSTRUCTIONS,
                                            .name = named_item,
                                            .needs = stimulus_needs};

static void count_stimulus(const void *item)
{
    const struct stimulus *s = item;
    enum stimulus_id id = (enum stimulus_id)(s - STIMULUS);
    const struct lengths *n = id == STIMULUS_SELF_MODIFYING ? &SELF_MODIFYING : &USUAL;
    bool flags_matter = s->event != EVENT_IOQ_ALLOCATION || !machine_has_erratum(PMC_E10);

    stimulus_prepare(id);
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++) {
        if (!stimulus_reaches(id, counter) || counter_is_dead(counter))
            continue;
        struct pmc_programming p = stimulus_program(id, counter);
        uint64_t base = count_of(&p, s->work, n->base), more = count_of(&p, s->work, n->base + n->more);
        expect_between(n->more - s->slack, n->more + s->slack, more - base, "counter %u, %u more %s", counter,
                       n->more, s->name);
        expect_between(n->base - s->slack, n->base + s->slack + 64, base,
                       "counter %u, %u %s and the frame's own", counter, n->base, s->name);
        if (flags_matter && counter == pmc_escr_at(p.escr_msr)->counters[0])
            expect_excluded(p, s->event, s->name, count_of, s->work, n->base);
    }
    stimulus_finish(id);
}

static const struct vector count_rows[] = {
    CHECK("count", "every counter of the event counts exactly the occurrences",
          .rules = "R2 R7 R8 R11 R12 R13 R17 R21 R27", .deadline_ms = 5000, .run_item = count_stimulus,
          .items = &every_stimulus),
};
VECTOR_GROUP(count);
