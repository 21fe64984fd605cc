/*
 * Courses as the logs of versions before 2026-12 have them: actors, joined by commas, a slash, steps, joined
 * by hyphens. An actor is COUNTER:EVENT:CCCR: the flat number, the event 0 to 3 of its block, the CCCR
 * without its ESCR select, in hexadecimal. The actors are a, b, c ... in steps. A step:
 *
 * - eab: the ESCRs of a and b get their events while work is done; then, if at all: 1, 2, 3: the CPL of the
 *   work; a letter of HOWS; =N: N occurrences, in hexadecimal, not COURSE_WORK
 * - kaN: the CCCR of a is written with the ESCR select of event N
 * - wa=BITS: the CCCR of a is written with these bits inverted; with bit 31 OVF is cleared
 * - vaN: the counter of a is written: a letter of VALUES, or Z: as many counts as it counted last end at 0
 * - ra: the registers of a are read
 * - others: a row of OTHERS
 *
 * An apostrophe before a step: the sibling does it.
 */
#include "course.h"

#include "course_steps.h"
#include "pmc/count_of.h"

static const struct {
    char letter;
    uint8_t flags, how;
} HOWS[] = {
    {'O', FLAG_WORKER_OS, HOW_PLAIN},
    {'U', FLAG_WORKER_USR, HOW_PLAIN},
    {'N', 0, HOW_PLAIN},
    {'X', FLAGS_OTHER, HOW_PLAIN},
    {'S', FLAG_OTHER_OS, HOW_PLAIN},
    {'A', FLAGS_WORKER | FLAGS_OTHER, HOW_PLAIN},
    {'E', FLAGS_WORKER, HOW_NO_SELECT},
    {'M', FLAGS_WORKER, HOW_NO_MASK},
    {'B', FLAGS_WORKER, HOW_TWICE},
    {'F', FLAGS_WORKER, HOW_OTHER_FIRST},
    {'W', FLAGS_WORKER, HOW_HALT},
    {'R', FLAGS_WORKER, HOW_INIT},
};

static const struct {
    char letter;
    uint64_t value;
} VALUES[] = {
    {'N', COUNTER_OVERFLOW_IN(COURSE_NEAR)},
    {'P', 0},
    {'C', (1ull << 32) - COURSE_NEAR},
    {'F', COUNTER_OVERFLOW_IN(COURSE_FAR)},
};

static const struct {
    const char *text;
    uint8_t kind;
} OTHERS[] = {
    {"lF", STEP_LVTPC_FIXED}, {"lM", STEP_LVTPC_MASKED}, {"lU", STEP_LVTPC_LATER},
    {"lI", STEP_IPI},         {"o", STEP_UNUSED_OVF},    {"h", STEP_HALT},
    {"i", STEP_INIT},         {"sR", STEP_LOOP},         {"sH", STEP_PARK},
};

static const char REFUSED[] = "no course, neither as docs/add-a-vector.md has it nor of an older log";

static bool take_hexadecimal(const char **text, uint32_t *value)
{
    const char *const first = *text;

    for (*value = 0;; ++*text) {
        const char c = **text;
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                      : 16;

        if (digit == 16 || *text - first > 8)
            return *text != first && *text - first <= 8;
        *value = *value * 16 + digit;
    }
}

static bool take_actor(struct course *course, const char **text)
{
    struct course_actor *a = &course->actor[course->actors++];
    unsigned counter, event;
    uint32_t cccr;

    if (!course_take_number(text, &counter) || !course_take(text, ":") || !course_take_number(text, &event) ||
        !course_take(text, ":") || !take_hexadecimal(text, &cccr) || counter >= PMC_COUNTERS ||
        event >= COURSE_EVENTS ||
        cccr & (CCCR_RESERVED_LOW | CCCR_ESCR_SELECT_MASK | CCCR_RESERVED_MID | CCCR_OVF))
        return false;
    for (const struct course_actor *other = course->actor; other < a; other++)
        if (other->counter == counter || PMC_COUNTER[other->counter].block != PMC_COUNTER[counter].block)
            return false;
    *a = (struct course_actor){(uint8_t)counter, (uint8_t)course_first_like(counter, event), cccr,
                               course_start(cccr)};
    return true;
}

