/* Courses drawn at random. */
#include "course_steps.h"

#include "pmc/count_of.h"
#include "pmc/netburst/map.h"

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
    CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_EDGE,
    CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15),
    CCCR_COMPARE | CCCR_COMPLEMENT,
};
#define PICK(random, array) (array)[course_random(random, COUNT_OF(array))]

/* What is inverted of ACTIVE_THREAD 11B. Mostly it becomes 01B, by which a counter counts beside a halted
 * sibling. */
static uint32_t draw_gate(struct random *r)
{
    return CCCR_ACTIVE_THREAD(ACTIVE_ANY ^ (course_random(r, 4) ? ACTIVE_SINGLE : ACTIVE_BOTH));
}

static uint32_t draw_bits(struct random *r)
{
    static const uint32_t PMIS[] = {0, 0, CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1,
                                    CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1};
    uint32_t cccr = PICK(r, FILTERS) | PICK(r, PMIS) | CCCR_ACTIVE_MASK;

    if (cccr & CCCR_COMPARE && course_random(r, 2) == 0)
        cccr ^= CCCR_THRESHOLD(course_random(r, 16));
    if (course_random(r, 8) == 0)
        cccr |= CCCR_FORCE_OVF;
    if (course_random(r, 4) == 0)
        cccr ^= draw_gate(r);
    return cccr;
}

/* Events of one unit on one side would share an ESCR with two events. */
static uint8_t draw_event(const struct course *course, unsigned counter, struct random *r)
{
    uint8_t event = (uint8_t)course_random(r, COURSE_EVENTS);

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
    const unsigned way = course_random(r, 4);

    *by = c->cascade_from;
    if (way == 0 || c->cascade_from == PMC_NONE)
        return CCCR_ENABLE;
    if (c->extended_from != PMC_NONE && way >= 2) {
        *by = c->extended_from;
        return way == 2 ? CCCR_CASCNT : CCCR_CASCNT | CCCR_CASCADE;
    }
    return CCCR_CASCADE;
}

/* plain: events in which nothing is special. */
static void draw_step(struct course *course, struct random *r, bool plain)
{
    const unsigned kind =
        plain ? STEP_EVENTS
              : course_random_row(r, &COURSE_ROW[0].weight, sizeof COURSE_ROW[0], COURSE_STEP_KINDS);
    const struct course_row *row = &COURSE_ROW[kind];
    const unsigned actor = course_random(r, course->actors);
    struct course_step *s = &course->step[course->steps++];

    *s = row->of == OF_SOME ? course_events_of(1u << actor, COURSE_WORK) : (struct course_step){.actor = 0};
    s->kind = (uint8_t)kind;
    s->by_sibling = row->by == BY_ANY && course_random(r, 4) == 0;
    if (row->of == OF_ONE)
        s->actor = (uint8_t)actor;
    if (row->of == OF_SOME && course_random(r, 3) == 0)
        s->actors = (uint8_t)((1u << course->actors) - 1);
    if (row->draw && !plain)
        row->draw(s, course, r);
}

/* All bits that the CCCR of an actor has had, or may have had, before a step, while writes say what they
 * invert. */
static uint32_t bits_before(const struct course *course, unsigned step, unsigned actor)
{
    uint32_t bits = course->actor[actor].cccr;

    for (unsigned i = 0; i < step; i++)
        if (course_does(&course->step[i], DOES_CCCR) && course->step[i].actor == actor)
            bits |= course->step[i].bits;
    return bits;
}

/* May an actor be started by a counter that is none? */
static bool waits_for_others(const struct course *course, unsigned step)
{
    for (unsigned i = 0; i < course->actors; i++) {
        const struct pmc_counter *c = &PMC_COUNTER[course->actor[i].counter];
        const uint32_t bits = bits_before(course, step, i);

        if ((bits & CCCR_CASCADE && c->cascade_from != PMC_NONE &&
             (c->cascade_from_alternative != PMC_NONE || !has_actor(course, (unsigned)c->cascade_from))) ||
            (bits & CCCR_CASCNT && c->extended_from != PMC_NONE &&
             !has_actor(course, (unsigned)c->extended_from)))
            return true;
    }
    return false;
}

/* Counters that count clocks without an event move while they are written. What sets OVF of other counters
 * must start none of the course. */
