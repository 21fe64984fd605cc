#include "vector.h"

#include "kernel/lib/format.h"

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

void vector_run(const struct vector *row, unsigned member)
{
    if (row->items)
        row->run_item(item_of(row->items, member));
    else
        row->run();
}
