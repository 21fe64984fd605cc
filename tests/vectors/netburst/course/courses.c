/* Courses of the counters of a block (tests/suite/course.h), written and drawn. */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "tests/suite/count.h"
#include "tests/suite/course.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/selection.h"
#include "tests/suite/stimulus.h"

#define DRAWN 40 /* courses of a counter */

static void drawn(const void *item)
{
    const unsigned counter = counter_number(item);
    const unsigned courses = selection_is_thorough() ? 10 * DRAWN : DRAWN;
    struct random random = {.state = 0x9E3779B9u * (counter + 1)};
    struct course course;

    if (PMC_COUNTER[counter].block == BLOCK_BPU)
        skip_if_dead(1);
    if (PMC_COUNTER[counter].block == BLOCK_IQ)
        course_17_is_started_by(link_of_17().x);
    for (unsigned i = 0; i < courses; i++) {
        course_draw(&course, counter, &random);
        if (course_adapt(&course) && !course_expect(&course, "drawn"))
            return;
    }
}

static const struct vector courses_rows[] = {
    CHECK("course.drawn", "what was drawn happens to the counter: it does what the rules say",
          .needs = NEED_SSE2, .deadline_ms = 20000, .run_item = drawn, .items = &every_counter),
};
VECTOR_GROUP(courses);
