/*
 * What failed, in a few words, for a screen that is all there is at the end: the families that failed, and
 * the first failure with what was expected and observed; and what the set-up of the board kept from being
 * tested. Portable C: the host tests compile the same file.
 */
#ifndef KERNEL_LOG_OUTCOME_H
#define KERNEL_LOG_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

/* A point failed, or a vector in a later loop of a soak. */
void outcome_failed(const char *id);

/* A value of the diagnosis of the last failure. */
void outcome_value(const char *key, const char *value);

/* True if a failure is known of which a diagnosis says what it was, and no exception of the kernel came after
 * it. */
bool outcome_is_told(void);

/* A point was skipped for a reason that a person can mend by the remedy. Texts are told apart by address. */
void outcome_untested(const char *reason, const char *remedy);

/* How many points were. */
unsigned outcome_untested_points(void);

/* Format the n-th reason, from 0: "not tested: 148 of 609: reason; remedy". Returns its length, 0 if there is
 * none. */
size_t outcome_format_untested(unsigned n, unsigned planned, char *out, size_t size);

/* Format the failures in lines that end in '\n'; "" without any. */
void outcome_format(char *out, size_t size);

#endif
