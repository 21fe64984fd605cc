/* What tap.c, diagnosis.c and outcome.c share; everyone else uses log.h. */
#ifndef KERNEL_LOG_OUTCOME_H
#define KERNEL_LOG_OUTCOME_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- diagnosis.c ---- */

/* The longest reason, comment or value. The rest of LOG_LINE_CHARS is for what is printed around it. */
#define TAP_TEXT_CHARS 700u

/* Format a text. One that is too long ends in "...". */
void tap_text(char text[TAP_TEXT_CHARS], const char *fmt, va_list args);

/* How diagnoses are printed from now on; before the first call as YAML. */
enum diagnosis_form { DIAGNOSIS_YAML, DIAGNOSIS_COMMENTS, DIAGNOSIS_SILENT };
void diagnosis_form(enum diagnosis_form form);

/* ---- outcome.c: what failed, and what the set-up of the board kept from being tested ---- */

/* The screen shows it at the end, where there may be no other record, in a few words: the families that
 * failed, and the first failure with what was expected and observed. */

/* A point failed, or a vector in a later loop of a soak. */
void outcome_failed(const char *id);

/* A value of the diagnosis of the last failure. */
void outcome_value(const char *key, const char *value);

/* True if there was a failure with a diagnosis, and no exception of the kernel after it. */
bool outcome_is_told(void);

/* A point was skipped for a reason that a person can mend by the remedy. Two texts are the same if their
 * addresses are. */
void outcome_untested(const char *reason, const char *remedy);

/* How many points were skipped so. */
unsigned outcome_untested_points(void);

/* Format the n-th reason, from 0: "not tested: 148 of 609: reason; remedy". Returns its length, 0 if there is
 * none. */
size_t outcome_format_untested(unsigned n, unsigned planned, char *out, size_t size);

/* Format the failures in lines that end in '\n'; "" without any. */
void outcome_format(char *out, size_t size);

#endif
