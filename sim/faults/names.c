/*
 * Faults that have a name: a document, a sentence of the manual or a test speaks of them. Each is a
 * composition, or one of the few faults that no composition has (odd.c).
 *
 * A row may stand for many: {counter} is each counter, {next} the one after it, {x} another counter, {escr}
 * each ESCR and {bit} each bit for which the composition is a fault. In a name {x}-{counter} is a link: x
 * starts the counter. Without an {x} in the composition x is the counter that does start it.
 */
#include "faults.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The rule is that of the composition, unless the row has one. */
static const struct nbpmu_fault_row NAMES[] = {
    /* ---- Registers, INIT and HLT ---- */
    {.name = "init-clears-bit-11", .composition = "init.clears-bit-11"},
    {.name = "hlt-clears-bit-11", .composition = "hlt.clears-bit-11"},
    {.name = "escr-starts-counting", .composition = "enable.always"},
    {.name = "cccr-bit-{bit}-at-0", .composition = "cccr-write.not-kept@bit={bit}"},
    {.name = "cccr-bit-{bit}-at-1", .composition = "cccr-write.bit-1@bit={bit}"},
    {.name = "escr-bit-{bit}-at-0", .composition = "escr-write.not-kept@bit={bit}"},
    {.name = "escr-bit-{bit}-at-1", .composition = "escr-write.bit-1@bit={bit}"},
    {.name = "counter-alias-{counter}-{next}", .composition = "counter-write.also-next@counter={counter}"},
    {.name = "cccr-alias-{counter}-{next}", .composition = "cccr-write.also-next@counter={counter}"},
    {.name = "escr-alias-{escr}", .composition = "escr-write.also-next@escr={escr}"},
    {.name = "counter-sign-extended", .composition = "counter-write.sign-extended"},
    {.name = "counter-loads-low", .composition = "counter-write.not-written@field=high"},
    {.name = "counter-high-lost-{counter}",
     .composition = "counter-write.not-written@field=high@counter={counter}"},
    {.name = "counter-write-clears-ovf", .composition = "counter-write.clears-ovf"},
    {.name = "cccr-write-loses-ovf", .composition = "cccr-write.not-kept@field=ovf", .rule = "R32"},
    {.name = "ovf-cannot-be-cleared", .composition = "cccr-write.not-cleared@field=ovf", .rule = "R29"},
    {.name = "ovf-cleared-by-reading", .composition = "cccr-read.clears-ovf", .rule = "R29"},
    {.name = "reading-wrong-{counter}", .composition = "counter-read.bit-inverted@bit=20@counter={counter}"},
    {.name = "readings-wrong", .composition = "counter-read.bit-inverted@bit=20"},
    {.name = "rdpmc-clears-ovf-{counter}",
     .composition = "counter-read.clears-ovf@counter={counter}@access=rdpmc"},
    /* ---- From an event to the value ---- */
    {.name = "select-off", .composition = "event-select.neighbour"},
    {.name = "mask-shifted", .composition = "event-mask.shifted"},
    {.name = "mask-0-counts-all", .composition = "event-mask.all,while=no-mask"},
    {.name = "mask-first-member", .composition = "event-mask.lowest"},
    {.name = "full-mask-dead-{escr}",
     .composition = "event-mask.none@escr={escr},while=full-mask",
     .rule = "R9"},
    {.name = "full-mask-first-{escr}", .composition = "event-mask.lowest@escr={escr},while=full-mask"},
    {.name = "os-usr-swapped", .composition = "qualify.by-other-cpl", .part = PART_HT},
    {.name = "no-ht-os-usr-swapped",
     .composition = "qualify.by-other-cpl",
     .rule = "R11",
     .part = PART_NO_HT},
    {.name = "cpl-ignored", .composition = "qualify.by-either-cpl"},
    {.name = "usr-is-cpl-3", .composition = "qualify.never@cpl=middle"},
    {.name = "t0-t1-swapped", .composition = "qualify.by-other-lp", .part = PART_HT},
    {.name = "ts-as-ti", .composition = "qualify.by-either-lp", .part = PART_HT},
    {.name = "unqualified-{escr}", .composition = "qualify.flags-ignored@escr={escr}"},
    {.name = "unqualified-for-{counter}", .composition = "qualify.flags-ignored@counter={counter}"},
    {.name = "flags-ignored", .composition = "qualify.flags-ignored"},
    {.name = "tag-lp1-dead", .composition = "tag.none@lp=1"},
    {.name = "route-off", .composition = "route.next"},
    {.name = "route-twin-{counter}", .composition = "route.neighbour@counter={counter}"},
    {.name = "route-dead-{escr}", .composition = "route.none@escr={escr}"},
    {.name = "route-missing-{counter}-{escr}", .composition = "route.none@counter={counter}@escr={escr}"},
    {.name = "escr-feeds-one", .composition = "value.zero,while=escr-taken", .rule = "R6"},
    {.name = "value-one-line", .composition = "value.at-most-1"},
    {.name = "value-clipped-at-3", .composition = "value.at-most-3"},
    {.name = "value-clipped-at-7", .composition = "value.at-most-7"},
    {.name = "value-line-dead-{bit}", .composition = "value.bit-0@bit={bit}"},
    {.name = "value-wraps", .composition = "value.wraps"},
    {.name = "filter-of-pair-{counter}",
     .composition = "field.neighbour@field=filter@counter={counter},while=neighbour-enabled",
     .rule = "R6"},
    {.name = "select-of-pair-{counter}", .composition = "field.neighbour@field=select@counter={counter}"},
    {.name = "held-compare-{counter}", .composition = "field.kept@field=compare@counter={counter}"},
    {.name = "held-threshold-{counter}", .composition = "field.kept@field=threshold@counter={counter}"},
    {.name = "held-edge-{counter}", .composition = "field.kept@field=edge@counter={counter}"},
    {.name = "held-pmi-{counter}", .composition = "field.kept@field=pmi@counter={counter}"},
    /* ---- The gate and the filter ---- */
    {.name = "gate-ignored-{counter}", .composition = "gate.always@counter={counter}"},
    {.name = "active-thread-ignored", .composition = "gate.always"},
    {.name = "one-halted-stops-all", .composition = "gate.never,while=lp-halted", .rule = "R42"},
    {.name = "gate-before-complement", .composition = "gate.gives-0"},
    {.name = "edge-without-compare", .composition = "field.bit-1@field=compare,while=edge", .rule = "R21"},
    {.name = "compare-dead-{counter}", .composition = "field.zero@field=compare@counter={counter}"},
    {.name = "complement-dead-{counter}", .composition = "field.zero@field=complement@counter={counter}"},
    {.name = "complement-ignored", .composition = "field.zero@field=complement"},
    {.name = "complement-below", .composition = "threshold.reached,while=complement"},
    {.name = "complement-obeys-cpl", .composition = "complement.never,while=no-flags", .rule = "R16"},
    {.name = "complement-needs-os", .composition = "complement.never,while=no-os", .rule = "R26"},
    {.name = "complement-passes-from-4", .composition = "complement.always,while=from-4"},
    {.name = "compare-inverted-from-4", .composition = "threshold.inverted,while=from-4"},
    {.name = "threshold-dead-{counter}", .composition = "field.zero@field=threshold@counter={counter}"},
    {.name = "threshold-ignored", .composition = "field.zero@field=threshold"},
    {.name = "threshold-reached", .composition = "threshold.reached,while=not-complement"},
    {.name = "threshold-one-more", .composition = "threshold.plus-1"},
    {.name = "threshold-bit-dead-{counter}-bit-{bit}",
     .composition = "threshold.bit-0@bit={bit}@counter={counter}"},
    {.name = "threshold-passes-value", .composition = "increment.passes-value,while=compare,while=not-edge"},
    {.name = "edge-ignored", .composition = "field.zero@field=edge"},
    {.name = "edge-dead-{counter}", .composition = "field.zero@field=edge@counter={counter}"},
    {.name = "edge-falling", .composition = "edge.inverted"},
    {.name = "edge-both", .composition = "edge.always"},
    {.name = "edge-once", .composition = "edge.never,after=1"},
    {.name = "edge-rearms-at-0", .composition = "edge.rearms-at-0"},
    {.name = "edge-ignores-threshold", .composition = "field.zero@field=threshold,while=edge", .rule = "R23"},
    {.name = "edge-ignores-complement",
     .composition = "field.zero@field=complement,while=edge",
     .rule = "R23"},
    {.name = "edge-at-cpl", .composition = "cpl-change.restarts-edge"},
    {.name = "edge-at-read-{counter}",
     .composition = "counter-read.restarts-edge@counter={counter}@access=rdmsr"},
    /* ---- The sum and the overflow ---- */
    {.name = "counter-dead-{counter}", .composition = "increment.zero@counter={counter}"},
    {.name = "counts-twice", .composition = "increment.twice"},
    {.name = "counts-one", .composition = "increment.at-most-1"},
    {.name = "increment-bit-dead-{counter}-bit-{bit}",
     .composition = "increment.bit-0@bit={bit}@counter={counter}"},
    {.name = "carry-32-lost", .composition = "carry.never@bit=32"},
    {.name = "carry-32-lost-{counter}", .composition = "carry.never@bit=32@counter={counter}"},
    {.name = "carry-sticks-{counter}-bit-{bit}", .composition = "carry.sticks@bit={bit}@counter={counter}"},
    {.name = "wraps-at-32", .composition = "carry.wraps@bit=32"},
    {.name = "wraps-at-39", .composition = "carry.wraps@bit=39"},
    {.name = "wraps-{counter}-bit-{bit}", .composition = "carry.wraps@bit={bit}@counter={counter}"},
    {.name = "ovf-at-carry-{bit}", .composition = "carry.overflows@bit={bit}"},
    {.name = "step-over-missed", .composition = "carry-out.onto-0"},
    {.name = "overflow-stops", .composition = "ovf.clears-enable"},
    {.name = "ovf-missing", .composition = "ovf.never"},
    {.name = "ovf-missing-{counter}", .composition = "ovf.never@counter={counter}"},
    {.name = "ovf-early", .composition = "carry-out.early", .rule = "R29"},
    {.name = "ovf-late", .composition = "carry-out.late-1", .rule = "R29"},
    {.name = "ovf-not-sticky", .composition = "sum.clears-ovf"},
    {.name = "ovf-toggles-{counter}", .composition = "ovf.inverted@counter={counter}"},
    {.name = "force-ignored", .composition = "field.zero@field=force-ovf"},
    {.name = "force-dead-{counter}", .composition = "field.zero@field=force-ovf@counter={counter}"},
    {.name = "force-dead-several-{counter}",
     .composition = "field.zero@field=force-ovf@counter={counter},while=several"},
    /* ---- PMIs ---- */
    {.name = "pmi-swapped", .composition = "pmi-targets.swapped", .part = PART_HT},
    {.name = "pmi-unasked", .composition = "field.bit-1@field=pmi-t0"},
    {.name = "pmi-t0-dead", .composition = "field.zero@field=pmi-t0"},
    {.name = "pmi-t1-dead", .composition = "field.zero@field=pmi-t1"},
    {.name = "pmi-t0-missing-{counter}", .composition = "field.zero@field=pmi-t0@counter={counter}"},
    {.name = "pmi-t1-missing-{counter}", .composition = "field.zero@field=pmi-t1@counter={counter}"},
    {.name = "pmi-missing-{counter}", .composition = "pmi-targets.none@counter={counter}"},
    {.name = "pmi-by-twin-{counter}", .composition = "field.neighbour@field=pmi@counter={counter}"},
    {.name = "pmi-count-late", .composition = "request.late-1"},
    {.name = "pmi-at-overflow", .composition = "request.early"},
    {.name = "pmi-not-again", .composition = "pmi-again.never"},
    {.name = "pmi-outlives-ovf", .composition = "pmi-again.kept"},
    {.name = "force-without-pmi", .composition = "pmi-targets.none,while=force-ovf", .rule = "R48"},
    {.name = "cascade-pmi-lost", .composition = "pmi-targets.none,while=armed", .rule = "R55"},
    {.name = "due-lost-{counter}-rdmsr",
     .composition = "counter-read.clears-request@counter={counter}@access=rdmsr,while=due"},
    {.name = "due-later-{counter}-rdpmc",
     .composition = "counter-read.delays-request@counter={counter}@access=rdpmc-full"},
    /* ---- Who counts ---- */
    {.name = "enable-cannot-stop", .composition = "enable.kept"},
    {.name = "halt-needs-clear-{counter}-threshold",
     .composition = "enable.kept@counter={counter},while=threshold"},
    {.name = "cascade-dead", .composition = "link-source.none@link=cascade"},
    {.name = "cascnt-dead", .composition = "link-source.none@link=bit-11"},
    {.name = "cascade-broken-{x}-{counter}",
     .composition = "link-source.none@link=cascade@counter={counter}"},
    {.name = "cascnt-broken-{x}-{counter}", .composition = "link-source.none@link=bit-11@counter={counter}"},
    {.name = "cascade-foreign-{x}-{counter}",
     .composition = "link-source.also-by-{x}@link=cascade@counter={counter}"},
    {.name = "cascnt-foreign-{x}-{counter}",
     .composition = "link-source.also-by-{x}@link=bit-11@counter={counter}"},
    {.name = "cascade-unconditional", .composition = "link.always@link=cascade"},
    {.name = "cascnt-unconditional", .composition = "link.always@link=bit-11"},
    {.name = "cascade-without-flag", .composition = "link.unarmed@link=cascade"},
    {.name = "cascade-needs-enable",
     .composition = "link.never@link=cascade,while=not-enabled",
     .rule = "R36"},
    {.name = "cascnt-needs-enable", .composition = "link.never@link=bit-11,while=not-enabled", .rule = "R36"},
    {.name = "cascade-one-a-block",
     .composition = "link.never@link=cascade,while=block-started",
     .rule = "R34"},
    {.name = "cascade-not-mutual", .composition = "link.never,while=x-armed", .rule = "R40"},
    {.name = "cascade-stops-x", .composition = "ovf.clears-enable,while=awaited", .rule = "R37"},
    {.name = "cascade-early", .composition = "link.early@link=cascade"},
    {.name = "cascnt-early", .composition = "link.early@link=bit-11"},
    {.name = "cascade-late", .composition = "link.late-128@link=cascade"},
    {.name = "cascnt-late", .composition = "link.late-128@link=bit-11"},
    {.name = "cascade-outlives-ovf", .composition = "link.kept@link=cascade"},
    {.name = "cascnt-outlives-ovf", .composition = "link.kept@link=bit-11"},
    {.name = "cascade-outlives-flag", .composition = "link.kept-by-ovf@link=cascade"},
    {.name = "cascnt-outlives-flag", .composition = "link.kept-by-ovf@link=bit-11"},
    {.name = "cascade-ovf-beside-enable", .composition = "link.kept@link=cascade,while=x-enabled"},
    {.name = "halts-not", .composition = "link.kept-by-either"},
    {.name = "halts-not-{counter}", .composition = "link.kept-by-either@counter={counter}"},
    /* ---- LVTPC ---- */
    {.name = "lvtpc-mask-ignored", .composition = "lvtpc.bit-0@field=lvt-mask"},
    {.name = "lvtpc-fixed-as-nmi", .composition = "lvtpc.bit-1@field=delivery"},
    {.name = "lvtpc-bit-{bit}-at-0", .composition = "lvtpc-write.not-kept@bit={bit}"},
    {.name = "lvtpc-bit-{bit}-at-1", .composition = "lvtpc-write.bit-1@bit={bit}"},
    {.name = "lvtpc-shared", .composition = "lvtpc-write.also-other-lp"},
    {.name = "lvtpc-shares-vector-of-lp1", .composition = "lvtpc-write.also-other-lp@field=vector@lp=1"},
    {.name = "lvtpc-open-at-reset", .composition = "lvtpc-reset.never"},
    {.name = "lvtpc-ignores-tpr", .composition = "lvtpc-tpr.always"},
    {.name = "pmi-eoi-ignored", .composition = "lvtpc-eoi.never"},
};

