#include "wrong_option.h"

#include <stdarg.h>
#include "processors.h"
#include "sim/lib/near.h"

enum options_outcome wrong(char *error, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return OPTIONS_WRONG;
}

enum options_outcome unknown_processor(const char *text, char *error, size_t size)
{
    char known[128];
    processor_names(known, sizeof known);
    return wrong(error, size, "--cpu %s: no such processor; known are%s", text, known);
}

enum options_outcome unknown_name(const char *option, const char *value, void (*list)(FILE *out), char *error,
                                  size_t size)
{
    char hint[NEAR_NAME_MAX + 32];
    near_hint(value, list, hint, sizeof hint);
    return wrong(error, size, "--%s %s: no such %s; see --%s list%s", option, value, option, option, hint);
}
