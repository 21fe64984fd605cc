/* The lines `# number`, each with the class that says by how much the number may differ between two runs. */
#include "number.h"

#include <stdarg.h>

#include "kernel/lib/lib.h"
#include "kernel/log/log.h"

#define NAME_SIZE 120
#define NEVER     "never"

/* The names of pmu-rules 8.3. */
static const char *class_name(char class)
{
    switch (class) {
    case 'X':
        return "exact";
    case 'N':
        return "near-exact";
    case 'R':
        return "relation";
    case 'V':
        return "invariant";
    default:
        return NEVER;
    }
}

void report_count(enum pmc_event_id event, uint64_t count, const char *fmt, ...)
{
    const struct pmc_event *e = &PMC_EVENT[event];
    char where[NAME_SIZE];
    va_list args;

    va_start(args, fmt);
    vformat(where, sizeof where, fmt, args);
    va_end(args);
    tap_comment(COMMENT_VECTOR, "number %s %s: %llu (class %s)", e->name, where, count, class_name(e->class));
}

void report_number(uint64_t number, const char *fmt, ...)
{
    char name[NAME_SIZE];
    va_list args;

    va_start(args, fmt);
    vformat(name, sizeof name, fmt, args);
    va_end(args);
    tap_comment(COMMENT_VECTOR, "number %s: %llu (class " NEVER ")", name, number);
}
