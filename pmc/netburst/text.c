/* Short texts composed without a C library (text.h). */
#include "text.h"

static char *append_char(char *at, char *end, char c)
{
    if (at + 1 < end)
        *at++ = c;
    *at = '\0';
    return at;
}

char *text_append(char *at, char *end, const char *text)
{
    *at = '\0';
    for (; *text; text++)
        at = append_char(at, end, *text < ' ' || *text > '~' ? '?' : *text);
    return at;
}

char *text_append_hex(char *at, char *end, uint32_t value, unsigned digits)
{
    while (digits-- > 0)
        at = append_char(at, end, "0123456789ABCDEF"[value >> 4 * digits & 0xF]);
    return append_char(at, end, 'H');
}
