#include "rules.h"

#include "kernel/lib/format.h"

static size_t name(unsigned rule, char *out, size_t size)
{
    if (rule >= MP)
        return format(out, size, "%s", rule == MP ? "MP" : "harness");
    return format(out, size, rule < E1 ? "R%u" : "E%u", rule < E1 ? rule : rule - E1 + 1);
}

void rules_name(uint32_t rules, char out[RULES_TEXT])
{
    size_t length = name((uint8_t)rules, out, RULES_TEXT);

    while (rules >>= 8) {
        out[length++] = ' ';
        length += name((uint8_t)rules, out + length, RULES_TEXT - length);
    }
}
