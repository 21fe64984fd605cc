/*
 * What p4sim says of an option that is wrong: one line in error[0..size). Each function returns
 * OPTIONS_WRONG.
 */
#ifndef SIM_WRONG_OPTION_H
#define SIM_WRONG_OPTION_H

#include <stddef.h>
#include <stdio.h>
#include "options.h"

enum options_outcome wrong(char *error, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of --cpu is no processor. */
enum options_outcome unknown_processor(const char *text, char *error, size_t size);

/* The value of --OPTION is not in its list; the line suggests a name that is nearly right. */
enum options_outcome unknown_name(const char *option, const char *value, void (*list)(FILE *out), char *error,
                                  size_t size);

#endif
