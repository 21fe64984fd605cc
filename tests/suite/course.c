/* What a course consists of: counters with their twins, steps, and the numbers by which it is drawn. */
#include "course.h"

#include "course_state.h"
#include "pmc/netburst/map.h"

uint64_t course_start(uint32_t cccr)
{
    return COUNTER_OVERFLOW_IN(course_complements(cccr) ? COURSE_FAR : COURSE_NEAR);
}

void course_twins(const struct course *course, uint8_t twins[COURSE_ACTORS])
{
    uint32_t taken = 0;

    for (unsigned i = 0; i < course->actors; i++)
        taken |= 1u << course->actor[i].counter;
    for (unsigned i = 0; i < course->actors; i++) {
        const struct pmc_counter *c = &PMC_COUNTER[course->actor[i].counter];
        unsigned n = 0;

        while (n < PMC_COUNTERS &&
               ((taken >> n & 1) || PMC_COUNTER[n].block != c->block || PMC_COUNTER[n].side != c->side))
            n++;
        twins[i] = n < PMC_COUNTERS ? (uint8_t)n : COURSE_NOBODY;
        taken |= n < PMC_COUNTERS ? 1u << n : 0;
    }
}

struct course_step course_events_of(unsigned actors, unsigned occurrences)
{
    return (struct course_step){.kind = STEP_EVENTS,
                                .actors = (uint8_t)actors,
                                .flags = FLAGS_WORKER,
                                .occurrences = (uint16_t)occurrences};
}

void course_without(struct course *course, unsigned step)
{
    course->steps--;
    for (unsigned i = step; i < course->steps; i++)
        course->step[i] = course->step[i + 1];
}

uint32_t course_random(struct random *random, uint32_t n)
{
    random->state = random->state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(random->state ^ random->state >> 15) * n >> 32);
}

unsigned course_random_row(struct random *random, const uint8_t *weights, size_t size, unsigned rows)
{
    unsigned all = 0, row = 0;

    for (unsigned i = 0; i < rows; i++)
        all += weights[i * size];
    for (unsigned at = course_random(random, all); at >= weights[row * size]; row++)
        at -= weights[row * size];
    return row;
}
