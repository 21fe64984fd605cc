/*
 * Courses as texts, which the boot word course= brings (tests/suite/course_text.c, course_old.c). The first
 * byte is the size of a buffer to print into, the rest the text. Whatever it holds: no byte outside it is
 * read, what is taken is within the limits of a course and is printed so that it is read as the same course,
 * a refusal has words, and a print stays within its buffer. What it says in words does, too.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite/course_steps.h"

static void check_limits(const struct course *course)
{
    assert(course->actors >= 1 && course->actors <= COURSE_ACTORS);
    assert(course->steps >= 1 && course->steps <= COURSE_STEPS);
    for (unsigned i = 0; i < course->actors; i++) {
        const struct course_actor *a = &course->actor[i];
        char words[COURSE_WORDS];

        assert(a->counter < PMC_COUNTERS && a->event < COURSE_EVENTS && a->start <= COUNTER_MASK);
        assert(!(a->cccr & (CCCR_OVF | CCCR_ESCR_SELECT_MASK | CCCR_RESERVED_LOW | CCCR_RESERVED_MID)));
        course_tell_actor(course, i, words);
        assert(strlen(words) < COURSE_WORDS - 1);
    }
    for (unsigned i = 0; i < course->steps; i++) {
        const struct course_step *step = &course->step[i];
        char words[COURSE_WORDS];

        assert(step->kind < COURSE_STEP_KINDS && step->how < COURSE_HOWS);
        assert(step->actors < 1u << course->actors && step->actor < course->actors);
        assert(step->level <= 3 && step->flags <= (FLAGS_WORKER | FLAGS_OTHER));
        assert(step->occurrences <= COURSE_MOST && step->value <= COUNTER_MASK);
        assert(!(step->bits & ~step->fields) && !(step->bits & CCCR_OVF));
        course_tell_step(course, i, words);
        assert(strlen(words) < COURSE_WORDS - 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t room = size > 0 ? 1u + data[0] : 1, length = size > 0 ? size - 1 : 0;
    char *text = malloc(length + 1), *cut = malloc(room);
    struct course course, again;

    assert(text != NULL && cut != NULL);
    if (length > 0)
        memcpy(text, data + 1, length);
    text[length] = '\0';
    const char *const why = course_parse(&course, text, room % 2);
    if (why) {
        assert(why[0] != '\0');
    } else {
        char whole[COURSE_TEXT], second[COURSE_TEXT];

        check_limits(&course);
        const size_t printed = course_print(&course, whole, sizeof whole);
        assert(printed == strlen(whole)); /* so that the log has all of it */
        assert(course_parse(&again, whole, room % 2) == NULL);
        course_print(&again, second, sizeof second);
        assert(strcmp(whole, second) == 0);
        course_print(&course, cut, room);
        assert(strlen(cut) < room && strncmp(cut, whole, strlen(cut)) == 0);
    }
    free(cut);
    free(text);
    return 0;
}
