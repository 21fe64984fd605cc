/*
 * How a vector judges what it observed. The first expectation that fails ends the run of the vector; in the
 * run that decides it prints the `not ok` with its YAML block (title, rules, what, expected, observed, member
 * data, PMU registers), before that it may have been a disturbance (suite.c). A probe only reports.
 *
 * `what` is a printf-like text that says which quantity this is, in the manual's words.
 */
#ifndef TESTS_SUITE_EXPECT_H
#define TESTS_SUITE_EXPECT_H

#include <stdbool.h>
#include <stdint.h>
#include "vector.h"

void expect_equal(uint64_t expected, uint64_t observed, const char *what, ...);
/* low <= observed <= high; why the bounds are what they are belongs into `what`. */
void expect_between(uint64_t low, uint64_t high, uint64_t observed, const char *what, ...);
void expect_true(bool condition, const char *what, ...);
/* Register contents, printed as the manual prints them. */
void expect_register(uint64_t expected, uint64_t observed, const char *what, ...);

/* A line of the log about what was observed: "# text". For probes and for what an engineer wants to see. */
void report(const char *fmt, ...);

/* An erratum explains what was (or was not) seen: named in the log, once per vector. */
void report_erratum(uint32_t erratum);

/* This vector cannot run after all (decided inside it); prints the SKIP and ends it. Does not return. */
_Noreturn void skip_now(const char *fmt, ...);

/* ---- For the suite ---- */

enum outcome { OUTCOME_OPEN, OUTCOME_NOT_OK, OUTCOME_SKIPPED, OUTCOME_DISTURBED };

/* Start judging for this vector; the id must stay valid. */
void expect_begin(const struct vector *row, const char *id);
/* The vector is run, once more maybe. An expectation that fails now is the verdict when decisive, else
 * OUTCOME_DISTURBED. */
void expect_run(bool decisive);
enum outcome expect_outcome(void);
/* The last expectation that failed in a run that did not decide. */
const char *expect_disturbance(void);
/* Open a `not ok` block for the running vector with its title and rules; the caller adds pairs and calls the
 * end. */
void failure_begin(void);
/* Adds the PMU registers that are not 0 and closes the block. */
void failure_end(void);

#endif
