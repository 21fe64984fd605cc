/* Courses drawn at random. */
#include "course_steps.h"

#include "pmc/count_of.h"
#include "pmc/netburst/map.h"

static uint32_t random_below(struct random *random, uint32_t n)
{
    random->state = random->state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(random->state ^ random->state >> 15) * n >> 32);
}

static const uint32_t FILTERS[] = {
    0,
    0,
    0,
    CCCR_COMPLEMENT | CCCR_EDGE | CCCR_THRESHOLD(5),
    CCCR_COMPARE,
    CCCR_COMPARE,
    CCCR_COMPARE | CCCR_THRESHOLD(1),
    CCCR_COMPARE | CCCR_THRESHOLD(15),
    CCCR_COMPARE | CCCR_EDGE,
    CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15),
    CCCR_COMPARE | CCCR_COMPLEMENT,
};
static const uint32_t CHANGES[] = {
    CCCR_ENABLE,
    CCCR_ENABLE,
    CCCR_CASCADE,
    CCCR_CASCADE,
    CCCR_CASCNT,
    CCCR_OVF,
    CCCR_OVF,
    CCCR_OVF,
    CCCR_FORCE_OVF,
    CCCR_OVF_PMI_T0,
    CCCR_OVF_PMI_T1,
    CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1,
    CCCR_ACTIVE_THREAD(1),
    CCCR_ACTIVE_THREAD(2),
    CCCR_COMPARE,
    CCCR_COMPARE,
    CCCR_COMPLEMENT,
    CCCR_THRESHOLD(15),
    CCCR_THRESHOLD(1),
    CCCR_THRESHOLD(4),
    CCCR_EDGE,
    CCCR_ESCR_SELECT_MASK,
    CCCR_OVF | CCCR_CASCADE,
    CCCR_OVF | CCCR_CASCNT,
    CCCR_OVF | CCCR_ENABLE,
    0,
    CCCR_COMPARE | CCCR_THRESHOLD_MASK,
    CCCR_ENABLE | CCCR_FORCE_OVF,
};
#define PICK(random, array) (array)[random_below(random, COUNT_OF(array))]

static uint32_t draw_bits(struct random *r)
{
    static const uint32_t PMIS[] = {0, 0, CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1,
                                    CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1};
    uint32_t cccr = PICK(r, FILTERS) | PICK(r, PMIS) | CCCR_ACTIVE_MASK;

    if (cccr & CCCR_COMPARE && random_below(r, 2) == 0)
        cccr ^= CCCR_THRESHOLD(random_below(r, 16));
    if (random_below(r, 8) == 0)
        cccr |= CCCR_FORCE_OVF;
    if (random_below(r, 6) == 0)
        cccr ^= CCCR_ACTIVE_THREAD(1 + random_below(r, 2));
    return cccr;
}

/* Events of one unit on one side would share an ESCR with two events. */
static uint8_t draw_event(const struct course *course, unsigned counter, struct random *r)
{
    uint8_t event = (uint8_t)random_below(r, COURSE_EVENTS);

    for (unsigned i = 0; i < course->actors; i++)
        if (PMC_COUNTER[course->actor[i].counter].side == PMC_COUNTER[counter].side &&
            event % 2 == course->actor[i].event % 2)
            event = course->actor[i].event;
    return (uint8_t)course_first_like(counter, event);
}

static void add_actor(struct course *course, unsigned counter, uint32_t cccr, struct random *r)
{
    struct course_actor *a = &course->actor[course->actors];

    *a = (struct course_actor){(uint8_t)counter, draw_event(course, counter, r), cccr, course_start(cccr)};
    course->actors++;
}

static bool has_actor(const struct course *course, unsigned counter)
{
    for (unsigned i = 0; i < course->actors; i++)
        if (course->actor[i].counter == counter)
            return true;
    return false;
}

/* The bits by which the counter may be started, and who then starts it. */
static uint32_t draw_start(unsigned counter, struct random *r, int *by)
{
    const struct pmc_counter *c = &PMC_COUNTER[counter];
    const unsigned way = random_below(r, 4);

    *by = c->cascade_from;
    if (way == 0 || c->cascade_from == PMC_NONE)
        return CCCR_ENABLE;
    if (c->extended_from != PMC_NONE && way >= 2) {
        *by = c->extended_from;
        return way == 2 ? CCCR_CASCNT : CCCR_CASCNT | CCCR_CASCADE;
    }
    return CCCR_CASCADE;
}

