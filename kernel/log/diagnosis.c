/* The diagnosis of a failed point: YAML, or comment lines in later loops of a soak. */
#include "outcome.h"
#include "log.h"
#include "kernel/lib/lib.h"

static struct {
    bool open; /* it has not ended */
    enum diagnosis_form form;
} diagnosis;

void diagnosis_form(enum diagnosis_form form)
{
    diagnosis.form = form;
}

void tap_text(char text[TAP_TEXT_CHARS], const char *fmt, va_list args)
{
    if (vformat(text, TAP_TEXT_CHARS, fmt, args) >= TAP_TEXT_CHARS)
        memcpy(text + TAP_TEXT_CHARS - sizeof("..."), "...", sizeof("..."));
}

static const char *comment_mark(void)
{
    return diagnosis.form == DIAGNOSIS_COMMENTS ? "# " : "";
}

void diagnosis_begin(void)
{
    log_hold();
    diagnosis.open = true;
    if (diagnosis.form == DIAGNOSIS_YAML)
        log_line("  ---");
}

/* A line of the open diagnosis; in later loops of a soak it may be a comment. The value is a single-quoted
 * YAML scalar: the quote is the only character that needs care, and is doubled. */
static void diagnosis_line(const char *before, const char *key, const char *after, const char *fmt,
                           va_list args)
{
    char text[TAP_TEXT_CHARS], quoted[TAP_TEXT_CHARS + 200];
    size_t length = 0;

    if (diagnosis.form == DIAGNOSIS_SILENT)
        return;
    tap_text(text, fmt, args);
    outcome_value(key, text);
    for (const char *c = text; *c != '\0' && length + 2 < sizeof quoted; c++) {
        if (*c == '\'')
            quoted[length++] = '\'';
        quoted[length++] = *c;
    }
    quoted[length] = '\0';
    log_line("%s%s%s%s '%s'", comment_mark(), before, key, after, quoted);
}

void tap_value(const char *key, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    diagnosis_line("  ", key, ":", fmt, args);
    va_end(args);
}

void tap_list(const char *key)
{
    if (diagnosis.form != DIAGNOSIS_SILENT)
        log_line("%s  %s:", comment_mark(), key);
}

void tap_item(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    diagnosis_line("    ", "-", "", fmt, args);
    va_end(args);
}

/* A diagnosis may be open because an exception ended the vector in the middle of it. */
void diagnosis_end(void)
{
    if (!diagnosis.open)
        return;
    diagnosis.open = false;
    if (diagnosis.form == DIAGNOSIS_YAML)
        log_line("  ...");
    log_release();
}
