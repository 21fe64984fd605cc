/*
 * The failures of one run of a vector, kept until the run has ended: a console line inside of a measurement,
 * or with interrupts off, would disturb what the run still observes. The first one takes the PMU registers
 * with it as they are then.
 */
#ifndef TESTS_SUITE_FAILURE_H
#define TESTS_SUITE_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include "kernel/lib/lib.h"
#include "kernel/x86/trap.h"
#include "rules.h"
#include "vector.h"

/* Failed expectations that a diagnosis lists; further ones are counted. */
#define FAILURES_LISTED 8
/* For what was expected, with its NUL: the notation of a course is long. */
#define FAILURE_TEXT 400

/* Begin a run: the first failure of this run will replace those of the runs before. */
void failures_forget(void);

/* Keep a failed expectation. The texts are copied; a text that is too long is cut. named: what `what` names.
 * The first failure takes what is noted of the setting with it (setting.h). */
void failure_keep(uint32_t rules, const char *what, const char *expected, const char *observed,
                  const struct named *named);

/* Keep something that went wrong and is no expectation: an exception, a deadline, a register that does not
 * clear. At most two in a run; they are listed however many expectations failed. */
void failure_keep_incident(const char *what);

/* Write the first failure in one line, without its rules: "what = observed, not expected". Call it
 * only if something was kept. */
void failure_first(char *out, size_t size);

/* The set of the rules that the failed expectations name first; empty if they name none. */
uint64_t failures_rules(void);

/*
 * Print the point of this vector as `not ok`, with its diagnosis: title, rules; what, expected, observed,
 * the broken rules, the register, counters, ESCRs and setting of the first failure; the others as a list; the
 * trap, if why has one; the PMU registers. intermittent: the last of them came now and then, and its
 * action, place and numbers are printed, too (unexplained.h). Call it only if something was kept.
 */
void failures_print(const struct vector *row, const char *id, const struct trap_report *why,
                    bool intermittent);

#endif