/* The letters of actors. */
static unsigned take_actors(const struct course *course, const char **text)
{
    unsigned actors = 0;

    for (; **text >= 'a' && **text < 'a' + course->actors; ++*text)
        actors |= 1u << (**text - 'a');
    return actors;
}

static bool take_events(const struct course *course, struct course_step *s, const char **text)
{
    uint32_t occurrences = COURSE_WORK;

    s->kind = STEP_EVENTS;
    s->flags = FLAGS_WORKER;
    s->actors = (uint8_t)take_actors(course, text);
    if (**text >= '1' && **text <= '3')
        s->level = (uint8_t)(*(*text)++ - '0');
    for (unsigned i = 0; i < COUNT_OF(HOWS); i++)
        if (**text == HOWS[i].letter) {
            s->flags = HOWS[i].flags;
            s->how = HOWS[i].how;
            ++*text;
            break;
        }
    if (course_take(text, "=") && !take_hexadecimal(text, &occurrences))
        return false;
    s->occurrences = (uint16_t)(occurrences ? occurrences : COURSE_WORK);
    return s->actors && occurrences <= COURSE_MOST;
}

static bool take_value(struct course_step *s, const char **text)
{
    if (course_take(text, "Z")) {
        s->kind = STEP_COUNTER_BACK;
        return true;
    }
    s->kind = STEP_COUNTER;
    for (unsigned i = 0; i < COUNT_OF(VALUES); i++)
        if (**text == VALUES[i].letter) {
            s->value = VALUES[i].value;
            ++*text;
            return true;
        }
    return false;
}

static bool take_select(const struct course *course, struct course_step *s, const char **text)
{
    unsigned event;

    s->kind = STEP_CCCR;
    s->fields = CCCR_ESCR_SELECT_MASK;
    if (!course_take_number(text, &event) || event >= COURSE_EVENTS)
        return false;
    s->bits = course_select(course->actor[s->actor].counter, event);
    return true;
}

static bool take_bits(struct course_step *s, const char **text)
{
    s->kind = STEP_CCCR;
    return course_take(text, "=") && take_hexadecimal(text, &s->bits) &&
           !(s->bits & (CCCR_RESERVED_LOW | CCCR_RESERVED_MID));
}

static bool take_step(const struct course *course, struct course_step *s, const char **text)
{
    *s = (struct course_step){.by_sibling = course_take(text, "'")};
    if (course_take(text, "e"))
        return take_events(course, s, text);
    for (unsigned i = 0; i < COUNT_OF(OTHERS); i++)
        if (course_take(text, OTHERS[i].text)) {
            s->kind = OTHERS[i].kind;
            return !s->by_sibling || course_row(s)->by == BY_ANY;
        }
    const char what = **text;

    if (what != 'k' && what != 'w' && what != 'v' && what != 'r')
        return false;
    ++*text;
    if (**text < 'a' || **text >= 'a' + course->actors)
        return false;
    s->actor = (uint8_t)(*(*text)++ - 'a');
    s->kind = STEP_READ;
    return what == 'k'   ? take_select(course, s, text)
           : what == 'w' ? take_bits(s, text)
           : what == 'v' ? take_value(s, text)
                         : true;
}

const char *course_parse_old(struct course *course, const char *text)
{
    do
        if (course->actors == COURSE_ACTORS || !take_actor(course, &text))
            return REFUSED;
    while (course_take(&text, ","));
    if (!course_take(&text, "/"))
        return REFUSED;
    do {
        if (course->steps == COURSE_STEPS || !take_step(course, &course->step[course->steps], &text))
            return REFUSED;
        course->steps++;
    } while (course_take(&text, "-"));
    course_invert(course);
    return *text == '\0' || *text == ' ' ? NULL : REFUSED;
}