/* ---- What a row stands for ---- */

enum slot { SLOT_COUNTER, SLOT_X, SLOT_ESCR, SLOT_BIT, SLOTS };
static const char *const SLOT[SLOTS] = {"{counter}", "{x}", "{escr}", "{bit}"};
static const char NEXT[] = "{next}";

struct walk {
    const struct nbpmu_fault_row *row, *end;
    unsigned value[SLOTS]; /* of the member that comes next */
};

static unsigned values_of(const struct nbpmu_fault_row *row, enum slot slot)
{
    static const enum place PLACE[SLOTS] = {PLACE_COUNTER, PLACE_COUNTER, PLACE_ESCR, PLACE_BIT};
    return strstr(row->name, SLOT[slot]) ? nbpmu_fault_place_numbers(PLACE[slot]) : 1;
}

static const char *text_of_slot(const unsigned *value, enum slot slot, char *text, size_t size)
{
    static const enum place PLACE[SLOTS] = {PLACE_COUNTER, PLACE_COUNTER, PLACE_ESCR, PLACE_BIT};
    return nbpmu_fault_place_text(PLACE[slot], value[slot], text, size);
}

/* The text of a row, with the member's values in place of what stands for them. */
static void fill_in(const char *from, const unsigned *value, char *to, size_t size)
{
    size_t used = 0;
    while (*from && used + 1 < size) {
        char text[32];
        const char *word = NULL;
        size_t length = 1;
        for (enum slot slot = 0; slot < SLOTS && !word; slot++)
            if (strncmp(from, SLOT[slot], strlen(SLOT[slot])) == 0) {
                word = text_of_slot(value, slot, text, sizeof text);
                length = strlen(SLOT[slot]);
            }
        if (strncmp(from, NEXT, strlen(NEXT)) == 0) {
            snprintf(text, sizeof text, "%u", (value[SLOT_COUNTER] + 1) % PMC_COUNTERS);
            word = text;
            length = strlen(NEXT);
        }
        if (word)
            used += (size_t)snprintf(to + used, size - used, "%s", word);
        else
            to[used++] = *from;
        from += length;
    }
    to[used < size ? used : size - 1] = '\0';
}

