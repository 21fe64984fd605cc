/*
 * What the two parts of the TAP writer, tap.c and diagnosis.c, share; everyone else uses tap.h.
 */
#ifndef KERNEL_LOG_DIAGNOSIS_H
#define KERNEL_LOG_DIAGNOSIS_H

#include <stdarg.h>

/* The longest reason, comment or value. The rest of LOG_LINE_CHARS is for what is printed around it. */
#define TAP_TEXT_CHARS 700u

/* Format a text. One that is too long ends in "...". */
void tap_text(char text[TAP_TEXT_CHARS], const char *fmt, va_list args);

/* How diagnoses are printed from now on; before the first call as YAML. */
enum diagnosis_form { DIAGNOSIS_YAML, DIAGNOSIS_COMMENTS, DIAGNOSIS_SILENT };
void diagnosis_form(enum diagnosis_form form);

#endif
