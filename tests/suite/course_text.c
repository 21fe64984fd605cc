/* Courses as texts, and courses drawn at random. */
#include "course.h"

#include "kernel/lib/lib.h"
#include "pmc/count_of.h"
#include "pmc/netburst/map.h"

void course_without(struct course *course, unsigned step)
{
    course->steps--;
    for (unsigned i = step; i < course->steps; i++)
        course->step[i] = course->step[i + 1];
}

/* ---- Notation ---- */

#define ONE_ACTOR "wkvr" /* these steps name one */

static bool among(char c, const char *set)
{
    while (*set != '\0' && *set != c)
        set++;
    return *set != '\0';
}

void course_print(const struct course *course, char *out, size_t size)
{
    size_t n = 0;

    for (unsigned i = 0; i < course->actors && n < size; i++)
        n += format(out + n, size - n, "%s%u:%u:%x", i ? "," : "", course->actor[i].counter,
                    course->actor[i].kind, course->actor[i].cccr);
    for (unsigned i = 0; i < course->steps && n < size; i++) {
        const struct course_step *s = &course->step[i];
        char word[24], *at = word;

        if (s->by_sibling)
            *at++ = '\'';
        *at++ = s->what;
        for (unsigned a = 0; a < COURSE_ACTORS; a++)
            if (s->what == 'e' ? s->who >> a & 1 : among(s->what, ONE_ACTOR) && s->who == a)
                *at++ = (char)('a' + a);
        if (s->level)
            *at++ = (char)('0' + s->level);
        if (s->how)
            *at++ = s->how;
        if (s->bits || s->what == 'w')
            at += format(at, (size_t)(word + sizeof word - at), "=%x", s->bits);
        *at = '\0';
        n += format(out + n, size - n, "%c%s", i ? '-' : '/', word);
    }
}

static bool take(const char **text, char c)
{
    if (**text != c)
        return false;
    ++*text;
    return true;
}

static bool take_number(const char **text, unsigned base, uint32_t *value)
{
    const char *const first = *text;

    for (*value = 0;; ++*text) {
        const char c = **text;
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                      : 16;

        if (digit >= base || *text - first > 8)
            return *text != first && *text - first <= 8;
        *value = *value * base + digit;
    }
}

static const char *parse_actor(struct course *course, const char **text)
{
    struct course_actor *a = &course->actor[course->actors++];
    uint32_t counter, kind, cccr;

    if (!take_number(text, 10, &counter) || !take(text, ':') || !take_number(text, 10, &kind) ||
        !take(text, ':') || !take_number(text, 16, &cccr))
        return "an actor is COUNTER:KIND:CCCR";
    if (counter >= PMC_COUNTERS || kind >= COURSE_KINDS)
        return "a counter is 0 to 17, a kind 0 to 3";
    if (cccr & (CCCR_RESERVED_LOW | CCCR_ESCR_SELECT_MASK | CCCR_RESERVED_MID | CCCR_OVF))
        return "the CCCR of an actor has no ESCR select, OVF or reserved bits";
    *a = (struct course_actor){(uint8_t)counter, (uint8_t)kind, cccr};
    for (const struct course_actor *other = course->actor; other < a; other++)
        if (other->counter == counter || PMC_COUNTER[other->counter].block != PMC_COUNTER[counter].block)
            return "actors are different counters of one block";
    return NULL;
}

/* lU, lI: something happens to this processor when its next events come. */
static bool is_for_own_events(const struct course_step *s)
{
    return s->what == 'l' && among(s->how, "UI");
}

static const char *parse_step(struct course *course, const char **text)
{
    static const char HOWS[][13] = {['e' - 'e'] = "OUNXSAEMBFWR",
                                    ['k' - 'e'] = "0123",
                                    ['l' - 'e'] = "FMIU",
                                    ['s' - 'e'] = "RH",
                                    ['v' - 'e'] = "NZPCF"};
    struct course_step *s = &course->step[course->steps++];
    unsigned named = 0;

    *s = (struct course_step){.by_sibling = take(text, '\'')};
    s->what = **text;
    if (!among(s->what, "ewkvrlohis"))
        return "a step begins with e, w, k, v, r, l, o, h, i or s";
    for (++*text; **text >= 'a' && **text < 'a' + course->actors; ++*text, named++)
        s->who = s->what == 'e' ? s->who | (uint8_t)(1u << (**text - 'a')) : (uint8_t)(**text - 'a');
    if (s->what == 'e' && **text >= '1' && **text <= '3')
        s->level = (uint8_t)(*(*text)++ - '0');
    if (among(s->what, "eklsv") && **text != '\0' && among(**text, HOWS[s->what - 'e']))
        s->how = *(*text)++;
    if (s->what == 'w' && **text != '=' && named == 1)
        return "w has a value, in hexadecimal";
    if (take(text, '=') && (!among(s->what, "ew") || !take_number(text, 16, &s->bits)))
        return "only e and w have a value, in hexadecimal";
    if (s->what == 'w' && s->bits & (CCCR_RESERVED_LOW | CCCR_RESERVED_MID))
        return "the bits of w are CCCR bits that are not reserved";
    if (s->what == 'e' && s->bits > 1000)
        return "at most 1000 occurrences";
    if (among(s->what, ONE_ACTOR) ? named != 1 : s->what == 'e' ? named == 0 : named != 0)
        return "e names actors, w, k, v and r one, the others none";
    if (among(s->what, "klsv") && !s->how)
        return "k, l, s and v say at their end what";
    if (s->by_sibling && (among(s->what, "ohis") || is_for_own_events(s)))
        return "the sibling does e, w, k, v, r, lF and lM, and nothing else";
    return NULL;
}

