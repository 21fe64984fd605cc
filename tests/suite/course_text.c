/*
 * Courses as texts:
 *
 *   COURSE = COUNTER{+COUNTER}/STEP{/STEP}
 *   COUNTER = number:EVENT,FIELD=VALUE,...,COUNTER=VALUE
 *   STEP = [LP0:|LP1:][number{+number}:|unused:]WORD
 *
 * What a WORD is, course_steps.c knows.
 */
#include "course_steps.h"

#include "kernel/lib/lib.h"
#include "pmc/count_of.h"

/* ---- Courses ---- */

uint32_t course_cccr_before(const struct course *course, unsigned step, unsigned actor)
{
    const struct course_actor *a = &course->actor[actor];
    uint32_t cccr = a->cccr | course_select(a->counter, a->event);

    for (unsigned i = 0; i < step; i++)
        if (course_does(&course->step[i], DOES_CCCR) && course->step[i].actor == actor)
            cccr = (cccr & ~course->step[i].fields) | course->step[i].bits;
    return cccr;
}

/* A write that inverts nothing writes ENABLE as it is: each write names a field. */
void course_invert(struct course *course)
{
    static const uint32_t FIELDS[] = {CCCR_ESCR_SELECT_MASK, CCCR_ACTIVE_MASK, CCCR_THRESHOLD_MASK};

    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step *step = &course->step[i];
        const uint32_t inverted = step->bits;

        if (!course_does(step, DOES_CCCR) || step->fields)
            continue;
        const uint32_t cccr = course_cccr_before(course, i, step->actor);
        step->fields = inverted ? inverted : CCCR_ENABLE;
        for (unsigned f = 0; f < COUNT_OF(FIELDS); f++)
            step->fields |= inverted & FIELDS[f] ? FIELDS[f] : 0;
        step->bits = (cccr ^ inverted) & step->fields & ~CCCR_OVF;
    }
}

/* ---- Printed ---- */

static unsigned worker_of(const struct course *course, const struct course_step *step)
{
    return course->boot ^ (step->by_sibling || course_row(step)->by == BY_SIBLING);
}

static void write_event(struct course_writer *w, const struct course_actor *a)
{
    const struct course_event *event = course_event(a->counter, a->event);

    course_write(w, "%s%s", PMC_EVENT[event->event].name, event->member);
}

/* The counters that a step is about, between `+`. */
static void write_counters(struct course_writer *w, const struct course *course,
                           const struct course_step *step, const char *between)
{
    const unsigned actors = course_row(step)->of == OF_ONE ? 1u << step->actor : step->actors;
    bool follows = false;

    for (unsigned i = 0; i < course->actors; i++)
        if (actors >> i & 1) {
            course_write(w, "%s%u", follows ? between : "", course->actor[i].counter);
            follows = true;
        }
}

static void print_step(struct course_writer *w, const struct course *course, const struct course_step *step)
{
    const struct course_row *row = course_row(step);
    const unsigned worker = worker_of(course, step);

    course_write(w, "/");
    if (worker != course->boot || row->of == OF_NONE)
        course_write(w, "LP%u:", worker);
    if (row->of == OF_UNUSED)
        course_write(w, "unused:");
    else if (row->of != OF_NONE) {
        write_counters(w, course, step, "+");
        course_write(w, ":");
    }
    course_write(w, "%s", row->word);
    if (row->print)
        row->print(step, worker, w);
}

/* A field of an actor is not said if it is 0. */
static uint32_t fields_of(uint32_t cccr)
{
    return cccr | (cccr & CCCR_ACTIVE_MASK ? CCCR_ACTIVE_MASK : 0) |
           (cccr & CCCR_THRESHOLD_MASK ? CCCR_THRESHOLD_MASK : 0);
}

