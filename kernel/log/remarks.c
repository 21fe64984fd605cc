#include "remarks.h"
#include <stddef.h>
#include "kernel/lib/string.h"
#include "log.h"

static char kept[4000]; /* texts, each with its NUL */
static size_t length;

/* What follows the text's NUL. */
static const char *after(const char *text)
{
    while (*text != '\0')
        text++;
    return text + 1;
}

void remarks_keep(const char *text)
{
    const size_t size = (size_t)(after(text) - text);

    if (size > sizeof kept - length)
        return;
    memcpy(kept + length, text, size);
    length += size;
}

void remarks_print(void)
{
    for (const char *text = kept; text < kept + length; text = after(text))
        log_line("# %s", text);
    remarks_forget();
}

void remarks_forget(void)
{
    length = 0;
}
