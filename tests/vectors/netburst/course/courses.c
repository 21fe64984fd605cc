/* Courses of the counters of a block (tests/suite/course.h), written and drawn. */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "kernel/lib/lib.h"
#include "kernel/run/run.h"
#include "tests/suite/measure.h"
#include "tests/suite/course.h"
#include "tests/suite/expect.h"
#include "tests/suite/needs.h"
#include "tests/suite/selection.h"
#include "tests/suite/soak.h"
#include "tests/suite/stimulus.h"

#define DRAWN 10 /* courses of a counter */

static void prepare(unsigned counter)
{
    if (PMC_COUNTER[counter].block == BLOCK_BPU)
        end_if_dead(1);
    if (PMC_COUNTER[counter].block == BLOCK_IQ)
        course_17_is_started_by(link_of_17().x);
}

static void drawn(const void *item)
{
    const unsigned counter = counter_number(item);
    const unsigned courses = selection_is_thorough() ? 10 * DRAWN : DRAWN;
    struct random random = {.state = 0x9E3779B9u * (counter + PMC_COUNTERS * soak_loop() + 1)};
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
static const char *const LIVES[] = {
    /* each filter field changes */
    "ea-wa=40000-ea-wa=800000-ea-wa=c00000-ea-wa=600000-ea-wa=300000-ea-wa=f00000-ea-wa=80000-ea3U-wa=1000-"
    "ea3U-wa=1000-ea-wa=100000-ea-eaM-wa=80000-ea-wa=f00000-wa=1000000-eaO-ra-ea3U-wa=80000-ea-wa=800000-"
    "ea-wa=840000-ea-wa=1080000-ea-wa=700000-wa=40000-ea",
    /* FORCE_OVF, ESCR select and ENABLE change */
    "vaC-ea-wa=2000000-ea=1-wa=80000000-ea=1-wa=80000000-ea=1-wa=80000000-wa=40000-ea-wa=80f00000-ea-"
    "wa=f40000-wa=82000000-ea-ka0-wa=1040000-ea-wa=1000000-ea-wa=40000-ka3-ea-wa=2f40000-wa=80000-"
    "wa=80001000-ea-wa=82f80000-wa=41000-ea-wa=1040000-wa=1000-ea-wa=1000000-wa=1000-ea-wa=1000-"
    "wa=1000-ea-wa=2000000-ea-wa=8000e000-wa=e000-ea",
    /* ACTIVE_THREAD changes */
    "ea-wa=10000-ea-wa=30000-ea3-wa=1040000-ea-wa=1000000-ea-wa=40000-sR-ea3-wa=10000-ea-wa=20000-ea-"
    "wa=30000-wa=f40000-wa=80000-ea-wa=30000-ea-sH-ea-wa=f80000-wa=40000-ea-wa=10000-ea-wa=1000000-ka2-"
    "ea-wa=1000000-ka3-wa=30000-ea",
    /* OVF_PMI is set and cleared, also with FORCE_OVF; the sibling clears OVF */
    "lF-'lF-wa=4000000-ea-wa=80000000-lF-'lF-wa=c000000-vaN-ea-wa=80000000-lF-'lF-wa=8000000-vaN-ea-lF-"
    "'lF-wb=4000000-ea-eb-wa=80000000-wb=80000000-lF-vaN-'ra-ea-'wa=1000-ea-'wa=1000-vbN-eb-"
    "wb=84000000-lF-wa=86000000-vaF-ea-'lF-wa=8e000000-vaN-ea-'wa=80000000-vaN-ea-'wa=80000000-'vaN-"
    "'ea",
    /* the ESCR changes: event, mask and flags */
    ("vaC-eaF-ea-eaO-ea3U-eaU-ea1O-eaA-eaX-eaM-eaN-ea3N-eaE-'eaF-'eaX-'eaS-'ea2U-'eaO-ka0-eaF-ea2U-"
     "ea1U-eaU-eaN-eaX-'eaF-sR-'ea3U-'eaU-eaU-sH-'eaX-ka1-eaF-sR-eaU-sH-eaX-'eaX-ka2-eaF-eaU-'eaF-ka3-"
     "eaF"),
    /* logical processors halt, wake, restart and change their CPL while the ESCR has its event */
    "'vaN-ra-vaC-eaW-'eaW-'eaR-'ea3B=100-ea3B=100-vaC-ea3W-ka0-'ea3W-eaW-'vaC-'eaW-'eaR-'ea3B=100-"
    "ea3B=100-sR-eaS-eaW-'eaW-wa=f000-ea-wa=f000-ea-wa=3040000-ea",
};
/* The PMI of a is due with the next count; what happens until then. */
#define BEFORE_DUE "lF-'lF-ea-wa=80000000-lF-'lF-vaZ-ea-"
static const char *const UNTIL_DUE[] = {
    "ra-'ra",
    "'ra-vaP",
    "'vaP-wa=0",
    "wa=40000",
    "wa=1000-ea-eaM-wa=1000",
    "wa=f40000-ea-wa=f40000",
    "wa=2000000-wa=2000000",
    "i-'lF",
    "lI",
    "'wa=80000000",
    "eaN-ea3N-eaM-ea3M-eaE",
    "h-lM-lU-ea3U=1",
    "rb-wb=80000000-'wb=0-vbP",
    "wa=c000000",
    "lF-'lF-sR-sH",
    "ea=1-'wa=80000000-lF-'lF",
    "ea3U=1",
    "'wa=4000000",
    "wa=80000000",
    "'ea=1",
};
/* What makes no difference to the PMI of a. */
static const struct feature {
    const char *name;
    uint32_t cccr; /* bits inverted in ENABLE with ACTIVE_THREAD 11B */
    enum { STARTS_A, WAITS_FOR_A, IS_TWIN } b;
    const char *events; /* the steps that give the events */
} FEATURES[] = {
    {"COMPARE", CCCR_COMPARE, STARTS_A, "ea"},
    {"COMPARE and EDGE", CCCR_COMPARE | CCCR_EDGE, STARTS_A, "ea"},
    {"COMPARE, THRESHOLD 1", CCCR_COMPARE | CCCR_THRESHOLD(1), STARTS_A, "ea"},
    {"COMPARE, COMPLEMENT", CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), STARTS_A, "ea"},
    {"fields without COMPARE", CCCR_COMPLEMENT | CCCR_THRESHOLD(15) | CCCR_EDGE, STARTS_A, "ea"},
    {"OS alone", 0, STARTS_A, "eaO"},
    {"USR alone at CPL 3", 0, STARTS_A, "ea3U"},
    {"all flags at CPL 3", 0, STARTS_A, "ea3A"},
    {"the sibling's events", 0, STARTS_A, "'ea"},
    {"its USR alone at CPL 3", 0, STARTS_A, "'ea3U"},
    {"the sibling at work", 0, STARTS_A, "sR-ea"},
    {"ACTIVE_THREAD 01B", CCCR_ACTIVE_THREAD(2), STARTS_A, "ea"},
    {"ACTIVE_THREAD 10B", CCCR_ACTIVE_THREAD(1), STARTS_A, "sR-ea"},
    {"CASCADE beside ENABLE", CCCR_CASCADE, STARTS_A, "ea"},
    {"bit 11 beside ENABLE", CCCR_CASCNT, STARTS_A, "ea"},
    {"a start by CASCADE", CCCR_ENABLE | CCCR_CASCADE, STARTS_A, "eb-ea"},
    {"a twin on its ESCR", 0, IS_TWIN, "ea"},
    {"a counter that waits for it", 0, WAITS_FOR_A, "ea"},
    {"OVF of all others", 0, STARTS_A, "o-ea"},
    {"FORCE_OVF", CCCR_FORCE_OVF, STARTS_A, "ea"},
};
/* What happens to Y, a, and X, b, which starts it by a flag: ~, with OVF: !, with ENABLE: ^. */
static const char *const LINKS[] = {
    /* X starts Y again and again; clearing its OVF halts Y; an X that is written 0, and Y's own OVF,
       do nothing */
    "vaN-ea-vbP-ea-vbN-eb-vbZ-wb=80000000-eb-ea-wb=80000000-vbN-eb-ea-vbN-eb-ea-vaN-ea-wa=80000000-ea-"
    "wb=80000000-ea-vaP-vbN-eb-ea-wb=80000000-vbN-'eb-'ea-'wb=80000000-ea",
    /* clearing the flag halts Y, also with its own OVF, also when X was stopped */
    "eb-vaN-ea-wa=!-ea-wb=80000000-vbN-eb-ea-wb=80000000-wa=~-ea-vbN-eb-ea-wb=1000-vaN-ea-wa=~-ea-"
    "wb=80001000-wa=~-vbN-'eb-ea-'wa=~-ea",
    /* one write takes OVF and ENABLE from X: Y halts; one takes the flag from Y that has started and gives it
       ENABLE: it counts on */
    "eb-ea-wb=80001000-ea-wb=1000-vbN-eb-ea-wa=^-ea-wb=80000000-ea-wa=1000-ea",
    /* the sibling gets INIT, and the CCCR and the ESCR of a Y that has started change */
    "eaA-ebA-i-ea3-eaU-ea3U-wa=10000-ea-wa=30000-ea-wa=20000-ea-wa=f40000-ea-wa=80000-ea-wa=f80000-ea-"
    "wa=1000000-ea-wa=1040000-ka1-ea-wb=80000000-vbN-ka0-eb-ea-ea-'ea-wb=80000000-ea-vbN-sR-eb-ea-sH-"
    "wb=80000000-vbN-eab3U=c8-ea3U",
};

