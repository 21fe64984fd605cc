/*
 * Names that are nearly right: what was probably meant by a name that no list has.
 */
#ifndef SIM_PROGRAM_NEAR_H
#define SIM_PROGRAM_NEAR_H

#include <stdio.h>

#define NEAR_NAME_MAX 64 /* longer names are never near */

/* Write "; did you mean NAME?" into hint[0..size) with the name nearest to wanted among the first words of
 * the lines that list prints; nothing when none is near: one error in three characters, at most three. */
void near_hint(const char *wanted, void (*list)(FILE *out), char *hint, size_t size);

#endif
