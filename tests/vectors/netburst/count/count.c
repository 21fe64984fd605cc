/*
 * A counter counts what the workload does, no more and no less (R8, R21, R27).
 *
 * The workload runs with n and with n + more occurrences. The difference of the two counts is free of the
 * frame's own events. For the events of class exact it is `more`. For near-exact ones silicon does not say
 * how many counts an occurrence makes (T2 of the facts, pmu-rules 8.3, 10.11): the number has bounds, it is
 * the same for half as many more, and every counter of the event sees the same. A smaller difference means
 * lost events, a larger one double counting. Every counter that the event can reach is tried, one after the
 * other. And the OS and USR flags of every ESCR that knows the event must be able to exclude it (R11 to
 * R13).
 */
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

/* Enough to be distinguished from the slack. MORE is even. */
#define BASE      50
#define MORE      150
#define HALF      (MORE / 2)
#define FRAME_OWN 64

static unsigned stimulus_needs(const void *item)
{
    return ((const struct stimulus *)item)->needs;
}

/* All but STIMULUS_CLOCKS and STIMULUS_SELF_MODIFYING, which have no number to compare with. */
static const struct items every_stimulus = {.first = &STIMULUS[STIMULUS_INSTRUCTIONS],
                                            .size = sizeof STIMULUS[0],
                                            .count = STIMULUS_SELF_MODIFYING - STIMULUS_INSTRUCTIONS,
                                            .name = named_item,
                                            .needs = stimulus_needs};

static uint64_t low_of(uint64_t middle, uint64_t spread)
{
    return middle > spread ? middle - spread : 0;
}

static void count_stimulus(const void *item)
{
    const struct stimulus *s = item;
    enum stimulus_id id = (enum stimulus_id)(s - STIMULUS);
    count_fn *count = s->slack == 0 ? count_of : count_least;
    bool flags_matter = s->event != EVENT_IOQ_ALLOCATION || !machine_has_erratum(PMC_E10);
    uint64_t first = 0; /* the difference that the first counter saw */

    if (id == STIMULUS_UNCACHED_READS)
        skip_without_ioq();
    stimulus_prepare(id);
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++) {
        if (!stimulus_reaches(id, counter) || counter_is_dead(counter))
            continue;
        struct pmc_programming p = stimulus_program(id, counter);
        uint64_t base = count(&p, s->work, BASE), difference = count(&p, s->work, BASE + MORE) - base;

        expect_between(s->filter ? RULES(R7, R17, R23) : RULES(R7, R17, R12, R27), stimulus_least(id, MORE),
                       stimulus_most(id, MORE), difference, "counter %u, %u more %s", counter, MORE, s->name);
        expect_between(s->filter ? RULES(R7, R17, R23) : RULES(R7, R17, R12, R27), stimulus_least(id, BASE),
                       stimulus_most(id, BASE) + (uint64_t)s->most * FRAME_OWN, base,
                       "counter %u, %u %s and the frame's own", counter, BASE, s->name);
        if (first == 0) {
            uint64_t spread = stimulus_spread(id, difference);

            first = difference;
            expect_between(RULES(R27, R7), low_of(first / 2, spread), first / 2 + spread,
                           count(&p, s->work, BASE + HALF) - base, "counter %u, %u more %s, against %u more",
                           counter, HALF, s->name, MORE);
        }
        expect_between(RULES(R27, R7, R17), low_of(first, stimulus_spread(id, first)),
                       first + stimulus_spread(id, first), difference,
                       "counter %u, %u more %s, against the first counter of the event", counter, MORE,
                       s->name);
        if (flags_matter && counter == pmc_escr_at(p.escr_msr)->counters[0])
            expect_excluded(p, s->event, s->name, count, s->work, BASE);
    }
    stimulus_finish(id);
}

static const struct vector count_rows[] = {
    CHECK("count", "every counter of the event counts the occurrences, exactly where silicon does",
          .also = "R2 R8 R21", .deadline_ms = 5000, .run_item = count_stimulus, .items = &every_stimulus),
};
VECTOR_GROUP(count);
