/*
 * Keeps the failures of one run of a vector, with the PMU's registers at the first of them, until they are
 * printed.
 */
#include "failure.h"

#include "course_failed.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/run/run.h"
#include "kernel/x86/cpu.h"
#include "machine.h"
#include "pmc/netburst/setup.h"
#include "sheet.h"
#include "setting.h"
#include "unexplained.h"

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
    bool of_run_before;
    unsigned expectations, incidents; /* kept or counted */
    unsigned listed;
    struct failure failure[FAILURES_LISTED + INCIDENTS_LISTED];
    unsigned registers;
    struct kept_register at_first[REGISTERS];
    /* Of the first: the counters and the register that its text names, and what was in use. */
    struct named named;
    char name[32];
    struct setting setting;
} kept;

void failures_forget(void)
{
    kept.of_run_before = true;
    courses_forget();
}

static void begin_run(void)
{
    if (kept.of_run_before)
        kept.expectations = kept.incidents = kept.listed = kept.registers = 0;
    kept.of_run_before = false;
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

static uint32_t at_first(const char *name)
{
    for (unsigned i = 0; i < kept.registers; i++)
        if (strcmp(kept.at_first[i].name, name) == 0)
            return (uint32_t)kept.at_first[i].value;
    return 0;
}

/* What the registers of a counter hold, too: not everything that programs a counter notes it. */
static void add_registers(struct setting *s, unsigned counter)
{
    const uint32_t cccr = counter < PMC_COUNTERS ? at_first(PMC_COUNTER[counter].cccr_name) : 0;
    const struct pmc_escr *escr = cccr ? pmc_escr_for(counter, (unsigned)CCCR_GET_ESCR_SELECT(cccr)) : NULL;

    s->words |= setting_of_cccr(cccr);
    if (!escr)
        return;
    s->escrs |= 1ull << (escr - PMC_ESCR);
    s->words |= setting_of_escr(at_first(escr->name));
}

static void keep_setting(const struct named *named)
{
    kept.setting = *setting_now();
    kept.named = *named;
    format(kept.name, sizeof kept.name, "%s", named->name ? named->name : "");
    for (unsigned i = 0; i < named->numbers; i++)
        add_registers(&kept.setting, named->number[i]);
}

/* Interrupts are off, so that a deadline that passes meanwhile ends the run after the failure was kept. */
static void list(uint32_t rules, const char *what, const char *expected, const char *observed,
                 const struct named *named)
{
    bool interrupts = irq_off();
    struct failure *f = &kept.failure[kept.listed];

    f->rules = rules;
    format(f->what, sizeof f->what, "%s", what);
    format(f->expected, sizeof f->expected, "%s", expected);
    format(f->observed, sizeof f->observed, "%s", observed);
    courses_keep(kept.listed);
    if (kept.listed++ == 0 && machine_has_pmu) {
        pmc_dump(&machine_cpu, keep_register, NULL);
        keep_setting(named);
    }
    irq_restore(interrupts);
}

void failure_keep(uint32_t rules, const char *what, const char *expected, const char *observed,
                  const struct named *named)
{
    begin_run();
    if (kept.expectations++ < FAILURES_LISTED)
        list(rules, what, expected, observed, named);
    else
        courses_forget();
}

void failure_keep_incident(const char *what)
{
    begin_run();
    if (kept.incidents++ < INCIDENTS_LISTED)
        list(0, what, "", "", &(struct named){.numbers = 0});
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

/* Can a counter that the first failure names select it? An ESCR that none of them can was noted for others.
 */
static bool is_selectable(const struct pmc_escr *escr)
{
    bool found = kept.named.numbers == 0;

    for (unsigned i = 0; i < kept.named.numbers && !found; i++) {
        const struct pmc_counter *c = &PMC_COUNTER[kept.named.number[i] % PMC_COUNTERS];

        found = c->block == escr->block && c->side == escr->side;
    }
    return found;
}

static void print_setting(void)
{
    char text[SETTING_TEXT] = "";
    size_t length = 0;

    if (kept.name[0] == 'M') /* a register of the PMU */
        tap_value("register", "%s", kept.name);
    for (unsigned i = 0; i < kept.named.numbers; i++)
        length += format(text + length, sizeof text - length, " %u", kept.named.number[i]);
    for (unsigned n = 0; n < PMC_COUNTERS && kept.named.numbers == 0; n++)
        if (kept.setting.counters >> n & 1)
            length += format(text + length, sizeof text - length, " %u", n);
    if (length)
        tap_value("counters", "%s", text + 1);
    length = 0;
    for (const struct pmc_escr *escr = PMC_ESCR; escr < PMC_ESCR + PMC_ESCRS; escr++)
        if ((kept.setting.escrs >> (escr - PMC_ESCR) & 1) && is_selectable(escr))
            length += format(text + length, sizeof text - length, " %s", escr->name + 4);
    if (length)
        tap_value("escrs", "%s", text + 1);
    setting_name(kept.setting.words, text);
    if (text[0] != '\0')
        tap_value("setting", "%s", text);
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

void failures_print(const struct vector *row, const char *id, const struct trap_report *why,
                    bool intermittent)
{
    const struct failure *first = &kept.failure[0];
    const char *doubt = sheet_harness_doubt(row, id);
    char rules[RULES_TEXT];

    tap_not_ok(id);
    diagnosis_begin();
    tap_value("title", "%s", row->title);
    tap_value("rules", "%s", vector_rules(row, id));
    tap_value("what", "%s", first->what);
    if (first->expected[0] != '\0') {
        tap_value("expected", "%s", first->expected);
        tap_value("observed", "%s", first->observed);
    }
    if (first->rules) {
        rules_name(first->rules, rules);
        tap_value("breaks", "%s", rules);
    }
    if (intermittent)
        unexplained_print(id);
    if (doubt)
        tap_value("rests_on", "%s, which failed", doubt);
    print_setting();
    print_others();
    courses_print(kept.listed);
    trap_report_values(why);
    for (unsigned i = 0; i < kept.registers; i++) {
        const struct kept_register *r = &kept.at_first[i];

        tap_value(r->name, r->value >> 32 ? "%10llH" : "%8llH", r->value);
    }
    diagnosis_end();
}
