/* Judges what a vector observed, by expect_X() and require_X(), and prints the point with its diagnosis. */
#include "expect.h"

#include <stdarg.h>

#include "failure.h"
#include "kernel/run/guard.h"
#include "kernel/run/pmi.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "setting.h"
#include "witness.h"

#define HELD      200 /* different rules of expectations in a vector; a course has the most, some 80 */
#define HELD_LINE 100 /* characters after which a line of them ends */

static struct {
    const struct vector *row;
    uint32_t errata; /* already named */
    bool note_held;
    bool decisive;
    bool disturbed, unexplained, failed, skipped, too_disturbed;
    bool told; /* what the next expectation is about */
    struct act act;
    unsigned earlier; /* expectations before this run */
    bool ended;       /* the run was ended here, not by a fault or the deadline */
    char disturbance[200], last_unexplained[200];
    char skip_reason[160];
    struct {
        uint32_t rules;
        unsigned times;
    } held[HELD]; /* up to the first that has no rules */
} now;

void expect_begin(const struct vector *row, bool note_held)
{
    now.row = row;
    now.note_held = note_held;
    now.errata = 0;
}

void expect_run(bool decisive)
{
    failures_forget();
    setting_begin();
    now.decisive = decisive;
    now.disturbed = now.unexplained = now.failed = now.skipped = now.ended = now.told = now.too_disturbed =
        false;
    now.earlier = witness_expectations();
    witness_begin();
    memset(now.held, 0, sizeof now.held);
}

bool expect_decides(void)
{
    return now.decisive;
}

bool expect_ended(void)
{
    return now.ended;
}

const char *expect_disturbance(void)
{
    return now.disturbance;
}

/* A failure wins over a skip that comes after it. */
enum outcome expect_outcome(void)
{
    return now.failed        ? OUTCOME_NOT_OK
           : now.disturbed   ? OUTCOME_DISTURBED
           : now.unexplained ? OUTCOME_UNEXPLAINED
           : now.skipped     ? OUTCOME_SKIPPED
                             : OUTCOME_OPEN;
}

void expect_was_disturbed(void)
{
    memcpy(now.disturbance, now.last_unexplained, sizeof now.disturbance);
}

void expect_about(struct act act)
{
    now.act = act;
    now.told = true;
}

struct act expect_act(void)
{
    return now.act;
}

unsigned expect_number(void)
{
    return witness_expectations() - now.earlier;
}

void expect_fails(void)
{
    now.failed = true;
}

void expect_failed(const char *fmt, ...)
{
    char text[160];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    failure_keep_incident(text);
    now.failed = true;
}

void expect_storm(void)
{
    char what[80], expected[24], observed[24];

    format(what, sizeof what, "a storm of PMIs (R49, R51): PMIs without a pause of %u us", PMI_STORM_US);
    format(expected, sizeof expected, "less than %u", PMI_STORM);
    format(observed, sizeof observed, "%u, and no end", PMI_STORM);
    failure_keep(RULES(R49, R51), what, expected, observed, &(struct named){.numbers = 0});
    now.failed = true;
}

void expect_print(const char *id, const struct trap_report *why)
{
    if (expect_outcome() == OUTCOME_NOT_OK)
        failures_print(now.row, id, why, false);
    else if (expect_outcome() == OUTCOME_SKIPPED)
        tap_skip(id, "%s", now.skip_reason);
}

_Noreturn void expect_end(void)
{
    now.ended = true;
    guard_abort();
}

bool rules_are_noted(void)
{
    return now.note_held;
}

void rules_held(uint32_t rules)
{
    for (unsigned i = 0; i < HELD && now.note_held; i++)
        if (now.held[i].rules == rules || now.held[i].rules == 0) {
            now.held[i].rules = rules;
            now.held[i].times++;
            return;
        }
}

