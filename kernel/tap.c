/*
 * TAP 13 writer. Every line is written by one call of print(), so that a trap cannot cut a line in two. What
 * a caller passes is made harmless: no line end, no non-ASCII character gets through.
 */
#include "tap.h"
#include "console.h"
#include "format.h"

#define TEXT_CHARS 700u /* of a reason, a note or a value; the rest of print()'s line is ours */

/* Points so far. */
struct tap_totals {
    unsigned planned, passed, failed, skipped;
};

static struct {
    struct tap_totals totals;
    bool started; /* the plan is out */
} tap;

/* Format into text, with every character outside printable ASCII replaced. */
static void format_plain(char text[TEXT_CHARS], const char *fmt, va_list args)
{
    vformat(text, TEXT_CHARS, fmt, args);
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static unsigned next_number(void)
{
    return tap.totals.passed + tap.totals.failed + tap.totals.skipped + 1;
}

void tap_plan(unsigned count, const char *skip_reason)
{
    tap.totals = (struct tap_totals){.planned = count};
    tap.started = true;
    print("\nTAP version 13\n"); /* on a line of its own, whatever the loader left on the terminal */
    if (count == 0)
        print("1..0 # SKIP %s\n", skip_reason);
    else
        print("1..%u\n", count);
}

void tap_note(const char *fmt, ...)
{
    char text[TEXT_CHARS];
    va_list args;

    va_start(args, fmt);
    format_plain(text, fmt, args);
    va_end(args);
    print("# %s\n", text);
}

void tap_start(const char *id, const char *title)
{
    char banner[80];

    print("# START %s%s%s\n", id, title ? " " : "", title ? title : "");
    format(banner, sizeof(banner), "%u/%u, %u failed: %s", next_number(), tap.totals.planned,
           tap.totals.failed, id);
    console_banner(banner, tap.totals.failed == 0);
}

void tap_ok(const char *id)
{
    print("ok %u - %s\n", next_number(), id);
    tap.totals.passed++;
}

void tap_skip(const char *id, const char *fmt, ...)
{
    char text[TEXT_CHARS];
    va_list args;

    va_start(args, fmt);
    format_plain(text, fmt, args);
    va_end(args);
    print("ok %u - %s # SKIP %s\n", next_number(), id, text);
    tap.totals.skipped++;
}

void tap_not_ok(const char *id)
{
    print("not ok %u - %s\n", next_number(), id);
    tap.totals.failed++;
}

void tap_block_begin(void)
{
    print("  ---\n");
}

/* A single-quoted YAML scalar: the quote is the only character that needs care, and is doubled. */
void tap_pair(const char *key, const char *fmt, ...)
{
    char text[TEXT_CHARS], quoted[TEXT_CHARS + 200];
    size_t length = 0;
    va_list args;

    va_start(args, fmt);
    format_plain(text, fmt, args);
    va_end(args);
    for (const char *c = text; *c != '\0' && length + 2 < sizeof(quoted); c++) {
        if (*c == '\'')
            quoted[length++] = '\'';
        quoted[length++] = *c;
    }
    quoted[length] = '\0';
    print("  %s: '%s'\n", key, quoted);
}

void tap_block_end(void)
{
    print("  ...\n");
}

static _Noreturn void bail(const char *text)
{
    print("Bail out! %s\n", text);
    finish(VERDICT_BROKEN, finish_action());
}

void tap_bail(const char *fmt, ...)
{
    char text[TEXT_CHARS];
    va_list args;

    va_start(args, fmt);
    format_plain(text, fmt, args);
    va_end(args);
    bail(text);
}

bool tap_started(void)
{
    return tap.started;
}

void tap_bail_as(const char *id, const char *fmt, ...)
{
    char text[TEXT_CHARS];
    va_list args;

    va_start(args, fmt);
    format_plain(text, fmt, args);
    va_end(args);
    tap_plan(1, NULL);
    tap_not_ok(id);
    bail(text);
}

enum verdict tap_end(void)
{
    const struct tap_totals *t = &tap.totals;
    unsigned points = t->passed + t->failed + t->skipped;

    if (!tap.started)
        tap_bail_as("tap.plan", "the run ended before the plan was printed");
    if (points != t->planned) {
        tap_not_ok("tap.plan");
        tap_bail("%u points were planned and %u reported", t->planned, points);
    }
    if (console_stopped())
        tap_bail("the serial line stopped taking bytes, so the log on it is cut short");
    if (t->planned == 0) {
        print("# END OF TAP: skip\n");
        return VERDICT_SKIP;
    }
    tap_note("%u passed, %u failed, %u skipped of %u", t->passed, t->failed, t->skipped, t->planned);
    print("# END OF TAP: %s\n", t->failed > 0 ? "fail" : "pass");
    return t->failed > 0 ? VERDICT_FAIL : VERDICT_PASS;
}
