#include "expect.h"

#include <stdarg.h>

#include "kernel/run/guard.h"
#include "kernel/console/console.h"
#include "kernel/lib/format.h"
#include "kernel/log/tap.h"
#include "machine.h"
#include "pmc/netburst/setup.h"

static struct {
    const struct vector *row;
    const char *id;
    enum outcome outcome;
    uint32_t errata; /* already named */
    bool decisive;
    char disturbance[200];
} now;

void expect_begin(const struct vector *row, const char *id)
{
    now.row = row;
    now.id = id;
    now.errata = 0;
}

void expect_run(bool decisive)
{
    now.outcome = OUTCOME_OPEN;
    now.decisive = decisive;
}

const char *expect_disturbance(void)
{
    return now.disturbance;
}

enum outcome expect_outcome(void)
{
    return now.outcome;
}

void failure_begin(void)
{
    now.outcome = OUTCOME_NOT_OK;
    tap_not_ok(now.id);
    tap_block_begin();
    tap_pair("title", "%s", now.row->title);
    tap_pair("rules", "%s", now.row->rules);
}

static void dump_pair(void *context, const char *name, uint64_t value)
{
    (void)context;
    tap_pair(name, value >> 32 ? "%10llH" : "%8llH", value);
}

void failure_end(void)
{
    pmc_dump(&machine_cpu, dump_pair, 0);
    tap_block_end();
}

/* A probe never fails: what it expected and saw is only reported. */
static void mismatch(const char *what, va_list args, const char *expected, const char *observed)
{
    char text[160];

    vformat(text, sizeof text, what, args);
    if (now.row->probe) {
        report("%s: %s, not %s", text, observed, expected);
        return;
    }
    if (!now.decisive) {
        format(now.disturbance, sizeof now.disturbance, "%s: %s, not %s", text, observed, expected);
        now.outcome = OUTCOME_DISTURBED;
        guard_abort();
    }
    failure_begin();
    tap_pair("what", "%s", text);
    tap_pair("expected", "%s", expected);
    tap_pair("observed", "%s", observed);
    failure_end();
    guard_abort();
}

/* shown_as formats one 64-bit value. */
static void compare(uint64_t expected, uint64_t observed, const char *shown_as, const char *what,
                    va_list args)
{
    char e[24], o[24];

    format(e, sizeof e, shown_as, expected);
    format(o, sizeof o, shown_as, observed);
    mismatch(what, args, e, o);
}

void expect_equal(uint64_t expected, uint64_t observed, const char *what, ...)
{
    if (expected == observed)
        return;
    va_list args;

    va_start(args, what);
    compare(expected, observed, "%llu", what, args);
    va_end(args);
}

void expect_between(uint64_t low, uint64_t high, uint64_t observed, const char *what, ...)
{
    if (low <= observed && observed <= high)
        return;
    char e[56], o[24];
    va_list args;

    format(e, sizeof e, "%llu to %llu", low, high);
    format(o, sizeof o, "%llu", observed);
    va_start(args, what);
    mismatch(what, args, e, o);
    va_end(args);
}

void expect_true(bool condition, const char *what, ...)
{
    if (condition)
        return;
    va_list args;

    va_start(args, what);
    mismatch(what, args, "yes", "no");
    va_end(args);
}

void expect_register(uint64_t expected, uint64_t observed, const char *what, ...)
{
    if (expected == observed)
        return;
    va_list args;

    va_start(args, what);
    compare(expected, observed, "%8llH", what, args);
    va_end(args);
}

void report(const char *fmt, ...)
{
    char text[200];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    tap_comment("%s", text);
}

void report_erratum(uint32_t erratum)
{
    if (now.errata & erratum)
        return;
    now.errata |= erratum;
    report("erratum %s: %s", pmc_erratum_name(erratum), pmc_erratum_effect(erratum));
}

static void skip(const char *fmt, va_list args)
{
    char text[160];

    vformat(text, sizeof text, fmt, args);
    now.outcome = OUTCOME_SKIPPED;
    tap_skip(now.id, "%s", text);
}

void expect_skip(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    skip(fmt, args);
    va_end(args);
}

void skip_now(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    skip(fmt, args);
    va_end(args);
    guard_abort();
}