void expect_print_held(void)
{
    char text[HELD_LINE + 2 * RULES_TEXT] = "", rules[RULES_TEXT];
    size_t length = 0;

    for (unsigned i = 0; i < HELD && now.held[i].rules; i++) {
        rules_name(now.held[i].rules, rules);
        length += format(text + length, sizeof text - length, "%s%s (%u)", length ? ", " : "", rules,
                         now.held[i].times);
        if (length < HELD_LINE && i + 1 < HELD && now.held[i + 1].rules)
            continue;
        tap_comment(COMMENT_INFO, "held: %s", text);
        length = 0;
    }
}

/* An interrupt of the board takes no PMI away: it may be the PMI that is lacking, delivered wrongly. */
bool expect_is_witnessed(struct act act, bool lacks)
{
    const bool of_pmi = act.action == ACTION_PMI_LP0 || act.action == ACTION_PMI_LP1;

    return witness_seen() & ~(of_pmi && lacks ? (unsigned)WITNESS_INTERRUPT : 0) || witness_run_is_long();
}

/* What a failed expectation does to a check's run in which failures decide. */
enum after { RUN_GOES_ON, RUN_ENDS };

/* lacks: it is less than expected. A probe never fails: what it expected and saw is only reported. */
static void mismatch(enum after after, uint32_t rules, bool lacks, const char *what, va_list args,
                     const char *expected, const char *observed)
{
    char text[FAILURE_TEXT];
    struct named named = {.numbers = 0};

    witness_expectation();
    vformat_named(text, sizeof text, &named, what, args);
    if (now.row->probe) {
        tap_comment(COMMENT_VECTOR, "%s = %s, not %s", text, observed, expected);
        return;
    }
    if (!now.decisive && !now.told)
        now.act = act_of_rules(rules, named.numbers ? named.number[0] : NO_PLACE, 0);
    if (!now.decisive && expect_is_witnessed(now.act, lacks)) {
        now.disturbed = true; /* what failed without a witness before is still kept */
        format(now.disturbance, sizeof now.disturbance, "%s = %s, not %s", text, observed, expected);
        expect_end();
    }
    failure_keep(rules, text, expected, observed, &named);
    if (!now.decisive) {
        now.unexplained = true;
        failure_first(now.last_unexplained, sizeof now.last_unexplained);
        expect_end();
    }
    now.failed = true;
    if (after == RUN_ENDS)
        expect_end();
}

/* An expectation held. If something was due, it was an act that was judged; where, only its text says. */
static void held(uint32_t rules, bool due)
{
    witness_expectation();
    rules_held(rules);
    if (due && !now.told && !now.row->probe)
        acts_judged((enum action)act_of_rules(rules, NO_PLACE, 0).action, NO_PLACE, 1);
    now.told = false;
}

/* shown_as formats one 64-bit value: a number with its sign, because no count has 64 bits, or a register. */
static bool judge_equal(enum after after, uint32_t rules, uint64_t expected, uint64_t observed,
                        const char *shown_as, const char *what, va_list args)
{
    char e[24], o[24];

    if (expected == observed) {
        held(rules, expected > 0);
        return true;
    }
    format(e, sizeof e, shown_as, expected);
    format(o, sizeof o, shown_as, observed);
    mismatch(after, rules, observed < expected, what, args, e, o);
    return false;
}

static bool judge_between(enum after after, uint32_t rules, uint64_t low, uint64_t high, uint64_t observed,
                          const char *what, va_list args)
{
    char e[56], o[24];

    if (low <= observed && observed <= high) {
        held(rules, low > 0);
        return true;
    }
    if (low == high)
        format(e, sizeof e, "%lld", low);
    else if (high == UINT64_MAX)
        format(e, sizeof e, "at least %lld", low);
    else
        format(e, sizeof e, "%lld to %lld", low, high);
    format(o, sizeof o, "%lld", observed);
    mismatch(after, rules, observed < low, what, args, e, o);
    return false;
}

static bool judge_true(enum after after, uint32_t rules, bool condition, const char *what, va_list args)
{
    if (condition)
        held(rules, true);
    else
        mismatch(after, rules, true, what, args, "yes", "no");
    return condition;
}

bool expect_equal(uint32_t rules, uint64_t expected, uint64_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_equal(RUN_GOES_ON, rules, expected, observed, "%lld", what, args);
    va_end(args);
    return held;
}