/* Counters of one block, a and b, and what happens to them. */
static void live(const struct course_actor *a, const struct course_actor *b, const char *before,
                 const char *steps, const char *after, const char *name)
{
    char text[COURSE_TEXT];
    struct course course;

    format(text, sizeof text, "%u:%u:%x,%u:%u:%x/%s%s%s", a->counter, a->kind, a->cccr ^ CCCR_ACTIVE_MASK,
           b->counter, b->kind, b->cccr ^ CCCR_ACTIVE_MASK, before, steps, after);
    const char *why = course_parse(&course, text);
    require_true(HARNESS, why == NULL, "%s: %s", text, why);
    if (course_adapt(&course))
        course_expect(&course, name);
}

static struct course_actor running(unsigned counter, uint32_t cccr)
{
    return (struct course_actor){(uint8_t)counter, 3, cccr | CCCR_ENABLE};
}

static void lives(const void *item)
{
    const unsigned n = counter_number(item);
    const struct course_actor a = running(n, 0), b = running((unsigned)PMC_COUNTER[n].cascade_from, 0);

    prepare(n);
    for (unsigned i = 0; i < COUNT_OF(LIVES); i++)
        live(&a, &b, (n / 2 + i) % 2 ? "o-" : "", LIVES[i], "", "while it runs");
}

