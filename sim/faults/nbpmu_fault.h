/*
 * nbpmu_fault: defects that can be put into a PMU model (nbpmu.h), to test tests with. Each is a deviation
 * from one rule in one place: a test suite that does not notice it has a hole.
 */
#ifndef NBPMU_FAULT_H
#define NBPMU_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nbpmu;
struct nbpmu_part;

struct nbpmu_fault_row;

/* The parts of a composed defect (sim/faults/grammar.h). The members are the library's own. */
#define NBPMU_FAULT_PLACES     12
#define NBPMU_FAULT_CONDITIONS 2
struct nbpmu_composition {
    uint8_t stage; /* 1 + its number; 0: the defect is not composed */
    uint8_t deviation, amount;
    uint8_t place[NBPMU_FAULT_PLACES];         /* 1 + the number at each; 0: everywhere */
    uint8_t condition[NBPMU_FAULT_CONDITIONS]; /* 1 + the number of each; 0: none */
    uint8_t history;
    uint32_t number; /* of the history, or the number of its event */
};

/* A defect, filled in by nbpmu_fault_find() or nbpmu_fault_compose(); all zero is none. The members are the
 * library's own. */
struct nbpmu_fault {
    const struct nbpmu_fault_row *row; /* of a name; null: the defect has none */
    struct nbpmu_composition composition;
    uint8_t needs;
    uint32_t once_in; /* it strikes once in so many acts, drawn by the seed; 0: always */
    uint32_t seed;
};

/* Look a defect up by its name. False when there is none of that name; then *fault is as before. */
bool nbpmu_fault_find(const char *name, struct nbpmu_fault *fault);

/*
 * Compose a defect of its parts:
 *     STAGE.DEVIATION[@PLACE]...[,while=[not-]CONDITION[,while=[not-]CONDITION]]
 *         [,after=N|,every=N|,once-in=N|,after=EVENT|,until=EVENT][,seed=S]
 * docs/add-a-fault.md says what each part means. In place of stage, deviation and places a name may stand
 * whose defect is composed; what follows is added to it. False with one line in error[0..size), which says
 * what is allowed; then *fault is as before.
 */
bool nbpmu_fault_compose(const char *text, struct nbpmu_fault *fault, char *error, size_t size);

/* Write the text that composes this defect into text[0..size), without a seed. */
void nbpmu_fault_text(const struct nbpmu_fault *fault, char *text, size_t size);

/*
 * Draw a composed defect that applies to the part: evenly over the stages that have it, then over deviation,
 * place and condition. The numbers follow from the seed and `number` alone.
 */
enum nbpmu_fault_class {
    NBPMU_FAULT_PLAIN,
    NBPMU_FAULT_CONDITION,   /* while one condition holds */
    NBPMU_FAULT_CONDITIONS2, /* while two conditions hold */
    NBPMU_FAULT_HISTORY,     /* with a history or a rate */
    NBPMU_FAULT_CLASSES
};
void nbpmu_fault_draw(const struct nbpmu_part *part, enum nbpmu_fault_class which, uint32_t seed,
                      uint32_t number, struct nbpmu_fault *fault);

/* Is it a defect of how a local APIC handles LVTPC, the entry for PMIs? It changes nothing in the PMU: the
 * owner of the local APIC brings it about. */
bool nbpmu_fault_is_of_lvtpc(const struct nbpmu_fault *fault);

/* The rule that the defect breaks: "R23". A constant. */
const char *nbpmu_fault_rule_of(const struct nbpmu_fault *fault);

/* Write the parts of which defects can be composed, one a line: what it is, its name, its rule or text. */
void nbpmu_fault_parts(FILE *out);

/*
 * Let a composed defect strike once in once_in of its acts, NBPMU_ONCE_IN_LEAST to NBPMU_ONCE_IN_MOST. It is
 * drawn once for each act, and the seed alone decides which are struck. What an act is, says acts.c: of what
 * works in each clock, all clocks from one write of the CCCR or ESCR to the next; one start, one halt, one
 * overflow, one PMI, one access. Of a defect of LVTPC the owner of the local APIC says what an act is. False
 * for a number out of range, and for a defect that is not composed or has a history.
 */
#define NBPMU_ONCE_IN_LEAST 2
#define NBPMU_ONCE_IN_MOST  1000000
bool nbpmu_fault_set_rate(struct nbpmu_fault *fault, uint32_t once_in, uint32_t seed);

/* Does a defect strike in the act with this number? Of a defect of LVTPC the owner of the local APIC asks it.
 */
bool nbpmu_fault_strikes(const struct nbpmu_fault *fault, uint64_t act);

/* How many acts there were so far, and how many of them were struck. An act is what would come out otherwise
 * without the defect, at its place and while its conditions hold. False, and 0, if the PMU has no composed
 * defect. */
bool nbpmu_fault_acts(const struct nbpmu *pmu, uint64_t *acts, uint64_t *struck);

/* What the defect needs of a part that this one lacks, in words; null when it applies. A constant. */
const char *nbpmu_fault_misfit(const struct nbpmu_fault *fault, const struct nbpmu_part *part);

/*
 * One line for each defect that matches a pattern of the shell, such as "cascade-*" or "edge.*": its name or
 * its composition, its rule, and what it is. A pattern without a dot is for names. One with a dot is for
 * compositions without condition and history, at one place at most; or it is a composition itself, which is
 * listed then.
 */
void nbpmu_fault_list(FILE *out, const char *pattern);

/* Put the defect into a PMU that nbpmu_new() has just made. At most one is in a PMU; the latest call counts.
 * False when out of memory. */
bool nbpmu_set_fault(struct nbpmu *pmu, const struct nbpmu_fault *fault);

/*
 * Can software notice the defect at all? Runs up to so many drawn register programs, which are accesses,
 * events and clocks, on a PMU of this part with the defect and on a sound one. Ends at the first program
 * after which anything is different that software can read. False when out of memory. A defect of LVTPC
 * changes nothing here.
 */
struct nbpmu_fault_trial {
    uint32_t programs; /* that were run, */
    uint32_t acted;    /* those in which the defect acted, if it is composed, */
    bool changed;      /* and the last one showed it */
};
bool nbpmu_fault_try(const struct nbpmu_part *part, const struct nbpmu_fault *fault, uint32_t seed,
                     uint32_t programs, struct nbpmu_fault_trial *trial);

#ifdef __cplusplus
}
#endif

#endif
