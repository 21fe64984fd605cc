/* Walks the rows in the order of the list, and the items of each row in the order of its table. */
#include "selection.h"

#include "course_steps.h"
#include "kernel/run/run.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "machine.h"
#include "needs.h"
#include "rules.h"

/* Does the pattern select the member with this id? */
static bool selects(const struct pattern *pattern, const struct vector *row, const char *id)
{
    const unsigned rule = rule_named(pattern->text, pattern->length);

    return pattern_matches(pattern, id, row->also) || (rule && vector_judges(row, id, rule));
}

static bool may_select(const struct pattern *pattern, const struct vector *row)
{
    const unsigned rule = rule_named(pattern->text, pattern->length);

    return pattern_may_match(pattern, row->id, row->also) || (rule && vector_may_judge(row, rule));
}

static bool selected(const struct options *options, const struct vector *row, const char *id)
{
    const bool typed = strcmp(row->id, TYPED_COURSE) == 0;
    bool chosen = options->only_count == 0;

    if (!machine_has_pmu && !vector_is_of_harness(row))
        return false;
    if (typed || (options->course && chosen))
        return typed && options->course;
    for (unsigned i = 0; i < options->only_count; i++)
        chosen = chosen || selects(&options->only[i], row, id);
    for (unsigned i = 0; i < options->skip_count; i++)
        chosen = chosen && !selects(&options->skip[i], row, id);
    return chosen;
}

bool selection_is_full(const struct options *options)
{
    return !options->only_count && !options->skip_count && !options->quick && !options->course &&
           !options->selftest;
}

/* False when selected() is false for every member of the row, whose ids need not be made then: in simulators
 * this counts. */
static bool may_be_selected(const struct options *options, const struct vector *row)
{
    bool chosen = options->only_count == 0 || options->course;

    for (unsigned i = 0; i < options->only_count; i++)
        chosen = chosen || may_select(&options->only[i], row);
    return chosen;
}

static bool names_a_vector(const struct pattern *pattern)
{
    for (unsigned g = 0; VECTOR_GROUPS[g]; g++)
        for (size_t r = 0; r < VECTOR_GROUPS[g]->count; r++) {
            const struct vector *row = &VECTOR_GROUPS[g]->rows[r];
            if (!may_select(pattern, row))
                continue;
            for (unsigned m = 0; m < vector_members(row); m++) {
                char id[VECTOR_ID_SIZE];
                vector_id(row, m, id, sizeof id);
                if (selects(pattern, row, id))
                    return true;
            }
        }
    return false;
}

/* A mistyped pattern among others must not silently leave vectors out, or in. */
static void demand_sense(const char *word, const struct pattern *patterns, unsigned count)
{
    char shown[VECTOR_ID_SIZE];

    for (unsigned i = 0; i < count; i++) {
        if (names_a_vector(&patterns[i]))
            continue;
        size_t length = patterns[i].length < sizeof shown ? patterns[i].length : sizeof shown - 1;
        memcpy(shown, patterns[i].text, length);
        shown[length] = '\0';
        bail_out_as(
            "boot.line",
            "boot line: '%s%s' matches no vector; allowed: an id, the beginning of one up to a dot, or a "
            "rule; the word list prints them",
            word, shown);
    }
}

/* Boot word quick: of each row that is no probe, the first selected member that this machine can run; if it
 * can run none, the first selected one, which is then skipped with its reason. */
static unsigned quick_member(const struct options *options, const struct vector *row)
{
    unsigned chosen = vector_members(row);

    for (unsigned m = chosen; !row->probe && m-- > 0;) {
        char id[VECTOR_ID_SIZE];
        vector_id(row, m, id, sizeof id);
        if (selected(options, row, id) &&
            (chosen == vector_members(row) || !(vector_needs(row, m) & ~machine_meets())))
            chosen = m;
    }
    return chosen;
}

static bool thorough;
static const char *course;

const char *selection_course(void)
{
    return course;
}

