/*
 * Which vectors run: the boot words only=, skip=, quick and thorough.
 */
#ifndef TESTS_SUITE_SELECTION_H
#define TESTS_SUITE_SELECTION_H

#include "kernel/run/options.h"
#include "vector.h"

typedef void visit_fn(const struct vector *row, unsigned member, const char *id);

/* Let every theme make its tables: before anything else here. */
void selection_prepare(const struct options *options);

/* Does the boot line select everything? */
bool selection_is_full(const struct options *options);
/* Boot word thorough: vectors that can do more than is usual do it. */
bool selection_is_thorough(void);
/* The notation of the boot word course=, up to a blank or the end; null: none. With it, and without only=,
 * the vector TYPED_COURSE runs alone; without it this vector is not there. */
const char *selection_course(void);
#define TYPED_COURSE "course.typed"

/* Call visit (may be null) for each selected vector in the order they run; returns how many there are. */
unsigned selection_each(const struct options *options, visit_fn *visit);

/* Write a comment line about each selected vector: its rules, needs, and which need is not met. */
void selection_list(const struct options *options);

/* Bail out when a pattern matches no vector of all there are. */
void selection_check(const struct options *options);

/* The row of the single vector with this id. An id that no row has is our own fault and bails out. */
const struct vector *selection_row(const char *id);
/* Why the single vector of this row does not run: a need that this machine does not meet, or that the boot
 * line does not select it. Null when nothing is against it. */
const char *selection_why_not(const struct options *options, const struct vector *row);

#endif
