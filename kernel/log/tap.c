/* TAP 13 writer. The log below it adds a check code to each point and replaces characters that would break
 * the line format. */
#include "log.h"
#include "kernel/console/console.h"
#include "kernel/lib/lib.h"
#include "outcome.h"

#define TOTALS_CHARS 200u
#define SHOWN_CHARS  78u /* of a line on a screen of 80 columns */
#define SCREEN_CHARS (2 * TAP_TEXT_CHARS + 900u)

/* Points so far. */
struct tap_totals {
    unsigned planned, passed, failed, skipped;
    unsigned intermittent, unexplained; /* failed points, and results in points that are ok, in all loops */
    unsigned not_exercised;             /* names */
};

static struct {
    struct tap_totals totals;
    bool begun;     /* the version line is out */
    bool planned;   /* the plan is out */
    uint64_t loop;  /* of a soak, from the second on; else 0: points are printed */
    uint64_t loops; /* begun */
    struct tap_counts later;
    bool brief;
    bool strict;
    bool vector_failed;           /* the one that runs, or ran last */
    const char *reason;           /* why the PMU was not tested, or the run broke off; null */
    char follows[TAP_TEXT_CHARS]; /* what everything else follows from, or "" */
} tap;

/* COMMENT_VECTOR comments of a brief log, kept until it is known whether the vector fails: texts, each with
 * its NUL. */
static char remarks[4000];
static size_t remarks_length;

/* What follows the text's NUL. */
static const char *after(const char *text)
{
    while (*text != '\0')
        text++;
    return text + 1;
}

/* A remark for which there is no room is lost. */
static void remarks_keep(const char *text)
{
    const size_t size = (size_t)(after(text) - text);

    if (size > sizeof remarks - remarks_length)
        return;
    memcpy(remarks + remarks_length, text, size);
    remarks_length += size;
}

static void remarks_forget(void)
{
    remarks_length = 0;
}

static void remarks_print(void)
{
    for (const char *text = remarks; text < remarks + remarks_length; text = after(text))
        log_line("# %s", text);
    remarks_forget();
}

static unsigned next_number(void)
{
    return tap.totals.passed + tap.totals.failed + tap.totals.skipped + 1;
}

void tap_begin(void)
{
    tap.begun = true;
    log_begin();
    log_attempt("TAP version 13");
}

void tap_plan(unsigned count, const char *skip_reason)
{
    if (!tap.begun)
        tap_begin();
    tap.totals = (struct tap_totals){.planned = count};
    tap.planned = true;
    tap.reason = count == 0 ? skip_reason : NULL;
    if (count == 0)
        log_line("1..0 # SKIP %s", skip_reason);
    else
        log_line("1..%u", count);
}

void tap_brief(bool brief)
{
    tap.brief = brief;
}

void tap_comment(enum tap_class class, const char *fmt, ...)
{
    const bool always = class == COMMENT_ALWAYS || class == COMMENT_HEARTBEAT;
    char text[TAP_TEXT_CHARS];
    va_list args;

    if ((tap.loop && !always) || (tap.brief && class == COMMENT_DETAIL))
        return;
    va_start(args, fmt);
    tap_text(text, fmt, args);
    va_end(args);
    if (class == COMMENT_HEARTBEAT || tap.loop)
        log_checked("# soak %s", text);
    else if (class == COMMENT_VECTOR && tap.brief && !tap.vector_failed)
        remarks_keep(text);
    else
        log_line("# %s", text);
}

void tap_start(const char *id, const char *rules, const char *title)
{
    log_line("#> %s%s%s%s%s%s", id, rules ? " [" : "", rules ? rules : "", rules ? "]" : "", title ? " " : "",
             title ? title : "");
}

void tap_show(const char *id)
{
    struct tap_counts counts = tap_counted();
    char bottom[SHOWN_CHARS + 1];

    tap.vector_failed = false;
    remarks_forget();

    if (tap.loop)
        format(bottom, sizeof bottom, "loop %llu, %llu failed: %s", tap.loop, counts.failed, id);
    else
        format(bottom, sizeof bottom, "%u/%u, %u failed: %s", next_number(), tap.totals.planned,
               tap.totals.failed, id);
    screen_bottom(bottom, counts.failed == 0 ? SCREEN_GREEN : SCREEN_RED);
}

void tap_later_loop(uint64_t loop)
{
    diagnosis_end();
    diagnosis_form(loop > 0 ? DIAGNOSIS_SILENT : DIAGNOSIS_YAML);
    tap.loop = loop;
    if (loop > 0)
        tap.loops = loop;
}

struct tap_counts tap_counted(void)
{
    const struct tap_totals *t = &tap.totals;
    struct tap_counts counts = tap.later;

    counts.points += t->passed + t->failed + t->skipped;
    counts.failed += t->failed;
    return counts;
}

/* Begin a point that did not fail. False in later loops of a soak, where it is only counted. */
static bool begin_good_point(void)
{
    diagnosis_end();
    remarks_forget();
    tap.later.points += tap.loop > 0;
    return tap.loop == 0;
}

void tap_ok(const char *id)
{
    if (!begin_good_point())
        return;
    log_checked("ok %u - %s", next_number(), id);
    tap.totals.passed++;
}

void tap_ok_unexplained(const char *id, unsigned results, const char *text)
{
    tap.totals.unexplained += results;
    if (!begin_good_point()) {
        tap_comment(COMMENT_HEARTBEAT, "loop %llu: ok - %s # unexplained: %s", tap.loop, id, text);
        return;
    }
    log_checked("ok %u - %s # unexplained: %s", next_number(), id, text);
    tap.totals.passed++;
}

