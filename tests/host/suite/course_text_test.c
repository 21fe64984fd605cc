/*
 * The notation of courses, and courses drawn at random (tests/suite/course_text.c): what is read is printed
 * as it was written, what is drawn is read as it is printed, and whatever a text holds, no byte beyond its
 * end is read and a refusal says what is wrong. course_test.c plays courses.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "tests/suite/course.h"

static const char *printed(const struct course *course)
{
    static char text[COURSE_TEXT];

    course_print(course, text, sizeof text);
    return text;
}

/* Parse a copy of the text that ends where its memory ends, so that a sanitizer sees what is read beyond. */
static const char *parse_exact(struct course *course, const char *text, size_t length)
{
    char *const copy = malloc(length + 1);
    const char *why;

    assert_non_null(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    why = course_parse(course, copy);
    free(copy);
    return why;
}

static bool is_same(const struct course *a, const struct course *b)
{
    bool same = a->actors == b->actors && a->steps == b->steps;

    for (unsigned i = 0; same && i < a->actors; i++)
        same = a->actor[i].counter == b->actor[i].counter && a->actor[i].kind == b->actor[i].kind &&
               a->actor[i].cccr == b->actor[i].cccr;
    for (unsigned i = 0; same && i < a->steps; i++)
        same = a->step[i].what == b->step[i].what && a->step[i].how == b->step[i].how &&
               a->step[i].by_sibling == b->step[i].by_sibling && a->step[i].who == b->step[i].who &&
               a->step[i].level == b->step[i].level && a->step[i].bits == b->step[i].bits;
    return same;
}

/* ---- Read ---- */

#define IQ "12:0:31000,14:1:31000"
#define SIX_OF_IQ \
    "12:0:31000,13:0:31000,14:1:31000,15:1:31000,16:2:31000,17:3:31000" /* all counters of the block */
#define TEN_STEPS "o-o-o-o-o-o-o-o-o-o"

TEST(each_letter_is_read)
{
    static const struct {
        const char *step; /* of IQ */
        struct course_step read;
    } ROWS[] = {
        {"eab", {.what = 'e', .who = 3}},
        {"eb", {.what = 'e', .who = 2}},
        {"ea3", {.what = 'e', .who = 1, .level = 3}},
        {"ea1", {.what = 'e', .who = 1, .level = 1}},
        {"'ea3U=3e8", {.what = 'e', .who = 1, .level = 3, .how = 'U', .bits = 1000, .by_sibling = true}},
        {"eaO", {.what = 'e', .who = 1, .how = 'O'}},
        {"eaN", {.what = 'e', .who = 1, .how = 'N'}},
        {"eaX", {.what = 'e', .who = 1, .how = 'X'}},
        {"eaS", {.what = 'e', .who = 1, .how = 'S'}},
        {"eaA", {.what = 'e', .who = 1, .how = 'A'}},
        {"eaE", {.what = 'e', .who = 1, .how = 'E'}},
        {"eaM", {.what = 'e', .who = 1, .how = 'M'}},
        {"eaB", {.what = 'e', .who = 1, .how = 'B'}},
        {"eaF", {.what = 'e', .who = 1, .how = 'F'}},
        {"eaW", {.what = 'e', .who = 1, .how = 'W'}},
        {"eaR", {.what = 'e', .who = 1, .how = 'R'}},
        {"kb3", {.what = 'k', .who = 1, .how = '3'}},
        {"ka0", {.what = 'k', .how = '0'}},
        {"wb=80000000", {.what = 'w', .who = 1, .bits = CCCR_OVF}},
        {"wa=0", {.what = 'w'}},
        {"'vaN", {.what = 'v', .how = 'N', .by_sibling = true}},
        {"vaZ", {.what = 'v', .how = 'Z'}},
        {"vaP", {.what = 'v', .how = 'P'}},
        {"vaC", {.what = 'v', .how = 'C'}},
        {"vbF", {.what = 'v', .who = 1, .how = 'F'}},
        {"rb", {.what = 'r', .who = 1}},
        {"lF", {.what = 'l', .how = 'F'}},
        {"lM", {.what = 'l', .how = 'M'}},
        {"lU", {.what = 'l', .how = 'U'}},
        {"lI", {.what = 'l', .how = 'I'}},
        {"o", {.what = 'o'}},
        {"h", {.what = 'h'}},
        {"i", {.what = 'i'}},
        {"sR", {.what = 's', .how = 'R'}},
        {"sH", {.what = 's', .how = 'H'}},
    };

    for (unsigned i = 0; i < COUNT_OF(ROWS); i++) {
        struct course due = {
            .actors = 2,
            .steps = 1,
            .actor = {{12, 0, CCCR_ENABLE | CCCR_ACTIVE_MASK}, {14, 1, CCCR_ENABLE | CCCR_ACTIVE_MASK}},
            .step = {ROWS[i].read}};
        struct course course;
        char text[COURSE_TEXT] = IQ "/";

        strcat(text, ROWS[i].step);
        assert_null(parse_exact(&course, text, strlen(text)));
        if (!is_same(&course, &due))
            fail_msg("%s is not read as it should be", text);
        assert_string_equal(printed(&course), text);
    }
}

/* The boot line goes on after a course. */
TEST(a_blank_ends_a_course)
{
    struct course course;

    assert_null(course_parse(&course, IQ "/ea-eb only=course"));
    assert_string_equal(printed(&course), IQ "/ea-eb");
}

TEST(a_course_may_be_as_large_as_its_limits)
{
    struct course course;

    assert_null(course_parse(&course, SIX_OF_IQ "/eabcdef"));
    assert_int_equal(course.actors, COURSE_ACTORS);
    assert_int_equal(course.step[0].who, 0x3F);
    assert_null(
        course_parse(&course, IQ "/" TEN_STEPS "-" TEN_STEPS "-" TEN_STEPS "-" TEN_STEPS "-o-o-o-o-o-o-o-o"));
    assert_int_equal(course.steps, COURSE_STEPS);
}

TEST(each_refusal_says_what_is_wrong)
{
    static const struct {
        const char *text, *why;
    } ROWS[] = {
        {"", "an actor is COUNTER:KIND:CCCR"},
        {"x", "an actor is COUNTER:KIND:CCCR"},
        {"12", "an actor is COUNTER:KIND:CCCR"},
        {"12:0", "an actor is COUNTER:KIND:CCCR"},
        {"12:0:", "an actor is COUNTER:KIND:CCCR"},
        {"c:0:31000/ea", "an actor is COUNTER:KIND:CCCR"},
        {"12:0:0000031000/ea", "an actor is COUNTER:KIND:CCCR"}, /* more than eight digits */
        {"4294967308:0:31000/ea", "an actor is COUNTER:KIND:CCCR"},
        {"12:0:31000,/ea", "an actor is COUNTER:KIND:CCCR"},
        {"18:0:31000/ea", "a counter is 0 to 17, a kind 0 to 3"},
        {"12:4:31000/ea", "a counter is 0 to 17, a kind 0 to 3"},
        {"12:0:80031000/ea", "the CCCR of an actor has no ESCR select, OVF or reserved bits"},
        {"12:0:33000/ea", "the CCCR of an actor has no ESCR select, OVF or reserved bits"},
        {"12:0:31001/ea", "the CCCR of an actor has no ESCR select, OVF or reserved bits"},
        {"12:0:10031000/ea", "the CCCR of an actor has no ESCR select, OVF or reserved bits"},
        {"12:0:31000,12:1:31000/ea", "actors are different counters of one block"},
        {"12:0:31000,11:1:31000/ea", "actors are different counters of one block"},
        {SIX_OF_IQ ",12:0:31000/ea", "at most 6 actors"},
        {"12:0:31000", "a slash follows the actors"},
        {"12:0:31000-ea", "a slash follows the actors"},
        {"12:0:31000/", "a step begins with e, w, k, v, r, l, o, h, i or s"},
        {"12:0:31000/'", "a step begins with e, w, k, v, r, l, o, h, i or s"},
        {"12:0:31000/ea-", "a step begins with e, w, k, v, r, l, o, h, i or s"},
        {"12:0:31000/''ea", "a step begins with e, w, k, v, r, l, o, h, i or s"},
        {"12:0:31000/ra=1", "only e and w have a value, in hexadecimal"},
        {"12:0:31000/ea=", "only e and w have a value, in hexadecimal"},
        {"12:0:31000/wa=X", "only e and w have a value, in hexadecimal"},
        {"12:0:31000/wa=123456789", "only e and w have a value, in hexadecimal"},
        {"12:0:31000/wa=1", "the bits of w are CCCR bits that are not reserved"},
        {"12:0:31000/wa=10000000", "the bits of w are CCCR bits that are not reserved"},
        {"12:0:31000/ea=3e9", "at most 1000 occurrences"},
        {"12:0:31000/e", "e names actors, w, k, v and r one, the others none"},
        {"12:0:31000/eb", "e names actors, w, k, v and r one, the others none"},
        {IQ "/rab", "e names actors, w, k, v and r one, the others none"},
        {IQ "/w=1000", "e names actors, w, k, v and r one, the others none"},
        {IQ "/ha", "e names actors, w, k, v and r one, the others none"},
        {"12:0:31000/ka", "k, l, s and v say at their end what"},
        {"12:0:31000/ka4", "k, l, s and v say at their end what"},
        {"12:0:31000/vaR", "k, l, s and v say at their end what"},
        {"12:0:31000/l", "k, l, s and v say at their end what"},
        {"12:0:31000/s", "k, l, s and v say at their end what"},
        {"12:0:31000/" TEN_STEPS "-" TEN_STEPS "-" TEN_STEPS "-" TEN_STEPS "-o-o-o-o-o-o-o-o-o",
         "at most 48 steps"},
        {"12:0:31000/eaea", "steps are joined by hyphens"},
        {"12:0:31000/ea4", "steps are joined by hyphens"},
        {"12:0:31000/eaOU", "steps are joined by hyphens"},
        {"12:0:31000/wa", "w has a value, in hexadecimal"},
        {"12:0:31000/'o", "the sibling does e, w, k, v, r, lF and lM, and nothing else"},
        {"12:0:31000/'h", "the sibling does e, w, k, v, r, lF and lM, and nothing else"},
        {"12:0:31000/'i", "the sibling does e, w, k, v, r, lF and lM, and nothing else"},
        {"12:0:31000/'sR", "the sibling does e, w, k, v, r, lF and lM, and nothing else"},
        {"12:0:31000/'lU", "the sibling does e, w, k, v, r, lF and lM, and nothing else"},
        {"12:0:31000/'lI", "the sibling does e, w, k, v, r, lF and lM, and nothing else"},
        {"12:0:31000/lU-'ea", "the events behind lU and lI are not the sibling's"},
        {"12:0:31000/lI-h-'ea", "the events behind lU and lI are not the sibling's"},
        {"12:0:31000/r1", "e names actors, w, k, v and r one, the others none"},
        {"12:0:31000/ra1", "steps are joined by hyphens"},
    };

    for (unsigned i = 0; i < COUNT_OF(ROWS); i++) {
        struct course course;
        const char *why = parse_exact(&course, ROWS[i].text, strlen(ROWS[i].text));

        if (!why)
            fail_msg("%s is taken", ROWS[i].text);
        assert_string_equal(why, ROWS[i].why);
    }
}

/* The log prints a course that fails, whole. */
TEST(a_text_is_as_long_as_the_log_prints_it)
{
    char text[COURSE_TEXT + 20] = IQ "/";
    struct course course;

    while (strlen(text) < COURSE_TEXT - 12)
        strcat(text, "'wa=40000000-");
    while (strlen(text) < COURSE_TEXT - 3)
        strcat(text, "o-");
    const size_t begun = strlen(text);
    const bool lacks_two = begun == COURSE_TEXT - 3;
    strcat(text, lacks_two ? "lF" : "o");
    assert_int_equal(strlen(text), COURSE_TEXT - 1);
    assert_null(course_parse(&course, text));
    assert_string_equal(printed(&course), text);
    strcat(text, " only=course"); /* the boot line goes on */
    assert_null(course_parse(&course, text));
    strcpy(text + begun, lacks_two ? "o-o" : "lF");
    assert_int_equal(strlen(text), COURSE_TEXT);
    assert_string_equal(course_parse(&course, text), "at most 419 characters");
}

/* lU and lI wait for the next events alone. */
TEST(the_sibling_has_events_after_those_that_lu_waits_for)
{
    struct course course;

    assert_null(course_parse(&course, IQ "/lU-ea-'ea"));
    assert_null(course_parse(&course, IQ "/lI-'ra-'wa=0-ea-'eb"));
}

/* Each beginning of a text, and each text with another byte in one place: it is refused, or printed so that
 * it is read as the same course. */
static void assert_steady(const char *text, size_t length)
{
    struct course course, again;

    if (parse_exact(&course, text, length))
        return;
    assert_true(course.actors <= COURSE_ACTORS && course.steps <= COURSE_STEPS);
    assert_null(course_parse(&again, printed(&course)));
    if (!is_same(&course, &again))
        fail_msg("%.*s is printed as %s", (int)length, text, printed(&course));
}

TEST(hostile_texts_are_refused_or_read_as_they_are_printed)
{
    static const char TEXT[] = SIX_OF_IQ "/'eabc3U=3e8-wf=c0000000-kb3-'vaN-rb-lF-o-h-i-sR";
    static const char BYTES[] = "\x01 !'+,-/0189:=AFXZ`abfgwklorsvz~\x7F\x80\xFF";
    char text[sizeof TEXT];

    for (size_t length = 0; length < sizeof TEXT; length++)
        assert_steady(TEXT, length);
    for (size_t at = 0; at < sizeof TEXT - 1; at++)
        for (const char *byte = BYTES; *byte != '\0'; byte++) {
            memcpy(text, TEXT, sizeof TEXT);
            text[at] = *byte;
            assert_steady(text, sizeof TEXT - 1);
        }
}

/* ---- Drawn ---- */

#define DRAWN 3000

TEST(what_is_drawn_is_read_as_it_is_printed)
{
    struct random random = {.state = 1};

    for (unsigned i = 0; i < DRAWN; i++) {
        struct course course, read;

        course_draw(&course, i % PMC_COUNTERS, &random);
        assert_int_equal(course.actor[0].counter, i % PMC_COUNTERS);
        assert_true(strlen(printed(&course)) < COURSE_TEXT - 1);
        assert_null(course_parse(&read, printed(&course)));
        if (!is_same(&course, &read))
            fail_msg("drawn otherwise than it is printed: %s", printed(&course));
    }
}

/* A counter that counts clocks without an event moves while it is written, so what was read of it before says
 * nothing of it after. */
TEST(nothing_that_counts_without_an_event_is_written)
{
    struct random random = {.state = 2};

    for (unsigned i = 0; i < DRAWN; i++) {
        struct course course;
        uint32_t cccr[COURSE_ACTORS];

        course_draw(&course, i % PMC_COUNTERS, &random);
        for (unsigned a = 0; a < course.actors; a++)
            cccr[a] = course.actor[a].cccr;
        for (unsigned s = 0; s < course.steps; s++) {
            const struct course_step *step = &course.step[s];

            if (step->what == 'w')
                cccr[step->who] ^= step->bits;
            assert_false(step->what == 'v' && course_complements(cccr[step->who]));
        }
    }
}

/* ---- A text that does not fit ---- */

TEST(a_text_is_cut_where_its_buffer_ends)
{
    struct course course;

    assert_null(course_parse(&course, SIX_OF_IQ "/eabcdef-wf=c0000000"));
    for (size_t size = 1; size < 90; size++) {
        char *const text = malloc(size);

        assert_non_null(text);
        course_print(&course, text, size);
        assert_true(strlen(text) < size);
        assert_memory_equal(text, printed(&course), strlen(text));
        free(text);
    }
}
