/*
 * What was not exercised: neither ok nor skipped.
 *
 * A check may ask that something counts only where a source leaves no zero: the manual's description of the
 * event, a fact of silicon, an erratum (pmu-rules 8.3). What nothing here causes for certain has no such
 * floor. A vector that meets it says so here, with what was counted, and asks nothing. The end of the log
 * then names it, so that nobody takes a pass for a statement about it. No failure follows, but the boot word
 * strict makes it no pass.
 */
#ifndef TESTS_SUITE_EXERCISED_H
#define TESTS_SUITE_EXERCISED_H

#include <stdint.h>

/* `name`, an event, its member or a value, is not exercised, for this reason; it counted so much. Of one name
 * that comes again the highest count is kept. A name has no ": ", a reason no "; counted". */
#define EXERCISED_NAME 64 /* characters, with the NUL; the reason must stay where it is */
void not_exercised(const char *name, const char *reason, uint64_t counted);
/* The same, and the run of the vector ends here: without it nothing is left to judge. */
_Noreturn void not_exercised_now(const char *name, const char *reason, uint64_t counted);

/* Write a line for each name into the log: at the end of the run, once. */
void exercised_report(void);

#endif
