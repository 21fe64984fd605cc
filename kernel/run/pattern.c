/*
 * Whether a vector matches a pattern of the boot words only= and skip=: an id, the beginning of one, or a
 * rule.
 */
#include "options.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Is the pattern the whole id, or a prefix of it up to a dot? */
static bool id_matches(const char *id, const struct pattern *pattern)
{
    size_t length = pattern->length;
    size_t i = 0;

    if (length > 0 && pattern->text[length - 1] == '.')
        length--; /* "cascade." means what "cascade" means */
    for (; i < length; i++)
        if (id[i] == '\0' || id[i] != pattern->text[i])
            return false;
    return length > 0 && (id[i] == '.' || (id[i] == '\0' && length == pattern->length));
}

/* Is the pattern one of the rules? */
static bool rule_matches(const char *rules, const struct pattern *pattern)
{
    while (rules != NULL && *rules != '\0') {
        size_t length = 0;

        while (is_blank(*rules))
            rules++;
        while (rules[length] != '\0' && !is_blank(rules[length]))
            length++;
        if (length > 0 && length == pattern->length) {
            size_t same = 0;
            while (same < length && rules[same] == pattern->text[same])
                same++;
            if (same == length)
                return true;
        }
        rules += length;
    }
    return false;
}

bool pattern_matches(const struct pattern *pattern, const char *id, const char *rules)
{
    return id_matches(id, pattern) || rule_matches(rules, pattern);
}

bool pattern_may_match(const struct pattern *pattern, const char *start, const char *rules)
{
    size_t same = 0;

    while (same < pattern->length && start[same] != '\0' && start[same] == pattern->text[same])
        same++;
    return same == pattern->length || start[same] == '\0' || rule_matches(rules, pattern);
}
