/*
 * How a vector judges what it observed: expect_X() for what stands for itself, require_X() for what later
 * steps of the vector depend on.
 *
 * A failed expect_X() is kept, and the run goes on, so that a vector reports all that it finds; it returns
 * whether the expectation held. A failed require_X() ends the run. The point is then `not ok`, and its
 * diagnosis lists what failed (failure.h). A run that does not decide the vector ends with its first failure:
 * the vector runs again, to find out whether a disturbance was the reason, or whether it always fails
 * (suite.c). A probe only reports, and goes on.
 *
 * `rules` are the rules of docs/pmu-rules.md that are broken if just this value is wrong, the most specific
 * first: RULES(R37, R33), or R37 alone. The table tests/vectors/rules has those that held for each vector.
 * The block of a failure prints them, and `pmulog explain` ranks rules by them. HARNESS: none, it is the
 * vector that could not go on. `what` is a printf-like text that says which quantity this is, in the manual's
 * words. In it %C prints the number of a counter and %R the name of a register that the expectation is about;
 * the block has them as data, too.
 */
#ifndef TESTS_SUITE_EXPECT_H
#define TESTS_SUITE_EXPECT_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/log/log.h"
#include "kernel/x86/trap.h"
#include "rules.h"
#include "unexplained.h"
#include "vector.h"

bool expect_equal(uint32_t rules, uint64_t expected, uint64_t observed, const char *what, ...);
void require_equal(uint32_t rules, uint64_t expected, uint64_t observed, const char *what, ...);
/* low <= observed <= high; `what` says why the bounds are what they are. */
bool expect_between(uint32_t rules, uint64_t low, uint64_t high, uint64_t observed, const char *what, ...);
void require_between(uint32_t rules, uint64_t low, uint64_t high, uint64_t observed, const char *what, ...);
/* about - spread to about + spread. Nothing is near when the spread is larger: an event that does not occur
 * at all must not pass. */
bool expect_near(uint32_t rules, uint64_t about, uint64_t spread, uint64_t observed, const char *what, ...);
bool expect_true(uint32_t rules, bool condition, const char *what, ...);
void require_true(uint32_t rules, bool condition, const char *what, ...);
/* The value of a counter, in 40 bits: `expected`, or `spread` more or less. */
bool expect_counter(uint32_t rules, uint64_t expected, uint64_t spread, uint64_t observed, const char *what,
                    ...);
/* What the next expectation is about, if its rules and the counter that it names do not say it best. */
void expect_about(struct act act);
/* Register contents, printed as the manual prints them. */
bool expect_register(uint32_t rules, uint64_t expected, uint64_t observed, const char *what, ...);

/* The exception that an instruction took, or NO_EXCEPTION, printed as the number and name, or "none". It is
 * no quantity, so nobody can take it for too much or too little. */
#define NO_EXCEPTION UINT32_MAX
bool expect_exception(uint32_t rules, uint32_t expected, uint32_t observed, const char *what, ...);
/* The same for what the try forms of pmc/msr.h return: NO_FAULT is no exception. */
bool expect_fault(uint32_t rules, unsigned expected, unsigned observed, const char *what, ...);

/* Name in the log, once per vector, the erratum that explains what was or was not seen. */
void report_erratum(uint32_t erratum);

/* End this vector with a SKIP: it found out itself that it cannot run. If an expectation has failed before,
 * the vector is `not ok` all the same. Does not return. */
_Noreturn void skip_now(const char *fmt, ...);
/* End this run of the vector: nothing is left to judge. What failed before counts. Does not return. */
_Noreturn void expect_end(void);

/* ---- For the suite ---- */

/* DISTURBED: an expectation failed beside a witness; UNEXPLAINED: without one. */
enum outcome { OUTCOME_OPEN, OUTCOME_NOT_OK, OUTCOME_SKIPPED, OUTCOME_DISTURBED, OUTCOME_UNEXPLAINED };

/* Start judging for this vector. If `note_held`, the rules of the expectations that hold are noted. */
void expect_begin(const struct vector *row, bool note_held);
/* Start a run of the vector. A failed expectation makes a decisive run OUTCOME_NOT_OK, any other run
 * OUTCOME_DISTURBED or OUTCOME_UNEXPLAINED. */
void expect_run(bool decisive);
/* Does a failed expectation of this run make the vector fail? */
bool expect_decides(void);
/* True if this run was ended by an expectation, by skip_now() or by expect_end(). */
bool expect_ended(void);
/* Make this run OUTCOME_NOT_OK, whether it decides or not: something happened that is no disturbance. */
void expect_failed(const char *fmt, ...);
/* As expect_failed(), because a storm of PMIs ended the run (kernel/run/pmi.h). */
void expect_storm(void);
/* Make this run OUTCOME_SKIPPED unless something failed in it. The run has ended already. */
void expect_skip(const char *fmt, ...);

/* End this run: the board does what no repetition helps against, as `why` says. The vector is skipped for
 * that, unless a run was right. */
_Noreturn void expect_too_disturbed(const char *why);
bool expect_is_too_disturbed(void);
enum outcome expect_outcome(void);
/* Print the point of a vector whose last run is OUTCOME_NOT_OK or OUTCOME_SKIPPED; otherwise nothing. why:
 * the trap that ended the run, or all 0. */
void expect_print(const char *id, const struct trap_report *why);
/* An expectation by these rules was judged elsewhere, and held. */
void rules_held(uint32_t rules);
/* Are they noted in this run? */
bool rules_are_noted(void);
/* Write comment lines with the rules noted of the expectations that held in the last run, each with the
 * number of them: "# held: R28 R29 (4), R45 (2)". */
void expect_print_held(void);
/* The expectation that failed in the last run that was OUTCOME_DISTURBED: "what = observed, not expected". Of
 * a run that was OUTCOME_UNEXPLAINED see failure_first(). */
const char *expect_disturbance(void);
/* The last run that was OUTCOME_UNEXPLAINED was disturbed, as has turned out. */
void expect_was_disturbed(void);
/* Is there a witness of a disturbance for a wrong result of this act? lacks: it is less than expected. */
bool expect_is_witnessed(struct act act, bool lacks);
/* What the expectation that failed in a run that does not decide is about. */
struct act expect_act(void);
/* How many expectations this run has had. */
unsigned expect_number(void);
/* The vector is not ok by that expectation. */
void expect_fails(void);

#endif