void require_equal(uint32_t rules, uint64_t expected, uint64_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    (void)judge_equal(RUN_ENDS, rules, expected, observed, "%lld", what, args);
    va_end(args);
}

bool expect_register(uint32_t rules, uint64_t expected, uint64_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_equal(RUN_GOES_ON, rules, expected, observed, "%8llH", what, args);
    va_end(args);
    return held;
}

static void name_exception(uint32_t exception, char *out, size_t size)
{
    if (exception == NO_EXCEPTION)
        format(out, size, "none");
    else
        format(out, size, "%u (%s)", exception, trap_name(exception));
}

static bool judge_exception(uint32_t rules, uint32_t expected, uint32_t observed, const char *what,
                            va_list args)
{
    char e[40], o[40];

    if (expected == observed) {
        held(rules, expected != NO_EXCEPTION);
        return true;
    }
    name_exception(expected, e, sizeof e);
    name_exception(observed, o, sizeof o);
    mismatch(RUN_GOES_ON, rules, false, what, args, e, o);
    return false;
}

bool expect_exception(uint32_t rules, uint32_t expected, uint32_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_exception(rules, expected, observed, what, args);
    va_end(args);
    return held;
}

static uint32_t exception_of(unsigned fault)
{
    return fault == NO_FAULT ? NO_EXCEPTION : fault;
}

bool expect_fault(uint32_t rules, unsigned expected, unsigned observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_exception(rules, exception_of(expected), exception_of(observed), what, args);
    va_end(args);
    return held;
}

bool expect_counter(uint32_t rules, uint64_t expected, uint64_t spread, uint64_t observed, const char *what,
                    ...)
{
    const bool holds = ((observed - expected + spread) & COUNTER_MASK) <= 2 * spread;
    char e[56], o[24];
    va_list args;

    format(e, sizeof e, spread ? "%10llH, %llu more or less" : "%10llH", expected & COUNTER_MASK, spread);
    format(o, sizeof o, "%10llH", observed);
    va_start(args, what);
    if (holds)
        held(rules, true);
    else
        mismatch(RUN_GOES_ON, rules, false, what, args, e, o);
    va_end(args);
    return holds;
}

bool expect_between(uint32_t rules, uint64_t low, uint64_t high, uint64_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_between(RUN_GOES_ON, rules, low, high, observed, what, args);
    va_end(args);
    return held;
}

void require_between(uint32_t rules, uint64_t low, uint64_t high, uint64_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    (void)judge_between(RUN_ENDS, rules, low, high, observed, what, args);
    va_end(args);
}

bool expect_true(uint32_t rules, bool condition, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_true(RUN_GOES_ON, rules, condition, what, args);
    va_end(args);
    return held;
}

void require_true(uint32_t rules, bool condition, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    (void)judge_true(RUN_ENDS, rules, condition, what, args);
    va_end(args);
}

bool expect_near(uint32_t rules, uint64_t about, uint64_t spread, uint64_t observed, const char *what, ...)
{
    va_list args;

    va_start(args, what);
    bool held = judge_between(RUN_GOES_ON, rules, about - spread, about + spread, observed, what, args);
    va_end(args);
    return held;
}

void report_erratum(uint32_t erratum)
{
    if (now.errata & erratum)
        return;
    now.errata |= erratum;
    tap_comment(COMMENT_VECTOR, "erratum %s: %s", pmc_erratum_name(erratum), pmc_erratum_effect(erratum));
}

static void skip(const char *fmt, va_list args)
{
    vformat(now.skip_reason, sizeof now.skip_reason, fmt, args);
    now.skipped = true;
}

void expect_skip(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    skip(fmt, args);
    va_end(args);
}

void expect_too_disturbed(const char *why)
{
    format(now.disturbance, sizeof now.disturbance, "%s", why);
    now.disturbed = now.too_disturbed = true;
    expect_end();
}

bool expect_is_too_disturbed(void)
{
    return now.too_disturbed;
}

void skip_now(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    skip(fmt, args);
    va_end(args);
    expect_end();
}