/* Has the name the x that starts the counter or, if the composition names it, one that does not? For 17 both
 * readings of the manual (R34) are asked about. */
static bool has_right_x(const struct nbpmu_fault_row *row, const unsigned *value,
                        const struct nbpmu_fault *fault)
{
    const struct nbpmu part = {.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};
    if (!strstr(row->name, SLOT[SLOT_X]))
        return true;
    const int source = nbpmu_link_source(&part, value[SLOT_COUNTER],
                                         (enum nbpmu_link)place_of(&fault->composition, PLACE_LINK));
    return (source == (int)value[SLOT_X]) != (bool)strstr(row->composition, SLOT[SLOT_X]);
}

/* Does this ESCR exist, and hold something? */
static bool exists(const struct nbpmu_fault_row *row, const unsigned *value)
{
    const struct nbpmu_part part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS};
    return values_of(row, SLOT_ESCR) == 1 || nbpmu_fault_has_place(&part, PLACE_ESCR, value[SLOT_ESCR]);
}

static bool make_member(const struct nbpmu_fault_row *row, const unsigned *value, struct nbpmu_fault *fault)
{
    char text[128], error[512];
    *fault = (struct nbpmu_fault){.needs = (uint8_t)(1u << row->part), .seed = 1};
    if (row->composition) {
        fill_in(row->composition, value, text, sizeof text);
        if (!exists(row, value) || !nbpmu_fault_compose(text, fault, error, sizeof error) ||
            !has_right_x(row, value, fault))
            return false;
        fault->needs |= (uint8_t)(1u << row->part);
    }
    fault->row = row;
    return true;
}