void tap_skip(const char *id, const char *fmt, ...)
{
    char text[TAP_TEXT_CHARS];
    va_list args;

    if (!begin_good_point())
        return;
    va_start(args, fmt);
    tap_text(text, fmt, args);
    va_end(args);
    log_checked("ok %u - %s # SKIP %s", next_number(), id, text);
    tap.totals.skipped++;
}

void tap_skip_lacking(const char *id, const char *reason, const char *remedy)
{
    if (remedy != NULL && !tap.loop)
        outcome_untested(reason, remedy);
    tap_skip(id, "%s", reason);
}

void tap_skip_pmu(const char *reason)
{
    tap_skip("pmu", "%s", reason);
    tap.reason = reason;
}

bool tap_has_tested(void)
{
    return tap.reason == NULL;
}

void tap_not_exercised(const char *name, const char *reason, uint64_t counted)
{
    tap.totals.not_exercised++;
    tap_comment(COMMENT_INFO, "not exercised: %s: %s; counted %llu", name, reason, counted);
}

void tap_follows(const char *fmt, ...)
{
    char text[TAP_TEXT_CHARS];
    va_list args;

    va_start(args, fmt);
    tap_text(text, fmt, args);
    va_end(args);
    if (tap.follows[0] == '\0')
        memcpy(tap.follows, text, sizeof text);
    tap_comment(COMMENT_INFO, "%s", text);
}

void tap_strict(bool strict)
{
    tap.strict = strict;
}

void tap_not_ok(const char *id)
{
    diagnosis_end();
    if (!tap.planned)
        tap_plan(1, NULL);
    outcome_failed(id);
    if (tap.loop) {
        const bool printed = tap.later.printed < TAP_MAX_PRINTED;

        tap.later.points++;
        tap.later.failed++;
        tap.later.printed += printed;
        diagnosis_form(printed ? DIAGNOSIS_COMMENTS : DIAGNOSIS_SILENT);
        if (printed)
            tap_comment(COMMENT_HEARTBEAT, "loop %llu: not ok - %s", tap.loop, id);
        return;
    }
    remarks_print();
    tap.vector_failed = true;
    log_checked("not ok %u - %s", next_number(), id);
    tap.totals.failed++;
}

void tap_intermittent(void)
{
    tap.totals.intermittent++;
}

void tap_write_bail(const char *fmt, va_list args)
{
    static char text[TAP_TEXT_CHARS]; /* the screen shows it at the end */

    tap_text(text, fmt, args);
    diagnosis_end();
    log_line("Bail out! %s", text);
    tap.reason = text;
}

static enum verdict broken(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tap_write_bail(fmt, args);
    va_end(args);
    return VERDICT_BROKEN;
}

static void format_totals(char text[TOTALS_CHARS])
{
    const struct tap_totals *t = &tap.totals;
    size_t length = format(text, TOTALS_CHARS, "%u passed, %u failed, %u skipped of %u", t->passed, t->failed,
                           t->skipped, t->planned);

    if (t->intermittent > 0)
        length +=
            format(text + length, TOTALS_CHARS - length, "; %u of the failed intermittent", t->intermittent);
    if (t->unexplained > 0)
        length += format(text + length, TOTALS_CHARS - length, "; %u unexplained", t->unexplained);
    if (t->not_exercised > 0)
        length += format(text + length, TOTALS_CHARS - length, "; %u not exercised", t->not_exercised);
    if (tap.loops > 0)
        format(text + length, TOTALS_CHARS - length, "; %llu loops begun", tap.loops);
}

void tap_screen_verdict(const char *name, const char *word, enum screen_colour colour)
{
    static char text[SCREEN_CHARS];
    char totals[TOTALS_CHARS];
    size_t length = 0, added;

    if (tap.reason != NULL)
        length = format(text, sizeof text, "%s\n", tap.reason);
    if (tap.reason == NULL || outcome_is_told()) {
        format_totals(totals);
        length += format(text + length, sizeof text - length, "%s%s%s\n", tap.follows,
                         tap.follows[0] ? "\n" : "", totals);
        for (unsigned i = 0; (added = outcome_format_untested(i, tap.totals.planned, text + length,
                                                              sizeof text - length)) > 0;
             i++) {
            length += added;
            length += format(text + length, sizeof text - length, "\n");
        }
        outcome_format(text + length, sizeof text - length);
    }
    screen_verdict(name, word, text, !outcome_is_told(), colour);
}

enum verdict tap_end(void)
{
    const struct tap_totals *t = &tap.totals;
    unsigned points = t->passed + t->failed + t->skipped;
    char totals[TOTALS_CHARS], text[200];

    if (!tap.planned) {
        tap_not_ok("tap.plan");
        return broken("the run ended before the plan was printed");
    }
    if (points != t->planned) {
        tap_not_ok("tap.plan");
        return broken("%u points were planned and %u reported", t->planned, points);
    }
    if (uart_timed_out())
        return broken("the serial line stopped taking bytes, so the log on it is cut short");
    if (t->planned == 0) {
        log_end("skip");
        return VERDICT_SKIP;
    }
    for (unsigned i = 0; outcome_format_untested(i, t->planned, text, sizeof text) > 0; i++)
        tap_comment(COMMENT_INFO, "%s", text);
    format_totals(totals);
    tap_comment(COMMENT_INFO, "%s", totals);
    const bool too_little = outcome_untested_points() > 0 || t->unexplained > 0 || t->not_exercised > 0;
    if (t->failed == 0 && (tap.reason != NULL || (tap.strict && too_little))) {
        log_end("skip");
        return VERDICT_SKIP;
    }
    log_end(t->failed > 0 ? "fail" : "pass");
    return t->failed > 0 ? VERDICT_FAIL : VERDICT_PASS;
}
