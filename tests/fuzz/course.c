/*
 * Courses as texts, which the boot word course= brings (tests/suite/course_text.c). The first byte is the
 * size of a buffer to print into, the rest the text. Whatever it holds: no byte outside it is read, what is
 * taken is within the limits of a course and is printed so that it is read as the same course, a refusal has
 * words, and a print stays within its buffer.
 */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite/course.h"

static void check_limits(const struct course *course)
{
    assert(course->actors >= 1 && course->actors <= COURSE_ACTORS);
    assert(course->steps >= 1 && course->steps <= COURSE_STEPS);
    for (unsigned i = 0; i < course->actors; i++)
        assert(course->actor[i].counter < PMC_COUNTERS && course->actor[i].kind < COURSE_KINDS);
    for (unsigned i = 0; i < course->steps; i++) {
        const struct course_step *step = &course->step[i];

        assert(step->what == 'e' ? step->who < 1u << course->actors : step->who < course->actors);
        assert(step->level <= 3 && (step->what != 'e' || step->bits <= 1000));
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
    const char *const why = course_parse(&course, text);
    if (why) {
        assert(why[0] != '\0');
    } else {
        char whole[COURSE_TEXT + 1], second[COURSE_TEXT + 1];

        check_limits(&course);
        course_print(&course, whole, sizeof whole);
        assert(strlen(whole) < COURSE_TEXT); /* so that the log has all of it */
        assert(course_parse(&again, whole) == NULL);
        course_print(&again, second, sizeof second);
        assert(strcmp(whole, second) == 0);
        course_print(&course, cut, room);
        assert(strlen(cut) < room && strncmp(cut, whole, strlen(cut)) == 0);
    }
    free(cut);
    free(text);
    return 0;
}
