/* Courses of the counters of a block (tests/suite/course.h), written and drawn. */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "kernel/lib/format.h"
#include "kernel/run/finish.h"
#include "tests/suite/measure.h"
#include "tests/suite/course.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/selection.h"
#include "tests/suite/stimulus.h"

#define DRAWN 20 /* courses of a counter */

static void prepare(unsigned counter)
{
    if (PMC_COUNTER[counter].block == BLOCK_BPU)
        skip_if_dead(1);
    if (PMC_COUNTER[counter].block == BLOCK_IQ)
        course_17_is_started_by(link_of_17().x);
}

static void drawn(const void *item)
{
    const unsigned counter = counter_number(item);
    const unsigned courses = selection_is_thorough() ? 10 * DRAWN : DRAWN;
    struct random random = {.state = 0x9E3779B9u * (counter + 1)};
    struct course course;

    prepare(counter);
    for (unsigned i = 0; i < courses; i++) {
        course_draw(&course, counter, &random);
        if (course_adapt(&course) && !course_expect(&course, "drawn"))
            return;
    }
}

/* What happens to a counter that runs, a, beside another one of its block, b: COUNTER:KIND:CCCR/ is put
 * before. */
static const struct life {
    const char *name;
    uint32_t cccr; /* besides ENABLE and ACTIVE_THREAD */
    const char *steps;
} LIVES[] = {
    {"each filter field changes", 0,
     "ea-wa=40000-ea-wa=100000-ea-wa=500000-ea-wa=b00000-ea-wa=80000-ea-wa=1000-ea-wa=1000-ea-wa=f00000-ea-"
     "wa=80000-ea-wa=1000000-ea-wa=80000-ea-wa=40000-ea-wa=1080000-ea-wa=700000-wa=40000-ea"},
    {"FORCE_OVF, ESCR select and ENABLE change", 0,
     "vaF-ea-wa=2000000-ea-wa=80000000-wa=40000-ea-wa=80f00000-ea-wa=f40000-wa=82000000-ea-wa=e000-ea-wa="
     "e000-"
     "ea-wa=2f40000-wa=80000-wa=80001000-ea-wa=82f80000-wa=41000-ea-wa=1040000-wa=1000-ea-wa=1000000-wa=1000-"
     "ea"},
    {"ACTIVE_THREAD changes", 0,
     "ea-wa=10000-ea-wa=30000-ea-sR-ea-wa=30000-ea-wa=30000-wa=f40000-wa=80000-ea-wa=30000-ea-sH-ea-wa="
     "f80000-"
     "wa=40000-ea-wa=10000-ea-wa=30000-ea"},
    {"OVF_PMI is set and cleared", 0,
     "lF-'lF-wa=4000000-ea-wa=80000000-lF-'lF-wa=c000000-vaN-ea-wa=80000000-lF-'lF-wa=8000000-vaN-ea-lF-'lF-"
     "wb=4000000-ea-eb-wa=80000000-wb=80000000-lF-vaN-ea-vbN-eb"},
};
/* The PMI of a is due with the next count; what happens until then. */
#define BEFORE_DUE "lF-'lF-ea-wa=80000000-lF-'lF-vaZ-ea-"
static const char *const UNTIL_DUE[] = {
    "ra-'ra",
    "vaP",
    "'vaP-wa=0",
    "wa=40000",
    "wa=1000-ea-eaM-wa=1000",
    "eaN-ea3N-eaM-ea3M-eaE",
    "h",
    "rb-wb=80000000-'wb=0-vbP",
    "wa=c000000",
    "lF-sR-sH",
    "'wa=4000000",
    "wa=80000000",
};

static void live(unsigned counter, uint32_t cccr, const char *before, const char *steps, const char *after,
                 const char *name)
{
    static const uint8_t KIND[] = {[BLOCK_BPU] = 1, [BLOCK_MS] = 0, [BLOCK_FLAME] = 0, [BLOCK_IQ] = 1};
    const struct pmc_counter *c = &PMC_COUNTER[counter];
    char text[COURSE_TEXT];
    struct course course;

    format(text, sizeof text, "%u:%u:%x,%u:1:%x/%s%s%s", counter, KIND[c->block],
           cccr | CCCR_ENABLE | CCCR_ACTIVE_MASK, c->cascade_from, CCCR_ENABLE | CCCR_ACTIVE_MASK, before,
           steps, after);
    const char *why = course_parse(&course, text);
    require_true(HARNESS, why == NULL, "%s: %s", text, why);
    if (course_adapt(&course))
        course_expect(&course, name);
}

static void lives(const void *item)
{
    const unsigned n = counter_number(item);

    prepare(n);
    for (unsigned i = 0; i < COUNT_OF(LIVES); i++)
        live(n, LIVES[i].cccr, "", LIVES[i].steps, "", LIVES[i].name);
}

