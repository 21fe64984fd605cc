/*
 * How a vector judges what it observed. The first expectation that fails ends the run of the vector. In the
 * run that decides it prints `not ok` with its YAML block (title, rules, what, expected, observed, PMU
 * registers); in an earlier run it may have been a disturbance, and the vector runs again (suite.c). A probe
 * only reports.
 *
 * `what` is a printf-like text that says which quantity this is, in the manual's words.
 */
#ifndef TESTS_SUITE_EXPECT_H
#define TESTS_SUITE_EXPECT_H

#include <stdbool.h>
#include <stdint.h>
#include "vector.h"

void expect_equal(uint64_t expected, uint64_t observed, const char *what, ...);
/* low <= observed <= high; `what` says why the bounds are what they are. */
void expect_between(uint64_t low, uint64_t high, uint64_t observed, const char *what, ...);
void expect_true(bool condition, const char *what, ...);
/* Register contents, printed as the manual prints them. */
void expect_register(uint64_t expected, uint64_t observed, const char *what, ...);

/* Write a comment line about what was observed: "# text". */
void report(const char *fmt, ...);

/* Name in the log, once per vector, the erratum that explains what was or was not seen. */
void report_erratum(uint32_t erratum);

/* End this vector with a SKIP: it found out itself that it cannot run. Does not return. */
_Noreturn void skip_now(const char *fmt, ...);

/* ---- For the suite ---- */

/* Print this vector's point as a SKIP. Its run has ended already. */
void expect_skip(const char *fmt, ...);

enum outcome { OUTCOME_OPEN, OUTCOME_NOT_OK, OUTCOME_SKIPPED, OUTCOME_DISTURBED };

/* Start judging for this vector; the id must stay valid. */
void expect_begin(const struct vector *row, const char *id);
/* Start a run of the vector. An expectation that fails in a decisive run is the verdict, in any other run it
 * is OUTCOME_DISTURBED. */
void expect_run(bool decisive);
enum outcome expect_outcome(void);
/* The last expectation that failed in a run that did not decide. */
const char *expect_disturbance(void);
/* Open a `not ok` block for the running vector with its title and rules. The caller adds pairs and calls
 * failure_end(). */
void failure_begin(void);
/* Adds the PMU registers that are not 0 and closes the block. */
void failure_end(void);

#endif
