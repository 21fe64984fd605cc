/* The names of rules from their tokens, and the token of a name. */
#include "rules.h"

#include "kernel/lib/lib.h"

static size_t name(unsigned rule, char *out, size_t size)
{
    if (rule >= MP)
        return format(out, size, "%s", rule == MP ? "MP" : "harness");
    return format(out, size, rule < E1 ? "R%u" : "E%u", rule < E1 ? rule : rule - E1 + 1);
}

size_t rules_name(uint32_t rules, char out[RULES_TEXT])
{
    size_t length = name((uint8_t)rules, out, RULES_TEXT);

    while (rules >>= 8) {
        out[length++] = ' ';
        length += name((uint8_t)rules, out + length, RULES_TEXT - length);
    }
    return length;
}

uint32_t rules_with(uint32_t rules, uint32_t others)
{
    for (; others; others >>= 8) {
        const uint32_t rule = (uint8_t)others;
        unsigned at = 0;

        while (at < 32 && rules >> at && (uint8_t)(rules >> at) != rule)
            at += 8;
        if (at < 32 && rules >> at == 0)
            rules |= rule << at;
    }
    return rules;
}

unsigned rule_named(const char *name, size_t length)
{
    unsigned number = 0;

    if (length == 2 && name[0] == 'M' && name[1] == 'P')
        return MP;
    if (length < 2 || length > 3 || name[1] == '0')
        return 0;
    for (size_t i = 1; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        number = number * 10 + (unsigned)(name[i] - '0');
    }
    if (name[0] == 'R' && number < E1)
        return number;
    return name[0] == 'E' && number <= MP - E1 ? E1 - 1 + number : 0;
}
