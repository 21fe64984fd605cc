/* The ids of vectors and of the members of their families, what they need, and which rules they judge. */
#include "vector.h"

#include "kernel/lib/lib.h"
#include "kernel/run/options.h"
#include "rules.h"

void named_item(const void *item, char *out, size_t size)
{
    format(out, size, "%s", *(const char *const *)item);
}

void number_item(const void *item, char *out, size_t size)
{
    format(out, size, "%u", *(const uint8_t *)item);
}

static const void *item_of(const struct items *items, unsigned member)
{
    return (const char *)items->first + member * items->size;
}

unsigned vector_members(const struct vector *row)
{
    return row->items ? row->items->count : 1;
}

void vector_id(const struct vector *row, unsigned member, char *out, size_t size)
{
    size_t length = format(out, size, "%s", row->id);

    if (row->items && length + 1 < size) {
        out[length++] = '.';
        row->items->name(item_of(row->items, member), out + length, size - length);
    }
}

unsigned vector_needs(const struct vector *row, unsigned member)
{
    const struct items *items = row->items;

    return row->needs | (items && items->needs ? items->needs(item_of(items, member)) : 0);
}

/* The rules that the member with this id judges, ended by 0, or null. */
static const uint8_t *judged_by(const struct vector *row, const char *id)
{
    for (const struct judged_rules *j = VECTORS_JUDGE; j->id; j++)
        if (strcmp(j->id, id) == 0 || strcmp(j->id, row->id) == 0)
            return j->rules;
    return NULL;
}

static bool are_among(const uint8_t *rules, unsigned rule)
{
    while (*rules && *rules != rule)
        rules++;
    return *rules != 0;
}

static bool begins_with(const char *id, const char *start)
{
    while (*start && *id == *start)
        id++, start++;
    return *start == '\0';
}

bool vector_judges(const struct vector *row, const char *id, unsigned rule)
{
    const uint8_t *rules = judged_by(row, id);

    return rules && are_among(rules, rule);
}

bool vector_may_judge(const struct vector *row, unsigned rule)
{
    for (const struct judged_rules *j = VECTORS_JUDGE; j->id; j++)
        if (begins_with(j->id, row->id) && are_among(j->rules, rule))
            return true;
    return false;
}

bool vector_is_of_harness(const struct vector *row)
{
    static const struct pattern HARNESS = {"harness", sizeof "harness" - 1};

    return pattern_matches(&HARNESS, row->id, NULL);
}

uint64_t vector_rule_set(const struct vector *row, const char *id)
{
    uint64_t set = 0;

    for (const uint8_t *rules = judged_by(row, id); rules && *rules; rules++)
        set |= RULE_SET(*rules);
    return set;
}

const char *vector_rules(const struct vector *row, const char *id)
{
    static char text[400];
    const uint8_t *rules = judged_by(row, id);
    size_t length = format(text, sizeof text, "%s",
                           row->also ? row->also
                           : !rules  ? "unlisted"
                           : *rules  ? ""
                                     : "none");

    for (; rules && *rules && length + RULES_TEXT < sizeof text; rules++) {
        if (length)
            text[length++] = ' ';
        length += rules_name(*rules, text + length);
    }
    return text;
}

void vector_run(const struct vector *row, unsigned member)
{
    if (row->items)
        row->run_item(item_of(row->items, member));
    else
        row->run();
}
