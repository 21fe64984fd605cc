/*
 * The courses of the failures of a run, for the diagnosis: the shortest that fails, in the notation and in
 * words, and the nearest that passes.
 */
#ifndef TESTS_SUITE_COURSE_FAILED_H
#define TESTS_SUITE_COURSE_FAILED_H

#include "course.h"

/* The expectation that fails next is about this course, as far as its last step, which goes wrong; and if
 * passes is not null, that one goes right. */
void course_failed(const struct course *fails, const struct course *passes);

/* A run begins: what course_failed() said is forgotten. */
void courses_forget(void);
/* Failure number `failure` of the run, from 0, is kept now, or not listed: it is about the course of
 * course_failed(), if that was called for it. */
void courses_keep(unsigned failure);
/* The list `courses` of the diagnosis, for those of the first failures that are about courses. */
void courses_print(unsigned failures);

#endif