/* Of four steps of events one is in one of these ways. */
static const struct special {
    uint8_t flags, how;
} SPECIALS[] = {
    {FLAGS_WORKER, HOW_PLAIN},     {FLAGS_WORKER, HOW_PLAIN},
    {FLAGS_WORKER, HOW_PLAIN},     {FLAGS_WORKER, HOW_PLAIN},
    {FLAGS_WORKER, HOW_HALT},      {FLAG_WORKER_OS, HOW_PLAIN},
    {FLAG_WORKER_USR, HOW_PLAIN},  {0, HOW_PLAIN},
    {FLAGS_OTHER, HOW_PLAIN},      {FLAGS_WORKER | FLAGS_OTHER, HOW_PLAIN},
    {FLAGS_WORKER, HOW_NO_SELECT}, {FLAGS_WORKER, HOW_OTHER_FIRST},
};

static void draw_events(struct course *course, struct course_step *s, unsigned actor, struct random *r,
                        bool live)
{
    s->kind = STEP_EVENTS;
    s->actors = random_below(r, 3) ? (uint8_t)(1u << actor) : (uint8_t)((1u << course->actors) - 1);
    const struct special special = live ? SPECIALS[0] : PICK(r, SPECIALS);
    s->flags = special.flags;
    s->how = special.how;
    s->level = random_below(r, 4) ? 0 : (uint8_t)(1 + random_below(r, 3));
    s->occurrences = live || random_below(r, 4) ? COURSE_WORK : 1;
}

static void draw_value(struct course_step *s, struct random *r)
{
    static const uint64_t VALUES[] = {COUNTER_OVERFLOW_IN(COURSE_NEAR),
                                      COUNTER_OVERFLOW_IN(COURSE_NEAR),
                                      COUNTER_OVERFLOW_IN(COURSE_NEAR),
                                      1, /* -last_events */
                                      1,
                                      0,
                                      (1ull << 32) - COURSE_NEAR,
                                      COUNTER_OVERFLOW_IN(COURSE_FAR)};

    s->value = PICK(r, VALUES);
    s->kind = s->value == 1 ? STEP_COUNTER_BACK : STEP_COUNTER;
    if (s->kind == STEP_COUNTER_BACK)
        s->value = 0;
}

static void draw_step(struct course *course, struct random *r, bool live)
{
    struct course_step *s = &course->step[course->steps++];
    const unsigned what = random_below(r, 32);
    const bool by_sibling = random_below(r, 4) == 0;
    const uint8_t actor = (uint8_t)random_below(r, course->actors);

    *s = (struct course_step){.kind = STEP_READ};
    if (live || what < 14) {
        draw_events(course, s, actor, r, live);
    } else if (what < 24) {
        s->kind = STEP_CCCR;
        s->bits = PICK(r, CHANGES);
    } else if (what < 27) {
        draw_value(s, r);
    } else if (what < 28) {
        s->kind = STEP_READ;
    } else if (what < 30) {
        s->kind = what == 28 && random_below(r, 2) ? STEP_LVTPC_MASKED : STEP_LVTPC_FIXED;
    } else if (what == 30) {
        s->kind = random_below(r, 2) ? STEP_LOOP : STEP_PARK;
    } else {
        s->kind = random_below(r, 8) ? STEP_HALT : STEP_INIT;
    }
    s->by_sibling = by_sibling && course_row(s)->by == BY_ANY;
    s->actor = course_row(s)->of == OF_ONE ? actor : 0;
}

/* Counters that count clocks without an event move while they are written. */
static void mend(struct course *course)
{
    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step *s = &course->step[i];

        if (!course_does(s, DOES_COUNTER))
            continue;
        uint32_t cccr = course->actor[s->actor].cccr;
        for (unsigned w = 0; w < i; w++)
            if (course_does(&course->step[w], DOES_CCCR) && course->step[w].actor == s->actor)
                cccr |= course->step[w].bits;
        if (course_complements(cccr))
            *s = (struct course_step){.kind = STEP_READ, .actor = s->actor};
    }
}

#define DRAWN_STEPS 13

static void add(struct course *course, struct course_step step)
{
    course->step[course->steps++] = step;
}

static void add_events(struct course *course, unsigned actors, unsigned occurrences)
{
    add(course, course_events_of(actors, occurrences));
}

/* A write that inverts these bits: course_invert(). */
static void add_write(struct course *course, unsigned actor, uint32_t bits)
{
    add(course, (struct course_step){.kind = STEP_CCCR, .actor = (uint8_t)actor, .bits = bits});
}

static void add_unmask(struct course *course, bool by_sibling)
{
    add(course, (struct course_step){.kind = STEP_LVTPC_FIXED, .by_sibling = by_sibling});
}

/* The first actor ends a step at 0, so that its PMI is due with the next count; something happens; and the
 * next count comes. */