/* The next values, the last slot fastest; after them the next row. */
static void step(struct walk *walk)
{
    for (unsigned slot = SLOTS; slot-- > 0;) {
        if (++walk->value[slot] < values_of(walk->row, (enum slot)slot))
            return;
        walk->value[slot] = 0;
    }
    walk->row++;
}

/* The values at which the walk is, and its name; the walk goes on. False at the end of the rows. */
static bool next_name(struct walk *walk, const struct nbpmu_fault_row **row, unsigned *value, char *name,
                      size_t size)
{
    if (walk->row == walk->end)
        return false;
    *row = walk->row;
    memcpy(value, walk->value, sizeof walk->value);
    fill_in(walk->row->name, value, name, size);
    step(walk);
    return true;
}

/* ---- Look-up and list ---- */

#define LONGEST_NAME 64u

static struct walk walk_through(unsigned table)
{
    return table == 0 ? (struct walk){.row = NAMES, .end = NAMES + COUNT_OF(NAMES)}
                      : (struct walk){.row = nbpmu_fault_odd, .end = nbpmu_fault_odd + nbpmu_fault_odd_count};
}

bool nbpmu_fault_find(const char *wanted, struct nbpmu_fault *fault)
{
    for (unsigned table = 0; table < 2; table++) {
        struct walk walk = walk_through(table);
        const struct nbpmu_fault_row *row;
        unsigned value[SLOTS];
        char name[LONGEST_NAME];
        struct nbpmu_fault found;
        while (next_name(&walk, &row, value, name, sizeof name))
            if (strcmp(name, wanted) == 0 && make_member(row, value, &found)) {
                *fault = found;
                return true;
            }
    }
    return false;
}