static void due(const void *item)
{
    const unsigned n = counter_number(item);

    prepare(n);
    for (unsigned i = 0; i < COUNT_OF(UNTIL_DUE); i++)
        live(n, (i + n) % 2 ? CCCR_OVF_PMI_T0 : CCCR_OVF_PMI_T1 | CCCR_OVF_PMI_T0, BEFORE_DUE, UNTIL_DUE[i],
             "-ea=1-ea", "until its PMI");
}

/* Each other counter of the block overflows, and the last one is the counter that starts this one. */
static void only_by_its_own(unsigned counter, uint32_t flag, int by)
{
    struct course course = {.actors = 1, .actor = {{(uint8_t)counter, 0, CCCR_ACTIVE_MASK | flag}}};

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (PMC_COUNTER[n].block == PMC_COUNTER[counter].block && n != counter && (int)n != by)
            course.actor[course.actors++] =
                (struct course_actor){(uint8_t)n, 1, CCCR_ACTIVE_MASK | CCCR_ENABLE};
    if (by != PMC_NONE)
        course.actor[course.actors++] = (struct course_actor){(uint8_t)by, 1, CCCR_ACTIVE_MASK | CCCR_ENABLE};
    for (unsigned i = 1; i < course.actors; i++) {
        course.step[course.steps++] = (struct course_step){.what = 'e', .who = (uint8_t)(1u << i)};
        course.step[course.steps++] = (struct course_step){.what = 'e', .who = 1};
    }
    if (course_adapt(&course))
        course_expect(&course, "only its own counter starts it");
}

static void only(const void *item)
{
    const unsigned n = counter_number(item);
    const struct pmc_counter *c = &PMC_COUNTER[n];

    prepare(n);
    only_by_its_own(n, 0, PMC_NONE);
    only_by_its_own(n, CCCR_CASCADE,
                    c->cascade_from_alternative == PMC_NONE ? c->cascade_from : link_of_17().x);
    if (c->extended_from != PMC_NONE)
        only_by_its_own(n, CCCR_CASCNT, c->extended_from);
}

/* Trees of cascades, each branch a link of the manual: a counter that was started starts others in its turn.
 * Parent and branch are on different ESCRs. In the end b is halted by its flag, and c and a by their OVF. */
#define GROW(link) \
    "/ea-ecdef-eb-edef-ec-eef-ed-ef-ee-eabcdef-wb=" link "-eabcdef-wc=80000000-eabcdef-wa=80000000-eabcdef"
static const char *const TREES[] = {
    "12:0:31800,14:1:40030000,16:0:40030000,17:1:30800,15:0:30800,13:1:40030000" GROW("40000000"),
    "14:0:40031000,12:1:40030000,16:1:40030000,17:0:30800,15:1:30800,13:0:40030000" GROW("40000000"),
    "16:0:31800,12:1:30800,17:1:30800,14:0:40030000,15:0:30800,13:1:40030000" GROW("800"),
    "17:0:31800,15:1:30800,16:1:30800,13:0:40030000,12:0:30800,14:1:40030000" GROW("800"),
};

static void trees(void)
{
    struct course course;

    for (unsigned i = 0; i < COUNT_OF(TREES); i++) {
        const char *why = course_parse(&course, TREES[i]);

        require_true(HARNESS, why == NULL, "the notation of tree %u: %s", i, why);
        if (course_adapt(&course))
            course_expect(&course, "tree");
    }
}

/* The boot word course=. */
static void typed(void)
{
    struct course course;
    const char *why = course_parse(&course, selection_course());

    if (why)
        bail_out_as("boot.line", "boot line: course=: %s", why);
    prepare(course.actor[0].counter);
    if (!course_adapt(&course))
        skip_now("this machine can do no step of the course");
    course_expect(&course, "typed");
}

static const struct vector courses_rows[] = {
    CHECK("course.typed", "the course of the boot line does what the rules say", .needs = NEED_SSE2,
          .deadline_ms = 10000, .run = typed),
    CHECK("course.only", "a counter is started by the counters that the manual names, and by no other one",
          .also = "9.5.1 9.5.4 9.5.5", .needs = NEED_SSE2, .deadline_ms = 10000, .run_item = only,
          .items = &every_counter),
    CHECK("course.trees", "counters that were started start others, up to 12-14-16-17-15-13",
          .deadline_ms = 10000, .run = trees),
    CHECK("course.lives", "each field of the CCCR of a counter that runs changes: what it now says",
          .needs = NEED_SSE2, .deadline_ms = 10000, .run_item = lives, .items = &every_counter),
    CHECK("course.due", "the PMI comes with the next count, whatever happens until then", .also = "R56",
          .needs = NEED_SSE2 | NEED_LAPIC, .deadline_ms = 10000, .run_item = due, .items = &every_counter),
    CHECK("course.drawn", "what was drawn happens to the counter: it does what the rules say",
          .also = "11.10 R56", .needs = NEED_SSE2, .deadline_ms = 20000, .run_item = drawn,
          .items = &every_counter),
};
VECTOR_GROUP(courses);
