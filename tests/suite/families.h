/* Families that more than one theme uses (vector.h). */
#ifndef TESTS_SUITE_FAMILIES_H
#define TESTS_SUITE_FAMILIES_H

#include "vector.h"

/* The suffix of a member that is a number: "7". */
void number_suffix(unsigned member, char *out, size_t size);

/* Members 0..17: the counters by flat number, "0" to "17". */
extern const struct family every_counter;

#endif