static void list_names(FILE *out, const char *pattern)
{
    for (unsigned table = 0; table < 2; table++) {
        struct walk walk = walk_through(table);
        const struct nbpmu_fault_row *row;
        unsigned value[SLOTS];
        char name[LONGEST_NAME], text[128];
        struct nbpmu_fault fault;
        while (next_name(&walk, &row, value, name, sizeof name)) {
            if (fnmatch(pattern, name, 0) != 0 || !make_member(row, value, &fault))
                continue;
            fill_in(row->composition ? row->composition : row->text, value, text, sizeof text);
            fprintf(out, "%-32s %-4s %s\n", name, nbpmu_fault_rule_of(&fault), text);
        }
    }
}

static void list_composition(FILE *out, const char *pattern, const struct nbpmu_composition *composition)
{
    const struct nbpmu_fault fault = {.composition = *composition};
    char text[128];
    if (nbpmu_fault_refused(composition))
        return;
    nbpmu_fault_text(&fault, text, sizeof text);
    if (fnmatch(pattern, text, 0) == 0)
        fprintf(out, "%-48s %-4s %s: %s\n", text, nbpmu_fault_rule_of(&fault),
                nbpmu_fault_stages[stage_of(composition)].text,
                nbpmu_fault_deviations[composition->deviation].text);
}