bool selection_is_thorough(void)
{
    return thorough;
}

void selection_prepare(const struct options *options)
{
    thorough = options->thorough;
    course = options->course;
    for (unsigned g = 0; VECTOR_GROUPS[g]; g++)
        if (VECTOR_GROUPS[g]->prepare)
            VECTOR_GROUPS[g]->prepare();
}

unsigned selection_each(const struct options *options, visit_fn *visit)
{
    unsigned count = 0;

    for (unsigned g = 0; VECTOR_GROUPS[g]; g++)
        for (size_t r = 0; r < VECTOR_GROUPS[g]->count; r++) {
            const struct vector *row = &VECTOR_GROUPS[g]->rows[r];
            if (!may_be_selected(options, row))
                continue;
            unsigned quick = options->quick ? quick_member(options, row) : 0;
            for (unsigned m = 0; m < vector_members(row); m++) {
                char id[VECTOR_ID_SIZE];
                vector_id(row, m, id, sizeof id);
                if ((options->quick && m != quick) || !selected(options, row, id))
                    continue;
                count++;
                if (visit)
                    visit(row, m, id);
            }
        }
    return count;
}

const struct vector *selection_row(const char *id)
{
    for (unsigned g = 0; VECTOR_GROUPS[g]; g++)
        for (size_t r = 0; r < VECTOR_GROUPS[g]->count; r++)
            if (strcmp(VECTOR_GROUPS[g]->rows[r].id, id) == 0)
                return &VECTOR_GROUPS[g]->rows[r];
    bail_out("there is no vector %s", id);
}

const char *selection_why_not(const struct options *options, const struct vector *row)
{
    const unsigned lacking = row->needs & ~machine_meets();

    if (lacking)
        return machine_lacks(lacking);
    return !options->quick && selected(options, row, row->id) ? NULL : "not selected on the boot line";
}

void selection_check(const struct options *options)
{
    demand_sense("only=", options->only, options->only_count);
    demand_sense("skip=", options->skip, options->skip_count);
}

/* Format the needs as "; needs: AP, local APIC"; empty when there are none. */
static void name_needs(unsigned needs, char *out, size_t size)
{
    static const char *const names[] = {"AP",   "Hyper-Threading", "extended cascade", "instr_completed",
                                        "SSE2", "local APIC",      "boot on LP0",      "AP in the tables"};
    size_t length = 0;

    out[0] = '\0';
    for (unsigned i = 0; i < COUNT_OF(names) && length < size; i++)
        if (needs >> i & 1)
            length += format(out + length, size - length, "%s%s", length ? ", " : "; needs: ", names[i]);
}

static void list_vector(const struct vector *row, unsigned member, const char *id)
{
    unsigned needs = vector_needs(row, member), lacking = needs & ~machine_meets();
    char named[120];

    name_needs(needs, named, sizeof named);
    tap_comment(COMMENT_INFO, "vector %s [%s] %s %s%s%s%s", id, vector_rules(row, id),
                row->probe ? "probe" : "check", row->title, named, lacking ? "; not here: " : "",
                lacking ? machine_lacks(lacking) : "");
}

/* Each step that a course may have, of counter 12, as course= takes it, and what it does. */
static void list_steps(void)
{
    for (unsigned kind = 0; kind < COURSE_STEP_KINDS; kind++) {
        const struct course course = {.actors = 1,
                                      .actor = {{.counter = 12}},
                                      .steps = 1,
                                      .step = {course_example((enum course_step_kind)kind)}};
        char text[COURSE_TEXT], words[COURSE_WORDS];
        const char *step = text;

        course_print(&course, text, sizeof text);
        while (*step++ != '/')
            continue;
        course_tell_step(&course, 0, words);
        tap_comment(COMMENT_INFO, "step %s: %s", step, words);
    }
}

void selection_list(const struct options *options)
{
    selection_each(options, list_vector);
    if (options->only_count == 0)
        list_steps();
}
