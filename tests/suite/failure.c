#include "failure.h"

#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/run/run.h"
#include "kernel/x86/cpu.h"
#include "machine.h"
#include "pmc/netburst/setup.h"
#include "sheet.h"

#define INCIDENTS_LISTED 2
#define REGISTERS        (2 * PMC_COUNTERS + PMC_ESCRS)

struct failure {
    uint32_t rules;                                      /* 0 for an incident */
    char what[FAILURE_TEXT], expected[56], observed[24]; /* expected is "" for an incident */
};

struct kept_register {
    char name[32];
    uint64_t value;
};

static struct {
    unsigned expectations, incidents; /* kept or counted */
    unsigned listed;
    struct failure failure[FAILURES_LISTED + INCIDENTS_LISTED];
    unsigned registers;
    struct kept_register at_first[REGISTERS];
} kept;

void failures_forget(void)
{
    kept.expectations = kept.incidents = kept.listed = kept.registers = 0;
}

static void keep_register(void *context, const char *name, uint64_t value)
{
    (void)context;
    if (kept.registers == REGISTERS)
        return;
    struct kept_register *r = &kept.at_first[kept.registers++];

    format(r->name, sizeof r->name, "%s", name);
    r->value = value;
}

/* Interrupts are off, so that a deadline that passes meanwhile ends the run after the failure was kept. */
static void list(uint32_t rules, const char *what, const char *expected, const char *observed)
{
    bool interrupts = irq_off();
    struct failure *f = &kept.failure[kept.listed];

    f->rules = rules;
    format(f->what, sizeof f->what, "%s", what);
    format(f->expected, sizeof f->expected, "%s", expected);
    format(f->observed, sizeof f->observed, "%s", observed);
    if (kept.listed++ == 0 && machine_has_pmu)
        pmc_dump(&machine_cpu, keep_register, NULL);
    irq_restore(interrupts);
}

void failure_keep(uint32_t rules, const char *what, const char *expected, const char *observed)
{
    if (kept.expectations++ < FAILURES_LISTED)
        list(rules, what, expected, observed);
}

void failure_keep_incident(const char *what)
{
    if (kept.incidents++ < INCIDENTS_LISTED)
        list(0, what, "", "");
}

/* " = " and no colon: TAP::Parser takes an item of a list whose first word ends in a colon for a key,
 * although the item is quoted, and then stops reading the log. */
static void in_one_line(const struct failure *f, char *out, size_t size)
{
    if (f->expected[0] == '\0')
        format(out, size, "%s", f->what);
    else
        format(out, size, "%s = %s, not %s", f->what, f->observed, f->expected);
}

void failure_first(char *out, size_t size)
{
    in_one_line(&kept.failure[0], out, size);
}

uint64_t failures_rules(void)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < kept.listed; i++)
        set |= RULE_SET((uint8_t)kept.failure[i].rules);
    return set;
}

static void print_others(void)
{
    char text[sizeof(struct failure) + 10], rules[RULES_TEXT];
    const struct failure *f;

    if (kept.listed > 1)
        tap_list("also");
    for (unsigned i = 1; i < kept.listed; i++) {
        f = &kept.failure[i];
        in_one_line(f, text, sizeof text);
        rules_name(f->rules, rules);
        tap_item(f->rules ? "%s [%s]" : "%s", text, rules);
    }
    if (kept.expectations > FAILURES_LISTED)
        tap_value("more", "%u", kept.expectations - FAILURES_LISTED);
}

void failures_print(const struct vector *row, const char *id, const struct trap_report *why)
{
    const struct failure *first = &kept.failure[0];
    const char *doubt = sheet_harness_doubt(row);
    char rules[RULES_TEXT];

    tap_not_ok(id);
    diagnosis_begin();
    tap_value("title", "%s", row->title);
    tap_value("rules", "%s", vector_rules(row));
    tap_value("what", "%s", first->what);
    if (first->expected[0] != '\0') {
        tap_value("expected", "%s", first->expected);
        tap_value("observed", "%s", first->observed);
    }
    if (first->rules) {
        rules_name(first->rules, rules);
        tap_value("breaks", "%s", rules);
    }
    if (doubt)
        tap_value("rests_on", "%s, which failed", doubt);
    print_others();
    trap_report_values(why);
    for (unsigned i = 0; i < kept.registers; i++) {
        const struct kept_register *r = &kept.at_first[i];

        tap_value(r->name, r->value >> 32 ? "%10llH" : "%8llH", r->value);
    }
    diagnosis_end();
}