size_t course_print(const struct course *course, char *out, size_t size)
{
    struct course_writer w = {out, size, 0};

    for (unsigned i = 0; i < course->actors; i++) {
        const struct course_actor *a = &course->actor[i];

        course_write(&w, "%s%u:", i ? "+" : "", a->counter);
        write_event(&w, a);
        course_write(&w, ",");
        course_write_fields(&w, fields_of(a->cccr), a->cccr);
        course_write(&w, "%sCOUNTER=", a->cccr ? "," : "");
        course_write_value(&w, a->start);
    }
    for (unsigned i = 0; i < course->steps; i++)
        print_step(&w, course, &course->step[i]);
    return w.length;
}

/* ---- In words ---- */

void course_tell_actor(const struct course *course, unsigned actor, char out[COURSE_WORDS])
{
    const struct course_actor *a = &course->actor[actor];
    struct course_writer w = {out, COURSE_WORDS, 0};
    uint8_t twins[COURSE_ACTORS];

    course_twins(course, twins);
    course_write(&w, "counter %u counts ", a->counter);
    write_event(&w, a);
    course_write(&w, ", ");
    course_tell_fields(&w, fields_of(a->cccr) | CCCR_ENABLE, a->cccr);
    course_write(&w, ", and begins at ");
    course_write_value(&w, a->start);
    if (twins[actor] != COURSE_NOBODY)
        course_write(&w, "; its twin is counter %u", twins[actor]);
}

void course_tell_step(const struct course *course, unsigned number, char out[COURSE_WORDS])
{
    const struct course_step *step = &course->step[number];
    const struct course_row *row = course_row(step);
    struct course_writer w = {out, COURSE_WORDS, 0};

    out[0] = '\0';
    for (const char *at = row->says; *at != '\0'; at++)
        if (*at == '@')
            course_write(&w, "LP%u", worker_of(course, step));
        else if (*at == '#') {
            course_write(&w, row->of == OF_SOME && (step->actors & (step->actors - 1)) ? "counters "
                                                                                       : "counter ");
            write_counters(&w, course, step, " and ");
        } else
            course_put(&w, *at);
    if (row->tell)
        row->tell(step, worker_of(course, step), &w);
}

/* ---- Read ---- */

static const char *take_event(const char **text, struct course_actor *a)
{
    const char *end = *text;

    while (*end != '\0' && *end != ' ' && *end != ',' && *end != '/' && *end != '+')
        end++;
    for (unsigned i = 0; i < COURSE_EVENTS; i++) {
        const struct course_event *event = course_event(a->counter, i);
        const char *at = *text;

        if (course_take(&at, PMC_EVENT[event->event].name) && course_take(&at, event->member) && at == end) {
            a->event = (uint8_t)i;
            *text = end;
            return NULL;
        }
    }
    return "a counter has one of the four events of its block: docs/add-a-vector.md lists them";
}

static const char *parse_actor(struct course *course, const char **text)
{
    struct course_actor *a = &course->actor[course->actors];
    unsigned counter;
    uint32_t fields = 0;
    const char *why;

    if (!course_take_number(text, &counter) || !course_take(text, ":"))
        return "a counter is number:EVENT,FIELD=VALUE,...,COUNTER=VALUE";
    if (counter >= PMC_COUNTERS)
        return "a counter is 0 to 17";
    for (unsigned i = 0; i < course->actors; i++)
        if (course->actor[i].counter == counter ||
            PMC_COUNTER[course->actor[i].counter].block != PMC_COUNTER[counter].block)
            return "the counters of a course are different ones of one block";
    *a = (struct course_actor){.counter = (uint8_t)counter};
    course->actors++;
    why = take_event(text, a);
    if (why)
        return why;
    if (!course_take(text, ","))
        return "behind the event of a counter its fields are written, and COUNTER=";
    while (!course_take(text, "COUNTER=")) {
        why = course_take_field(text, &fields, &a->cccr);
        if (!why && !course_take(text, ","))
            why = "each counter ends with COUNTER= and what it holds first";
        if (!why && fields & (CCCR_ESCR_SELECT_MASK | CCCR_OVF))
            why = "a counter begins with OVF 0 and the ESCR of its event";
        if (why)
            return why;
    }
    return course_take_value(text, &a->start) ? NULL : "COUNTER= has a value like -20, 0 or FFFFFFECH";
}