static void mend(struct course *course)
{
    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step *s = &course->step[i];

        if ((course_does(s, DOES_COUNTER) && course_complements(bits_before(course, i, s->actor))) ||
            (s->kind == STEP_UNUSED_OVF && waits_for_others(course, course->steps)))
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

/* In a third of the courses the sibling writes the CCCR of the first actor, as it is. */
static void add_write_of_sibling(struct course *course, struct random *r)
{
    if (course_random(r, 3) == 0)
        add(course, (struct course_step){.kind = STEP_CCCR,
                                         .by_sibling = true,
                                         .fields = CCCR_ENABLE,
                                         .bits = course->actor[0].cccr & CCCR_ENABLE});
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
        course->actor[0].cccr |= course_random(r, 2) ? CCCR_OVF_PMI_T0 : COURSE_PMIS;
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
    if (course_row(drawn)->of == OF_ONE && course_random(r, 2))
        drawn->actor = 0;
    add_events(course, 1, 1);
}

/* The first actor, started by the second one, is halted in one of the manual's ways and started again. */
static void draw_restart(struct course *course, struct random *r)
{
    const uint32_t link = course->actor[0].cccr & COURSE_LINKS;
    const bool by_flag = course_random(r, 2), with_ovf = course_random(r, 2);

    add_events(course, 2, COURSE_WORK);
    add_events(course, 1, COURSE_WORK);
    if (by_flag)
        add_write(course, 0, link | (with_ovf ? CCCR_OVF : 0));
    if (course_random(r, 2))
        add_events(course, 3, COURSE_WORK);
    add_write(course, 1, CCCR_OVF);
    add(course,
        (struct course_step){.kind = STEP_COUNTER, .actor = 1, .value = COUNTER_OVERFLOW_IN(COURSE_NEAR)});
    if (by_flag)
        add_write(course, 0, link);
    if (course_random(r, 2))
        add_events(course, 1, COURSE_WORK);
    add_events(course, 2, COURSE_WORK);
    add_events(course, 1, COURSE_WORK);
}

/* Another counter of the block, which starts nothing or something else, or is started beside the first actor.
 * In the blocks of four counters the first actor keeps its twin. */
static void draw_third(struct course *course, struct random *r)
{
    const struct pmc_counter *s = &PMC_COUNTER[course->actor[0].counter];
    const unsigned first = course_random(r, PMC_COUNTERS);
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

/* The other counters of its side are stopped, so that none is its twin; then no counter of another block runs
 * either (course_play.c). */
static void stop_others(struct course *course, unsigned counter, struct random *r)
{
    const struct pmc_counter *c = &PMC_COUNTER[counter];

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (n != counter && PMC_COUNTER[n].block == c->block && PMC_COUNTER[n].side == c->side)
            add_actor(course, n, CCCR_ACTIVE_MASK, r);
}

void course_draw(struct course *course, unsigned counter, struct random *r)
{
    const bool alone = course_random(r, 8) == 0;
    int by = PMC_NONE;
    const uint32_t start = alone ? CCCR_ENABLE : draw_start(counter, r, &by);

    *course = (struct course){.actors = 0};
    add_actor(course, counter, start | draw_bits(r), r);
    if (alone)
        stop_others(course, counter, r);
    if (by != PMC_NONE) {
        int by_by;
        const uint32_t its = draw_start((unsigned)by, r, &by_by);
        const bool mutual = by_by == (int)counter; /* it waits for the first one, which must run */
        const bool chained = !(its & CCCR_ENABLE) && by_by != PMC_NONE && (!mutual || (start & CCCR_ENABLE));
        const uint32_t plain = CCCR_ACTIVE_MASK | (course_random(r, 2) ? CCCR_OVF_PMI_T0 : 0);

        add_actor(course, (unsigned)by,
                  (chained ? its : CCCR_ENABLE) | (course_random(r, 2) ? plain : draw_bits(r)), r);
        if (chained && !has_actor(course, (unsigned)by_by))
            add_actor(course, (unsigned)by_by, CCCR_ENABLE | CCCR_ACTIVE_MASK, r);
    }
    add_unmask(course, false);
    if (course_random(r, 2))
        add_unmask(course, true);
    if (!alone && course_random(r, 2))
        draw_third(course, r);
    add_write_of_sibling(course, r);
    for (unsigned i = course->actors; i-- > 1;) /* each overflows, or is about to */
        if (course_random(r, 8))
            add_events(course, 1u << i, COURSE_WORK);
    const unsigned life = course_random(r, 3);
    if (life == 0)
        draw_due(course, r);
    else if (life == 1 && !(start & CCCR_ENABLE))
        draw_restart(course, r);
    while (course->steps < DRAWN_STEPS)
        draw_step(course, r, course_random(r, 3) == 0);
    add_events(course, (1u << course->actors) - 1, COURSE_WORK);
    mend(course);
    course_invert(course);
}

/* ---- The same course in other circumstances ---- */

/* How its plain work is done. */
static const struct manner {
    uint8_t weight, level, flags;
    bool by_sibling;
} MANNERS[] = {
    {3, 0, FLAGS_WORKER, false},
    {4, 0, FLAG_WORKER_OS, false},
    {3, 3, FLAG_WORKER_USR, false},
    {1, 3, FLAGS_WORKER, false},
    {1, 0, FLAGS_WORKER | FLAGS_OTHER, false},
    {2, 0, FLAGS_WORKER, true},
    {1, 3, FLAG_WORKER_USR, true},
    {1, 0, FLAG_WORKER_OS, true},
};

static bool is_plain(const struct course_step *step)
{
    return course_does(step, DOES_EVENTS) && step->how == HOW_PLAIN && step->flags == FLAGS_WORKER &&
           step->level == 0 && !step->by_sibling;
}

/* All of its plain work in one manner, or each step in one of its own; but what was counted and set back is
 * counted again in the same manner. */
static void work_as_drawn(struct course *course, struct random *r)
{
    const bool mixed = course_random(r, 2);
    const struct manner *manner = NULL;
    bool again = false;

    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step *step = &course->step[i];

        again |= step->kind == STEP_COUNTER_BACK || step->kind == STEP_COUNTER_SHORT;
        if (!is_plain(step))
            continue;
        if (!manner || (mixed && !again))
            manner = &MANNERS[course_random_row(r, &MANNERS[0].weight, sizeof MANNERS[0], COUNT_OF(MANNERS))];
        again = false;
        step->level = manner->level;
        step->flags = manner->flags;
        step->by_sibling = manner->by_sibling;
    }
}

/* The sibling writes and reads, one time in two. */
static void write_by_sibling(struct course *course, struct random *r)
{
    for (unsigned i = 0; i < course->steps; i++)
        if (course_does(&course->step[i], DOES_CCCR | DOES_COUNTER | DOES_READ))
            course->step[i].by_sibling |= course_random(r, 2);
}

#define PAST_STEPS 11 /* of a past at most, with the write of the sibling */

/* The first actor, Y, has counted, overflowed, been read and written, and halts and INIT have come; X and a
 * third one have overflowed. */
static void add_past(struct course *course, struct random *r)
{
    if (course_random(r, 3) == 0) {
        add_unmask(course, false);
        add_unmask(course, true);
        add_events(course, 1, COURSE_WORK);
        add(course, (struct course_step){.kind = STEP_CCCR, .fields = CCCR_OVF});
        add(course, (struct course_step){.kind = STEP_HALT});
        if (course_random(r, 24) == 0) /* it takes 10 ms */
            add(course, (struct course_step){.kind = STEP_INIT});
        add(course, (struct course_step){.kind = STEP_COUNTER, .value = course->actor[0].start});
    }
    for (unsigned i = 1; i < course->actors; i++)
        if (course_random(r, 2))
            add_events(course, 1u << i, COURSE_WORK);
    if (course_random(r, 4) == 0)
        add(course, (struct course_step){.kind = STEP_LOOP});
}

/* Each of these flags in one case of so many. */
struct chance {
    uint32_t flags, one_in;
};

static uint32_t draw_flags(const struct chance *chances, unsigned count, struct random *r)
{
    uint32_t flags = 0;

    for (unsigned i = 0; i < count; i++)
        flags |= course_random(r, chances[i].one_in) == 0 ? chances[i].flags : 0;
    return flags;
}

/* Fields that do nothing without COMPARE, or COMPARE alone, by which each clock with events counts once; and
 * sometimes ACTIVE_THREAD. */
static uint32_t draw_filter(struct random *r)
{
    const unsigned way = course_random(r, 6);
    const uint32_t filter = way == 0   ? CCCR_COMPARE
                            : way <= 2 ? CCCR_THRESHOLD(course_random(r, 16)) |
                                             (course_random(r, 2) ? CCCR_COMPLEMENT : 0) |
                                             (course_random(r, 2) ? CCCR_EDGE : 0)
                                       : 0;

    return filter | (course_random(r, 4) == 0 ? draw_gate(r) : 0);
}

void course_vary(struct course *course, struct random *r, uint32_t beside)
{
    static const struct chance OF_Y[] = {{CCCR_CASCADE, 2},
                                         {CCCR_CASCNT, 4},
                                         {CCCR_OVF_PMI_T0, 3},
                                         {CCCR_OVF_PMI_T1, 4},
                                         {CCCR_FORCE_OVF, 10}};
    static const struct chance OF_X[] = {{CCCR_CASCADE, 2}, {CCCR_OVF_PMI_T0, 4}};
    const struct course plain = *course;

    course->actor[0].cccr ^= (draw_flags(OF_Y, COUNT_OF(OF_Y), r) | draw_filter(r)) & beside;
    if (beside & CCCR_CASCADE) {
        course->actor[1].cccr ^= draw_flags(OF_X, COUNT_OF(OF_X), r);
        if (course->actor[1].cccr & CCCR_CASCADE && course_random(r, 2)) /* it waits for its own X */
            course->actor[1].cccr &= ~(uint32_t)CCCR_ENABLE;
    }
    course->steps = 0;
    if (course_random(r, 4) == 0)
        draw_third(course, r);
    /* Where there is no room for both, one time in two the last steps of the course make room. */
    if (plain.steps <= COURSE_STEPS - PAST_STEPS || course_random(r, 2)) {
        add_past(course, r);
        add_write_of_sibling(course, r);
    }
    for (unsigned i = 0; i < plain.steps && course->steps < COURSE_STEPS; i++)
        add(course, plain.step[i]);
    work_as_drawn(course, r);
    if (course_random(r, 3) == 0)
        write_by_sibling(course, r);
    mend(course);
}