/* a interrupts early in the work. Then it overflows with the last event of the work and interrupts with the
 * next one, again when LVTPC is unmasked, and no more when its OVF has been cleared. */
static void with_feature(const struct feature *f, unsigned n, uint32_t pmi)
{
    const struct pmc_counter *c = &PMC_COUNTER[n];
    const bool twin = f->b == IS_TWIN;
    const char *const clear_b = twin ? "wb=80000000-" : "", *const preset_b = twin ? "vbZ-" : "";
    struct course_actor a = running(n, 0), b = running(twin ? twin_of(n) : (unsigned)c->cascade_from, 0);
    char steps[COURSE_TEXT];

    a.cccr ^= f->cccr | pmi;
    if (c->block == BLOCK_MS || c->block == BLOCK_IQ) /* each occurrence makes an edge */
        a.kind = b.kind = c->block == BLOCK_MS ? 2 : 1;
    if (twin)
        b.cccr = a.cccr ^ (n / 4 % 2 ? CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 : 0);
    if (f->b == WAITS_FOR_A)
        b.cccr = CCCR_CASCADE;
    format(steps, sizeof steps, "%s-wa=80000000-%slF-'lF-vaZ-%s%s-%s=1-lF-'lF-wa=80000000-%slF-'lF",
           f->events, clear_b, preset_b, f->events, f->events, clear_b);
    live(&a, &b, "", "lF-'lF-", steps, f->name);
}

