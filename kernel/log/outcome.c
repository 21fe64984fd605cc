/*
 * What failed and what was not tested, in the few words that the last screen has room for: a photograph of
 * it may be the only record of a run.
 */
#include "outcome.h"
#include "kernel/lib/lib.h"

#define FAMILIES     64u /* families that are counted by name */
#define FAMILY_CHARS 32u
#define NAMES_CHARS  215u /* for the names of families: less than three rows of 80 columns */
#define REST_CHARS   30u  /* of these for ", 100 in other families" */
#define ID_CHARS     72u
#define REASONS      4u   /* for which points were not tested */
#define WHAT_CHARS   220u /* for what was expected: three rows */
#define VALUE_CHARS  76u

static struct {
    struct {
        char name[FAMILY_CHARS];
        unsigned failures;
    } family[FAMILIES];
    unsigned families;
    unsigned failures; /* in all */
    char id[ID_CHARS], what[WHAT_CHARS], expected[VALUE_CHARS],
        observed[VALUE_CHARS]; /* of the first failure */
    struct {
        const char *reason, *remedy;
        unsigned points;
    } untested[REASONS];
} outcome;

/* Copy a text; one that is too long ends with a whole word and "...". */
static void copy(char *out, size_t size, const char *text)
{
    static const char rest[] = " ...";
    size_t length = format(out, size, "%s", text);

    if (length < size)
        return;
    length = size - sizeof rest;
    while (length > size / 2 && text[length] != ' ')
        length--;
    memcpy(out + length, rest, sizeof rest);
}

/* docs/log.md: the first two parts of an id of three or more parts, otherwise the first part. */
static size_t family_length(const char *id)
{
    size_t dots[2] = {0}, found = 0, length = 0;

    for (; id[length] != '\0'; length++)
        if (id[length] == '.' && found < 2)
            dots[found++] = length;
    return found > 0 ? dots[found - 1] : length;
}

static void count_family(const char *id)
{
    char name[FAMILY_CHARS] = "";
    size_t length = family_length(id);
    unsigned i = 0;

    memcpy(name, id, length < sizeof name ? length : sizeof name - 1);
    while (i < outcome.families && strcmp(outcome.family[i].name, name) != 0)
        i++;
    if (i == FAMILIES)
        return;
    if (i == outcome.families)
        memcpy(outcome.family[outcome.families++].name, name, sizeof name);
    outcome.family[i].failures++;
}

/* After an exception outside of any vector, the last lines of the log, with its registers, say more than an
 * earlier failure. */
#define KERNEL "kernel."

static bool is_of_the_kernel(const char *id)
{
    unsigned i = 0;

    while (KERNEL[i] != '\0' && id[i] == KERNEL[i])
        i++;
    return KERNEL[i] == '\0';
}

void outcome_failed(const char *id)
{
    if (outcome.failures++ == 0)
        copy(outcome.id, sizeof outcome.id, id);
    if (is_of_the_kernel(id))
        outcome.what[0] = '\0';
    count_family(id);
}

void outcome_value(const char *key, const char *value)
{
    if (outcome.failures != 1)
        return;
    if (strcmp(key, "what") == 0)
        copy(outcome.what, sizeof outcome.what, value);
    else if (strcmp(key, "expected") == 0)
        copy(outcome.expected, sizeof outcome.expected, value);
    else if (strcmp(key, "observed") == 0)
        copy(outcome.observed, sizeof outcome.observed, value);
}

void outcome_untested(const char *reason, const char *remedy)
{
    unsigned i = 0;

    while (i < REASONS - 1 && outcome.untested[i].points > 0 && outcome.untested[i].reason != reason)
        i++;
    outcome.untested[i].reason = reason;
    outcome.untested[i].remedy = remedy;
    outcome.untested[i].points++;
}

unsigned outcome_untested_points(void)
{
    unsigned points = 0;

    for (unsigned i = 0; i < REASONS; i++)
        points += outcome.untested[i].points;
    return points;
}

size_t outcome_format_untested(unsigned n, unsigned planned, char *out, size_t size)
{
    if (n >= REASONS || outcome.untested[n].points == 0)
        return 0;
    return format(out, size, "not tested: %u of %u: %s; %s", outcome.untested[n].points, planned,
                  outcome.untested[n].reason, outcome.untested[n].remedy);
}

bool outcome_is_told(void)
{
    return outcome.what[0] != '\0';
}

/* "failed: access (1), cascade.18-1 (12), 7 in other families" */
static size_t format_families(char *out, size_t size)
{
    size_t length = format(out, size, "failed:");
    unsigned left = outcome.failures;

    for (unsigned i = 0; i < outcome.families; i++) {
        char named[FAMILY_CHARS + 20];
        const size_t added = format(named, sizeof named, "%s %s (%u)", i > 0 ? "," : "",
                                    outcome.family[i].name, outcome.family[i].failures);
        const bool last = left == outcome.family[i].failures;

        if (length + added + (last ? 0 : REST_CHARS) > NAMES_CHARS)
            break;
        length += format(out + length, size - length, "%s", named);
        left -= outcome.family[i].failures;
    }
    if (left > 0)
        length += format(out + length, size - length, ", %u in other families", left);
    return length + format(out + length, size - length, "\n");
}

void outcome_format(char *out, size_t size)
{
    size_t length = 0;

    out[0] = '\0';
    if (outcome.failures > 0)
        length = format_families(out, size);
    if (!outcome_is_told())
        return;
    length += format(out + length, size - length, "first failure: %s\nwhat: %s\n", outcome.id, outcome.what);
    if (outcome.expected[0] != '\0')
        format(out + length, size - length, "expected: %s\nobserved: %s\n", outcome.expected,
               outcome.observed);
}