/* No other processor has the events that lU and lI wait for. */
static const char *refuse_events(const struct course *course)
{
    bool waits = false;

    for (unsigned i = 0; i < course->steps; i++) {
        const struct course_step *s = &course->step[i];

        if (waits && s->what == 'e' && s->by_sibling)
            return "the events behind lU and lI are not the sibling's";
        waits = is_for_own_events(s) || (waits && s->what != 'e');
    }
    return NULL;
}

_Static_assert(COURSE_TEXT == 420, "see the refusal below");

const char *course_parse(struct course *course, const char *text)
{
    const char *const first = text, *why = NULL;

    *course = (struct course){.actors = 0};
    do
        why = course->actors < COURSE_ACTORS ? parse_actor(course, &text) : "at most 6 actors";
    while (!why && take(&text, ','));
    if (!why && !take(&text, '/'))
        why = "a slash follows the actors";
    while (!why) {
        why = course->steps < COURSE_STEPS ? parse_step(course, &text) : "at most 48 steps";
        if (!why && !take(&text, '-'))
            break;
    }
    if (!why && *text != '\0' && *text != ' ')
        why = "steps are joined by hyphens";
    if (!why && text - first >= COURSE_TEXT) /* it is never printed longer than it is read */
        why = "at most 419 characters";
    return why ? why : refuse_events(course);
}

/* ---- Drawing ---- */

bool course_complements(uint32_t cccr)
{
    return (cccr & CCCR_COMPARE) && (cccr & CCCR_COMPLEMENT);
}

static uint32_t random_below(struct random *random, uint32_t n)
{
    random->state = random->state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(random->state ^ random->state >> 15) * n >> 32);
}