static void due(const void *item)
{
    static const uint32_t PMIS[] = {CCCR_OVF_PMI_T1 | CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1, CCCR_OVF_PMI_T0};
    const unsigned n = counter_number(item);
    const bool sibling = machine_meets() & NEED_SIBLING;
    const struct course_actor b = running((unsigned)PMC_COUNTER[n].cascade_from, 0);

    prepare(n);
    for (unsigned i = 0; i < COUNT_OF(UNTIL_DUE); i++) {
        const struct course_actor a =
            running(n, (i + n) % 2 ? CCCR_OVF_PMI_T0 : CCCR_OVF_PMI_T1 | CCCR_OVF_PMI_T0);

        live(&a, &b, BEFORE_DUE, UNTIL_DUE[i], "-ea=1-ea-wa=1000-lF-'lF", "until its PMI");
    }
    for (unsigned i = 0; i < COUNT_OF(FEATURES);
         i++) /* but for the first, each on one counter of each block */
        if (i < 2 || i % 4 == n % 4)
            with_feature(&FEATURES[i], n, PMIS[sibling ? (i + n) / 2 % COUNT_OF(PMIS) : 0]);
}

/* The counter that starts this one by CASCADE. */
static int starter_of(unsigned counter)
{
    const struct pmc_counter *c = &PMC_COUNTER[counter];

    return c->cascade_from_alternative == PMC_NONE ? c->cascade_from : (int)link_of_17().x;
}

/* Y and the counter that starts it by a flag. */
static void link(unsigned y, uint32_t flag, unsigned x)
{
    const struct course_actor a = {(uint8_t)y, 0, flag};

    for (unsigned i = 0; i < COUNT_OF(LINKS); i++) {
        /* X's own CASCADE and OVF_PMI make no difference to what it starts. */
        const struct course_actor b = {(uint8_t)x, 1,
                                       CCCR_ENABLE | ((y + i) % 2 ? CCCR_CASCADE : 0) |
                                           ((y + i) / 2 % 2 ? CCCR_OVF_PMI_T0 : 0)};
        char steps[COURSE_TEXT], *to = steps;

        for (const char *from = LINKS[i]; *from != '\0'; from++) {
            const uint32_t bits = *from == '~'   ? flag
                                  : *from == '!' ? flag | CCCR_OVF
                                  : *from == '^' ? flag | CCCR_ENABLE
                                                 : 0;

            if (bits)
                to += format(to, (size_t)(steps + sizeof steps - to), "%x", bits);
            else
                *to++ = *from;
        }
        *to = '\0';
        live(&a, &b, (y / 2 + i) % 2 ? "o-lF-'lF-" : "lF-'lF-", steps, "", "a link");
    }
}

static void links(const void *item)
{
    const unsigned n = counter_number(item);
    const struct pmc_counter *c = &PMC_COUNTER[n];

    prepare(n);
    link(n, CCCR_CASCADE, (unsigned)starter_of(n));
    if (c->extended_from != PMC_NONE)
        link(n, CCCR_CASCNT, (unsigned)c->extended_from);
}

/* Each counter of the block that does not start this one by `flags` overflows, as its CCCR says, again while
 * the sibling runs, and at last `by`, which does. Half of them wait for each other. */
