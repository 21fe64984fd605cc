/* The courses of failures, kept until their vector's point is printed. */
#include "course_failed.h"

#include "failure.h"
#include "kernel/log/log.h"

struct failed {
    bool is_kept, has_passed;
    struct course fails, passes;
};

static struct failed next, kept[FAILURES_LISTED];

void course_failed(const struct course *fails, const struct course *passes)
{
    next.is_kept = true;
    next.has_passed = passes != NULL;
    next.fails = *fails;
    if (passes)
        next.passes = *passes;
}

void courses_forget(void)
{
    next.is_kept = false;
}

void courses_keep(unsigned failure)
{
    if (failure < FAILURES_LISTED)
        kept[failure] = next;
    next.is_kept = false;
}

static void print_words(unsigned failure, const struct course *course)
{
    char words[COURSE_WORDS];

    for (unsigned i = 0; i < course->actors; i++) {
        course_tell_actor(course, i, words);
        tap_item("failure %u, first: %s", failure, words);
    }
    for (unsigned i = 0; i < course->steps; i++) {
        course_tell_step(course, i, words);
        tap_item("failure %u, step %u: %s", failure, i + 1, words);
    }
}

/* says: what course this is to the failure. */
static void print_course(unsigned failure, const char *says, const struct course *course)
{
    char text[COURSE_TEXT];

    if (course_print(course, text, sizeof text) < sizeof text)
        tap_item("failure %u %s course=%s", failure, says, text);
    else
        tap_item("failure %u %s a course of more than %u characters", failure, says, COURSE_TEXT - 1);
}

static void print(unsigned failure, const struct failed *f)
{
    print_course(failure, "is in the last step of", &f->fails);
    print_words(failure, &f->fails);
    if (f->has_passed)
        print_course(failure, "does not come in", &f->passes);
}

void courses_print(unsigned failures)
{
    bool follows = false;

    for (unsigned i = 0; i < failures && i < FAILURES_LISTED; i++)
        if (kept[i].is_kept) {
            if (!follows)
                tap_list("courses");
            follows = true;
            print(i + 1, &kept[i]);
        }
}
