/*
 * The characterisation sheet: what this silicon does for every question that the manual leaves open
 * (pmu-rules 10, 11). Probes state lines; the suite prints them after the last vector, in the order of the
 * questions:
 *
 *   # sheet 10.1a cascade start: follows OVF of X (level)
 *
 * A question for which nothing was stated says why: what the machine lacks, or that its vector was left out.
 * An answer is in doubt when a check failed by a rule that its probe takes for granted: it might be the
 * defect that was probed. It is in doubt, too, when a point of the harness failed on which its probe rests.
 */
#ifndef TESTS_SUITE_SHEET_H
#define TESTS_SUITE_SHEET_H

#include <stdint.h>
#include "vector.h"

/*
 * State what was found for a question of the table in sheet.c, such as "10.1a"; a later statement replaces an
 * earlier one. A question that is not in the table is our own fault and bails out. Longer text than a line
 * holds is cut.
 */
void sheet_line(const char *question, const char *fmt, ...);

/* The arguments of "%u.%02u" for a number in hundredths. */
#define RATIO(hundredths) (hundredths) / 100, (hundredths) % 100

/* For the suite: the check with this id has failed, by this set of rules. */
void sheet_doubt(const char *id, uint64_t rules);

/* The point of the harness that failed, and on which the vector with this id rests by its rules and needs; or
 * null. */
const char *sheet_harness_doubt(const struct vector *row, const char *id);

/*
 * For the suite: print the line of every question; nothing when no probe has stated any. why_not says of a
 * probe's id why it did not run, or returns null.
 */
void sheet_print(const char *(*why_not)(const char *probe));

#endif