#define INERT CCCR_COMPLEMENT | CCCR_EDGE
static const uint32_t FILTERS[] = {
    0,
    0,
    0,
    INERT | CCCR_THRESHOLD(5),
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

/* Kinds of one unit on one side would share an ESCR with two events. */
static uint8_t draw_kind(const struct course *course, unsigned counter, struct random *r)
{
    uint8_t kind = (uint8_t)random_below(r, COURSE_KINDS);

    for (unsigned i = 0; i < course->actors; i++)
        if (PMC_COUNTER[course->actor[i].counter].side == PMC_COUNTER[counter].side &&
            kind % 2 == course->actor[i].kind % 2)
            kind = course->actor[i].kind;
    return kind;
}

static void add_actor(struct course *course, unsigned counter, uint32_t cccr, struct random *r)
{
    struct course_actor *a = &course->actor[course->actors];

    *a = (struct course_actor){(uint8_t)counter, draw_kind(course, counter, r), cccr};
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

static void draw_step(struct course *course, struct random *r, bool live)
{
    static const char HOWS[] = {0, 0, 0, 0, 'W', 'O', 'U', 'N', 'X', 'A', 'E', 'F'};
    static const char VALUES[] = {'N', 'N', 'N', 'Z', 'Z', 'P', 'C', 'F'};
    struct course_step *s = &course->step[course->steps++];
    const unsigned what = random_below(r, 32);

    *s = (struct course_step){.what = 'e', .by_sibling = random_below(r, 4) == 0};
    s->who = (uint8_t)random_below(r, course->actors);
    if (live || what < 14) {
        s->who = random_below(r, 3) ? (uint8_t)(1u << s->who) : (uint8_t)((1u << course->actors) - 1);
        s->how = live ? 0 : PICK(r, HOWS);
        s->level = random_below(r, 4) ? 0 : (uint8_t)(1 + random_below(r, 3));
        s->bits = live || random_below(r, 4) ? 0 : 1;
    } else if (what < 24) {
        s->what = 'w';
        s->bits = PICK(r, CHANGES);
    } else if (what < 27) {
        s->what = 'v';
        s->how = PICK(r, VALUES);
    } else if (what == 27) {
        s->what = 'r';
    } else if (what < 30) {
        s->what = 'l';
        s->how = what == 28 && random_below(r, 2) ? 'M' : 'F';
    } else if (what == 30) {
        s->what = 's';
        s->how = random_below(r, 2) ? 'R' : 'H';
    } else {
        s->what = random_below(r, 8) ? 'h' : 'i';
    }
    if (among(s->what, "his"))
        s->by_sibling = false;
    if (!among(s->what, "ewvr"))
        s->who = 0;
}

/* Counters that count clocks without an event move while they are written. */
static void mend(struct course *course)
{
    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step *s = &course->step[i];

        if (s->what != 'v')
            continue;
        uint32_t cccr = course->actor[s->who].cccr;
        for (unsigned w = 0; w < i; w++)
            if (course->step[w].what == 'w' && course->step[w].who == s->who)
                cccr |= course->step[w].bits;
        if (course_complements(cccr))
            *s = (struct course_step){.what = 'r', .who = s->who};
    }
}

#define DRAWN_STEPS 13

static void add_events(struct course *course, unsigned actors, uint32_t occurrences)
{
    course->step[course->steps++] =
        (struct course_step){.what = 'e', .who = (uint8_t)actors, .bits = occurrences};
}

/* The first actor ends a step at 0, so that its PMI is due with the next count; something happens; and the
 * next count comes. */
static void draw_due(struct course *course, struct random *r)
{
    const uint32_t pmi = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;

    course->actor[0].cccr &= ~(uint32_t)CCCR_FORCE_OVF;
    if (!(course->actor[0].cccr & pmi))
        course->actor[0].cccr |= random_below(r, 2) ? CCCR_OVF_PMI_T0 : pmi;
    add_events(course, 1, 0);
    course->step[course->steps++] = (struct course_step){.what = 'w', .bits = CCCR_OVF};
    course->step[course->steps++] = (struct course_step){.what = 'l', .how = 'F'};
    course->step[course->steps++] = (struct course_step){.what = 'l', .how = 'F', .by_sibling = true};
    course->step[course->steps++] = (struct course_step){.what = 'v', .how = 'Z'};
    add_events(course, 1, 0);
    do
        draw_step(course, r, false);
    while (course->step[course->steps - 1].what == 'e' && course->steps--);
    if (among(course->step[course->steps - 1].what, "wvr") && random_below(r, 2))
        course->step[course->steps - 1].who = 0;
    add_events(course, 1, 1);
}

static void add_write(struct course *course, unsigned actor, uint32_t bits)
{
    course->step[course->steps++] = (struct course_step){.what = 'w', .who = (uint8_t)actor, .bits = bits};
}

/* The first actor, started by the second one, is halted in one of the manual's ways and started again. */
static void draw_again(struct course *course, struct random *r)
{
    const uint32_t link = course->actor[0].cccr & (CCCR_CASCADE | CCCR_CASCNT);
    const bool by_flag = random_below(r, 2), with_ovf = random_below(r, 2);

    add_events(course, 2, 0);
    add_events(course, 1, 0);
    if (by_flag)
        add_write(course, 0, link | (with_ovf ? CCCR_OVF : 0));
    if (random_below(r, 2))
        add_events(course, 3, 0);
    add_write(course, 1, CCCR_OVF);
    course->step[course->steps++] = (struct course_step){.what = 'v', .who = 1, .how = 'N'};
    if (by_flag)
        add_write(course, 0, link);
    if (random_below(r, 2))
        add_events(course, 1, 0);
    add_events(course, 2, 0);
    add_events(course, 1, 0);
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
    course->step[course->steps++] = (struct course_step){.what = 'l', .how = 'F'};
    if (random_below(r, 2))
        course->step[course->steps++] = (struct course_step){.what = 'l', .how = 'F', .by_sibling = true};
    if (random_below(r, 2))
        draw_third(course, r);
    for (unsigned i = course->actors; i-- > 1;) /* each overflows, or is about to */
        if (random_below(r, 8))
            add_events(course, 1u << i, 0);
    const unsigned life = random_below(r, 3);
    if (life == 0)
        draw_due(course, r);
    else if (life == 1 && !(start & CCCR_ENABLE))
        draw_again(course, r);
    while (course->steps < DRAWN_STEPS)
        draw_step(course, r, random_below(r, 3) == 0);
    add_events(course, (1u << course->actors) - 1, 0);
    mend(course);
}
