/*
 * Which vectors a run is of: the boot words only=, skip= and quick.
 */
#ifndef TESTS_SUITE_SELECTION_H
#define TESTS_SUITE_SELECTION_H

#include "kernel/run/options.h"
#include "vector.h"

typedef void visit_fn(const struct vector *row, unsigned member, const char *id);

/* Call visit (may be null) for each selected vector in the order they run; returns how many there are. */
unsigned selection_each(const struct options *options, visit_fn *visit);

/* Bail out when a pattern matches no vector of all there are. */
void selection_check(const struct options *options);

/* What a member of a row needs: a set of enum need. */
unsigned vector_needs(const struct vector *row, unsigned member);

#endif
