#include "vector.h"

#include "kernel/lib/format.h"

void vector_id(const struct vector *row, unsigned member, char *out, size_t size)
{
    size_t length = format(out, size, "%s", row->id);

    if (row->family && length + 1 < size) {
        out[length++] = '.';
        row->family->suffix(member, out + length, size - length);
    }
}

unsigned vector_members(const struct vector *row)
{
    return row->family ? row->family->count() : 1;
}

unsigned vector_needs(const struct vector *row, unsigned member)
{
    return row->needs | (row->family && row->family->needs ? row->family->needs(member) : 0);
}