/* "12+14:", by the numbers of the course's counters. */
static const char *take_counters(const struct course *course, const char **text, unsigned *actors)
{
    *actors = 0;
    do {
        unsigned counter, i = 0;

        if (!course_take_number(text, &counter))
            return "counters are joined by + before a colon";
        while (i < course->actors && course->actor[i].counter != counter)
            i++;
        if (i == course->actors || (*actors >> i & 1))
            return "a step is about counters of the course, each once";
        *actors |= 1u << i;
    } while (course_take(text, "+"));
    return course_take(text, ":") ? NULL : "counters are joined by + before a colon";
}

static unsigned first_of(unsigned actors)
{
    unsigned i = 0;

    while (!(actors >> i & 1))
        i++;
    return i;
}

static const char *parse_step(struct course *course, const char **text)
{
    struct course_step *step = &course->step[course->steps++];
    unsigned lp = course->boot, actors = 0;
    bool unused = false;

    if (course_take(text, "LP0:"))
        lp = 0;
    else if (course_take(text, "LP1:"))
        lp = 1;
    if (**text >= '0' && **text <= '9') {
        const char *why = take_counters(course, text, &actors);

        if (why)
            return why;
    } else
        unused = course_take(text, "unused:");
    for (unsigned kind = 0; kind < COURSE_STEP_KINDS; kind++) {
        const struct course_row *row = &COURSE_ROW[kind];
        const bool one = actors && !(actors & (actors - 1));

        if ((row->of == OF_UNUSED) != unused || (row->of == OF_NONE && actors) ||
            (row->of == OF_ONE && !one) || (row->of == OF_SOME && !actors) ||
            (row->by == BY_BOOT && lp != course->boot) || (row->by == BY_SIBLING && lp == course->boot) ||
            (*row->word != '\0' && *row->word != **text) || !course_take(text, row->word))
            continue;
        *step = (struct course_step){.kind = (uint8_t)kind,
                                     .by_sibling = row->by == BY_ANY && lp != course->boot,
                                     .actor = (uint8_t)(row->of == OF_ONE ? first_of(actors) : 0),
                                     .actors = (uint8_t)(row->of == OF_SOME ? actors : 0)};
        return row->parse ? row->parse(step, lp, text) : NULL;
    }
    return "a step is WHO:WHAT, and there is no such step; docs/add-a-vector.md has them all";
}

static bool is_old(const char *text)
{
    unsigned number;

    return course_take_number(&text, &number) && course_take(&text, ":") &&
           course_take_number(&text, &number);
}

static const char *parse(struct course *course, const char *text)
{
    const char *const first = text, *why = NULL;

    if (is_old(text)) {
        char unused[1];

        why = course_parse_old(course, text);
        return why ? why
               : course_print(course, unused, sizeof unused) >= COURSE_TEXT
                   ? "this older course is written in more than 900 characters today"
                   : NULL;
    }
    do
        why = course->actors < COURSE_ACTORS ? parse_actor(course, &text) : "at most 6 counters";
    while (!why && course_take(&text, "+"));
    if (!why && !course_take(&text, "/"))
        why = "a slash follows the counters";
    while (!why) {
        why = course->steps < COURSE_STEPS ? parse_step(course, &text) : "at most 48 steps";
        if (!why && !course_take(&text, "/"))
            break;
    }
    if (!why && *text != '\0' && *text != ' ')
        why = "steps are joined by slashes";
    if (!why && text - first >= COURSE_TEXT) /* it is never printed longer than it is read */
        why = "at most 900 characters";
    return why;
}
_Static_assert(COURSE_TEXT == 901 && COURSE_ACTORS == 6 && COURSE_STEPS == 48, "see the refusals above");

const char *course_parse(struct course *course, const char *text, unsigned boot)
{
    course->actors = course->steps = 0;
    course->boot = (uint8_t)boot;
    return parse(course, text);
}