static void only_by_its_own(unsigned counter, uint32_t flags, uint32_t others, int by)
{
    const struct pmc_counter *c = &PMC_COUNTER[counter];
    const int alternate = starter_of(counter);
    struct course course = {.actors = 1, .actor = {{(uint8_t)counter, 0, CCCR_ACTIVE_MASK | flags}}};

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (PMC_COUNTER[n].block == c->block && n != counter &&
            !(flags & CCCR_CASCADE && (int)n == alternate) &&
            !(flags & CCCR_CASCNT && (int)n == c->extended_from))
            course.actor[course.actors++] = (struct course_actor){
                (uint8_t)n, 1,
                CCCR_ACTIVE_MASK | (others == 0 && n / 2 % 2 ? CCCR_CASCADE : CCCR_ENABLE | others)};
    if (by != PMC_NONE)
        course.actor[course.actors++] = (struct course_actor){(uint8_t)by, 1, CCCR_ACTIVE_MASK | CCCR_ENABLE};
    for (unsigned again = 0; again < 2; again++) {
        if (again)
            course.step[course.steps++] = (struct course_step){.what = 's', .how = 'R'};
        for (uint8_t i = 1; i < course.actors - (by != PMC_NONE && !again); i++) {
            if (again)
                course.step[course.steps++] = (struct course_step){.what = 'v', .how = 'N', .who = i};
            course.step[course.steps++] = (struct course_step){.what = 'e', .who = (uint8_t)(1u << i)};
            course.step[course.steps++] = (struct course_step){.what = 'e', .who = 1};
        }
    }
    if (course_adapt(&course))
        course_expect(&course, "only its own counter starts it");
}

static void only(const void *item)
{
    const unsigned n = counter_number(item);
    const struct pmc_counter *c = &PMC_COUNTER[n];

    prepare(n);
    only_by_its_own(n, 0, 0, PMC_NONE);
    only_by_its_own(n, CCCR_CASCADE, 0, starter_of(n));
    only_by_its_own(n, CCCR_CASCADE, CCCR_FORCE_OVF, PMC_NONE);
    if (c->extended_from != PMC_NONE) {
        only_by_its_own(n, CCCR_CASCNT, 0, c->extended_from);
        only_by_its_own(n, CCCR_CASCNT | CCCR_CASCADE, CCCR_FORCE_OVF, PMC_NONE);
        only_by_its_own(n, CCCR_CASCNT | CCCR_CASCADE, 0, starter_of(n));
        only_by_its_own(n, CCCR_CASCNT | CCCR_CASCADE, 0, c->extended_from);
    }
}

/* Trees of cascades, each branch a link of the manual: a counter that was started starts others in its turn.
 * Parent and branch are on different ESCRs. In the end b is halted by its flag, and c and a by their OVF. */
#define GROW(link) \
    "/ea-ecdef-eb-edef-ec-eef-ed-ef-ee-eabcdef-wb=" link "-eabcdef-wc=80000000-eabcdef-wa=80000000-eabcdef"
static const char *const TREES[] = {
    "14:1:31000,12:0:40030000,16:0:40030000/ea-ebc-wa=80000000-ebc-vaN-ea-ebc", /* one X, two Y */
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
    CHECK("course.typed", "the course of the boot line does what the rules say", .also = "none",
          .needs = NEED_SSE2, .deadline_ms = 10000, .run = typed),
    CHECK("course.only", "a counter is started by the counters that the manual names, and by no other one",
          .also = "9.5.1 9.5.4 9.5.5", .needs = NEED_SSE2, .deadline_ms = 10000, .run_item = only,
          .items = &every_counter),
    CHECK("course.trees", "counters that were started start others, up to 12-14-16-17-15-13",
          .deadline_ms = 10000, .run = trees),
    CHECK("course.lives", "each field of the CCCR of a counter that runs changes: what it now says",
          .needs = NEED_SSE2, .deadline_ms = 10000, .run_item = lives, .items = &every_counter),
    CHECK("course.links", "a counter is started and halted by its link, again and again", .also = "9.5.6",
          .needs = NEED_SSE2, .deadline_ms = 10000, .run_item = links, .items = &every_counter),
    CHECK("course.due", "the PMI comes with the next count, whatever happens until then", .also = "E7",
          .needs = NEED_SSE2 | NEED_LAPIC, .deadline_ms = 10000, .run_item = due, .items = &every_counter),
    CHECK("course.drawn", "what was drawn happens to the counter: it does what the rules say",
          .also = "11.10", .needs = NEED_SSE2, .deadline_ms = 20000, .run_item = drawn,
          .items = &every_counter),
};
VECTOR_GROUP(courses);