/* The compositions without condition and history, of at most one place. */
static void list_compositions(FILE *out, const char *pattern)
{
    const struct nbpmu_part part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS};
    for (struct nbpmu_composition composition = {.stage = 1}; composition.stage <= STAGES;
         composition.stage++)
        for (composition.deviation = 0; composition.deviation < DEVIATIONS; composition.deviation++) {
            unsigned least, most;
            const bool counts = nbpmu_fault_has_amount(deviation_of(&composition), &least, &most);
            const unsigned least_late = nbpmu_fault_stages[stage_of(&composition)].least_late;
            composition.amount = (uint8_t)(!counts ? 0 : least_late > least ? least_late : least);
            list_composition(out, pattern, &composition);
            for (enum place place = 0; place < PLACES; place++)
                for (unsigned number = 0; number < nbpmu_fault_place_numbers(place); number++) {
                    struct nbpmu_composition placed = composition;
                    placed.place[place] = (uint8_t)(number + 1);
                    if (nbpmu_fault_has_place(&part, place, number))
                        list_composition(out, pattern, &placed);
                }
        }
}

void nbpmu_fault_list(FILE *out, const char *pattern)
{
    struct nbpmu_fault fault;
    char error[512];
    if (!strchr(pattern, '.')) {
        list_names(out, pattern);
    } else if (nbpmu_fault_compose(pattern, &fault, error, sizeof error)) {
        fprintf(out, "%-48s %-4s %s: %s\n", pattern, nbpmu_fault_rule_of(&fault),
                nbpmu_fault_stages[stage_of(&fault.composition)].text,
                nbpmu_fault_deviations[fault.composition.deviation].text);
    } else {
        list_compositions(out, pattern);
    }
}

/* ---- What a fault is ---- */

bool nbpmu_fault_set_rate(struct nbpmu_fault *fault, uint32_t once_in, uint32_t seed)
{
    if (!is_composed(fault) || fault->composition.history || once_in < NBPMU_ONCE_IN_LEAST ||
        once_in > NBPMU_ONCE_IN_MOST)
        return false;
    fault->composition.history = HISTORY_ONCE_IN;
    fault->composition.number = fault->once_in = once_in;
    fault->seed = seed;
    return true;
}

const char *nbpmu_fault_rule_of(const struct nbpmu_fault *fault)
{
    if (fault->row && fault->row->rule)
        return fault->row->rule;
    return is_composed(fault) ? nbpmu_fault_rule(&fault->composition) : "-";
}

bool nbpmu_set_fault(struct nbpmu *pmu, const struct nbpmu_fault *fault)
{
    struct defects *defects = NULL;
    const bool composed = is_composed(fault);
    if (nbpmu_fault_is_of_lvtpc(fault) ? false : composed || fault->row) {
        defects = calloc(1, sizeof *defects);
        if (!defects)
            return false;
        defects->fault = *fault;
        defects->stages = composed ? nbpmu_fault_composed(&fault->composition) : nbpmu_sound_stages;
        if (!composed)
            fault->row->put_into(&defects->stages);
    }
    free(pmu->defects);
    pmu->defects = defects;
    pmu->stages = defects ? &defects->stages : &nbpmu_sound_stages;
    nbpmu_reset(pmu);
    return true;
}
