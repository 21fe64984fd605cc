/* Patterns of the boot words only= and skip=. Portable C: the host tests compile the same file. */
#ifndef KERNEL_RUN_PATTERN_H
#define KERNEL_RUN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* A vector id, a prefix of one up to a dot ("cascade" and "cascade." are every "cascade.*"), or a rule
 * (R33). */
struct pattern {
    const char *text; /* into the boot line */
    size_t length;
};

/* True when the id or one of the blank-separated rules (may be null) matches the pattern. */
bool pattern_matches(const struct pattern *pattern, const char *id, const char *rules);
/* False if no id that begins with this text, together with these rules, matches: then the ids need not be
 * made.
 */
bool pattern_may_match(const struct pattern *pattern, const char *start, const char *rules);

#endif