static void draw_due(struct course *course, struct random *r)
{
    course->actor[0].cccr &= ~(uint32_t)CCCR_FORCE_OVF;
    if (!(course->actor[0].cccr & COURSE_PMIS))
        course->actor[0].cccr |= random_below(r, 2) ? CCCR_OVF_PMI_T0 : COURSE_PMIS;
    add_events(course, 1, COURSE_WORK);
    add_write(course, 0, CCCR_OVF);
    add_unmask(course, false);
    add_unmask(course, true);
    add(course, (struct course_step){.kind = STEP_COUNTER_BACK});
    add_events(course, 1, COURSE_WORK);
    do
        draw_step(course, r, false);
    while (course_does(&course->step[course->steps - 1], DOES_EVENTS) && course->steps--);
    struct course_step *drawn = &course->step[course->steps - 1];
    if (course_row(drawn)->of == OF_ONE && random_below(r, 2))
        drawn->actor = 0;
    add_events(course, 1, 1);
}

/* The first actor, started by the second one, is halted in one of the manual's ways and started again. */
static void draw_restart(struct course *course, struct random *r)
{
    const uint32_t link = course->actor[0].cccr & COURSE_LINKS;
    const bool by_flag = random_below(r, 2), with_ovf = random_below(r, 2);

    add_events(course, 2, COURSE_WORK);
    add_events(course, 1, COURSE_WORK);
    if (by_flag)
        add_write(course, 0, link | (with_ovf ? CCCR_OVF : 0));
    if (random_below(r, 2))
        add_events(course, 3, COURSE_WORK);
    add_write(course, 1, CCCR_OVF);
    add(course,
        (struct course_step){.kind = STEP_COUNTER, .actor = 1, .value = COUNTER_OVERFLOW_IN(COURSE_NEAR)});
    if (by_flag)
        add_write(course, 0, link);
    if (random_below(r, 2))
        add_events(course, 1, COURSE_WORK);
    add_events(course, 2, COURSE_WORK);
    add_events(course, 1, COURSE_WORK);
}

/* Another counter of the block, which starts nothing or something else, or is started beside the first actor.
 * In the blocks of four counters the first actor keeps its twin. */
static void draw_third(struct course *course, struct random *r)
{
    const struct pmc_counter *s = &PMC_COUNTER[course->actor[0].counter];
    const unsigned first = random_below(r, PMC_COUNTERS);
    int by;

    for (unsigned i = 0; i < PMC_COUNTERS; i++) {
        const unsigned n = (first + i) % PMC_COUNTERS;

        if (PMC_COUNTER[n].block != s->block || has_actor(course, n) ||
            (PMC_COUNTER[n].side == s->side && s->block != BLOCK_IQ))
            continue;
        add_actor(course, n, draw_start(n, r, &by) | CCCR_ACTIVE_MASK, r);
        return;
    }
}

void course_draw(struct course *course, unsigned counter, struct random *r)
{
    int by;
    const uint32_t start = draw_start(counter, r, &by);

    *course = (struct course){.actors = 0};
    add_actor(course, counter, start | draw_bits(r), r);
    if (by != PMC_NONE) {
        int by_by;
        const uint32_t its = draw_start((unsigned)by, r, &by_by);
        const bool chained = !(its & CCCR_ENABLE) && by_by != (int)counter && by_by != PMC_NONE;
        const uint32_t plain = CCCR_ACTIVE_MASK | (random_below(r, 2) ? CCCR_OVF_PMI_T0 : 0);

        add_actor(course, (unsigned)by,
                  (chained ? its : CCCR_ENABLE) | (random_below(r, 2) ? plain : draw_bits(r)), r);
        if (chained && !has_actor(course, (unsigned)by_by))
            add_actor(course, (unsigned)by_by, CCCR_ENABLE | CCCR_ACTIVE_MASK, r);
    }
    add_unmask(course, false);
    if (random_below(r, 2))
        add_unmask(course, true);
    if (random_below(r, 2))
        draw_third(course, r);
    for (unsigned i = course->actors; i-- > 1;) /* each overflows, or is about to */
        if (random_below(r, 8))
            add_events(course, 1u << i, COURSE_WORK);
    const unsigned life = random_below(r, 3);
    if (life == 0)
        draw_due(course, r);
    else if (life == 1 && !(start & CCCR_ENABLE))
        draw_restart(course, r);
    while (course->steps < DRAWN_STEPS)
        draw_step(course, r, random_below(r, 3) == 0);
    add_events(course, (1u << course->actors) - 1, COURSE_WORK);
    mend(course);
    course_invert(course);
}
