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

/* The rules that its expectations name, ended by 0. */
static const uint8_t *own_rules(const struct vector *row)
{
    for (unsigned g = 0; VECTOR_GROUPS[g]; g++) {
        const uint8_t *rules = VECTOR_GROUPS[g]->rules;
        size_t before = (size_t)(row - VECTOR_GROUPS[g]->rows);

        if (row < VECTOR_GROUPS[g]->rows || before >= VECTOR_GROUPS[g]->count)
            continue;
        while (rules && before > 0)
            before -= *rules++ == 0;
        return rules;
    }
    return NULL;
}

bool vector_names(const struct vector *row, unsigned rule)
{
    const uint8_t *rules = own_rules(row);

    while (rules && *rules && *rules != rule)
        rules++;
    return rules && *rules;
}

bool vector_is_of_harness(const struct vector *row)
{
    static const struct pattern HARNESS = {"harness", sizeof "harness" - 1};

    return pattern_matches(&HARNESS, row->id, NULL);
}

uint64_t vector_rule_set(const struct vector *row)
{
    uint64_t set = 0;

    for (const uint8_t *rules = own_rules(row); rules && *rules; rules++)
        set |= RULE_SET(*rules);
    return set;
}

const char *vector_rules(const struct vector *row)
{
    static char text[400];
    const uint8_t *rules = own_rules(row);
    size_t length = format(text, sizeof text, "%s", row->also ? row->also : "");

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
