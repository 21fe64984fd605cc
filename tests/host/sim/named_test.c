/*
 * Faults with a name (sim/faults/names.c): names of each form stand for their compositions; each 23rd name is
 * a fault that software can notice on drawn register programs; and what `--fault list` prints of a pattern.
 */
#include "sim/faults/nbpmu_fault.h"
#include "sim/inject/inject.h"
#include "tests/host/support/model_kit.h"

#include <stdlib.h>
#include <string.h>

/* Members of rows of each form: with each of {counter}, {next}, {x}, {escr} and {bit}, with a condition, with
 * a history, with a rule of its own. What it is composed of, and the rule that it breaks. */
static const struct {
    const char *name, *composition, *rule;
} NAMED[] = {
    {"cccr-bit-13-at-0", "cccr-write.not-kept@bit=13", "R3"},
    {"counter-alias-17-0", "counter-write.also-next@counter=17", "R4"},
    {"escr-alias-CRU_ESCR0", "escr-write.also-next@escr=CRU_ESCR0", "R3"},
    {"unqualified-for-12", "qualify.flags-ignored@counter=12", "R12"},
    {"route-missing-17-ALF_ESCR1", "route.none@counter=17@escr=ALF_ESCR1", "R17"},
    {"cascade-broken-12-14", "link-source.none@counter=14@link=cascade", "R34"},
    {"cascade-broken-15-17", "link-source.none@counter=17@link=cascade", "R34"},
    {"cascnt-broken-16-17", "link-source.none@counter=17@link=bit-11", "R35"},
    {"cascade-foreign-4-0", "link-source.also-by-4@counter=0@link=cascade", "R34"},
    {"cascnt-foreign-17-13", "link-source.also-by-17@counter=13@link=bit-11", "R35"},
    {"cascade-pmi-lost", "pmi-targets.none,while=armed", "R55"},
    {"cascade-needs-enable", "link.never@link=cascade,while=not-enabled", "R36"},
    {"edge-once", "edge.never,after=1", "R23"},
    {"lvtpc-bit-0-at-1", "lvtpc-write.bit-1@bit=0", "R50"},
};

TEST(names_stand_for_compositions)
{
    for (size_t i = 0; i < COUNT_OF(NAMED); i++) {
        struct nbpmu_fault named, composed;
        char text[256], error[1000];
        assert_true(nbpmu_fault_find(NAMED[i].name, &named));
        assert_true(nbpmu_fault_compose(NAMED[i].composition, &composed, error, sizeof error));
        nbpmu_fault_text(&named, text, sizeof text);
        assert_string_equal(text, NAMED[i].composition);
        assert_memory_equal(&named.composition, &composed.composition, sizeof named.composition);
        assert_string_equal(nbpmu_fault_rule_of(&named), NAMED[i].rule);
    }
}

/* No row stands for these: another counter starts 14, 3 has no bit 11, the bit is reserved, there is no such
 * register. */
TEST(what_has_no_name)
{
    static const char *const NONE[] = {"cascade-broken-13-14", "cascade-foreign-12-14",  "cascnt-broken-1-3",
                                       "cccr-bit-28-at-0",     "route-dead-NO_ESCR0",    "counter-dead-18",
                                       "counter-dead",         "counter-dead-{counter}", ""};
    struct nbpmu_fault fault = {.seed = 7};
    for (size_t i = 0; i < COUNT_OF(NONE); i++)
        assert_false(nbpmu_fault_find(NONE[i], &fault));
    assert_int_equal(fault.seed, 7);
}

/* What follows a name is added to it. */
TEST(a_name_is_a_head)
{
    struct nbpmu_fault fault;
    char text[256], error[1000];
    assert_true(nbpmu_fault_compose("ovf-missing-4,while=edge,every=3", &fault, error, sizeof error));
    nbpmu_fault_text(&fault, text, sizeof text);
    assert_string_equal(text, "ovf.never@counter=4,while=edge,every=3");
    assert_false(nbpmu_fault_compose("ovf-missing-4,while=ovf", &fault, error, sizeof error));
    assert_false(nbpmu_fault_compose("ti-as-ts,every=3", &fault, error, sizeof error));
    assert_non_null(strstr(error, "not composed"));
    assert_true(nbpmu_fault_compose("ti-as-ts", &fault, error, sizeof error));
    assert_false(nbpmu_fault_set_rate(&fault, 20, 1));
}

/* ---- The list ---- */

static char *listed(const char *pattern)
{
    static char *text;
    static size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    nbpmu_fault_list(out, pattern);
    fclose(out);
    return text;
}

TEST(list_of_a_pattern)
{
    char *names = listed("cascade-e*"), *compositions = listed("edge.never*"),
         *one = listed("edge.never,every=3"), *none = listed("edge.nver");
    assert_int_equal(strncmp(names, "cascade-early ", 14), 0);
    assert_ptr_equal(strchr(names, '\n') + 1, names + strlen(names));
    assert_non_null(strstr(compositions, "\nedge.never@counter=12 "));
    assert_null(strstr(compositions, "while="));
    assert_int_equal(strncmp(one, "edge.never,every=3 ", 19), 0);
    assert_string_equal(none, "");
    free(names);
    free(compositions);
    free(one);
    free(none);
}

/* So often must a fault that software cannot notice have acted; one that acts more seldom is left open. */
#define ACTED_LEAST 100u

/* Each 23rd name that is listed: software can notice it. */
TEST(software_can_notice_what_has_a_name)
{
    char *list = listed("*"), *rest = list;
    unsigned number = 0, unnoticed = 0;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        struct nbpmu_fault fault;
        struct nbpmu_fault_trial trial = {.acted = 0};
        line[strcspn(line, " ")] = '\0';
        if (number++ % 23)
            continue;
        assert_true(nbpmu_fault_find(line, &fault));
        const struct nbpmu_part *part =
            nbpmu_fault_misfit(&fault, &KIT_F43.part) ? &KIT_F12.part : &KIT_F43.part;
        assert_true(
            (nbpmu_fault_is_of_lvtpc(&fault) ? lapic_try : nbpmu_fault_try)(part, &fault, 1, 3000, &trial));
        const bool is_open = !trial.changed && trial.acted > 0 && trial.acted < ACTED_LEAST;
        if (trial.changed || is_open)
            continue;
        unnoticed++;
        print_error("%s: unnoticed in %u programs, acted in %u\n", line, trial.programs, trial.acted);
    }
    free(list);
    assert_int_equal(unnoticed, 0);
    assert_true(number > 1000);
}
