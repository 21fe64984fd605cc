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
    const struct nbpmu_fault_row *row;
    struct nbpmu_composition composition;
    uint8_t at, to;      /* which bit, field, event ... it concerns */
    uint8_t only, other; /* 1 + counter: where alone it strikes, and what it strikes; 0: any, and that one */
    uint8_t condition;   /* what must be in use for it to strike */
    uint8_t needs;
    uint16_t when;    /* after what it strikes */
    uint32_t once_in; /* it strikes once in so many acts, drawn by the seed; 0: always */
    uint32_t seed;
};

/* Look a defect up by its name. False when there is none of that name. */
bool nbpmu_fault_find(const char *name, struct nbpmu_fault *fault);

/*
 * Compose a defect of its parts:
 *     STAGE.DEVIATION[@PLACE]...[,while=CONDITION[,while=CONDITION]][,after=N|,every=N|,once-in=N|
 *         ,after=EVENT|,until=EVENT][,seed=S]
 * docs/add-a-fault.md says what each part means. False with one line in error[0..size), which says what is
 * allowed; then *fault is as before.
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

/* Is it a composed defect of LVTPC? The owner of the local APIC has it, as below. */
bool nbpmu_fault_is_of_lvtpc(const struct nbpmu_fault *fault);

/* The rule that a composed defect breaks: "R23". A constant. */
const char *nbpmu_fault_rule_of(const struct nbpmu_fault *fault);

/* Write the parts of which defects can be composed, one a line: what it is, its name, its rule or text. */
void nbpmu_fault_parts(FILE *out);

/*
 * Let the defect strike once in once_in of its acts, NBPMU_ONCE_IN_LEAST to NBPMU_ONCE_IN_MOST. It is drawn
 * once for each act, and the seed alone decides which are struck. What an act is, says rate.c: one start, one
 * halt, one overflow, one PMI, one access; of what works in each clock, all clocks from one write of the CCCR
 * or ESCR to the next. Of a defect of LVTPC the owner of the local APIC says what an act is. False for a
 * number out of range.
 */
#define NBPMU_ONCE_IN_LEAST 2
#define NBPMU_ONCE_IN_MOST  1000000
bool nbpmu_fault_set_rate(struct nbpmu_fault *fault, uint32_t once_in, uint32_t seed);

/* Does a defect strike in the act with this number? Of a defect of LVTPC the owner of the local APIC asks it.
 */
bool nbpmu_fault_strikes(const struct nbpmu_fault *fault, uint64_t act);

/* How many acts there were so far, and how many of them were struck. False, and 0, if the PMU has no defect
 * that strikes now and then, and none that is composed. Of a composed defect an act is what would come out
 * otherwise without it, at its place and while its conditions hold. */
bool nbpmu_fault_acts(const struct nbpmu *pmu, uint64_t *acts, uint64_t *struck);

/* What the defect needs of a part that this one lacks, in words; null when it applies. A constant. */
const char *nbpmu_fault_misfit(const struct nbpmu_fault *fault, const struct nbpmu_part *part);

/*
 * One line for each defect: name, rule, description; "; unseen: " and the reason follow where software cannot
 * see it.
 */
void nbpmu_fault_list(FILE *out);

/* Put the defect into a PMU that nbpmu_new() has just made. At most one is in a PMU; the latest call counts.
 * False when out of memory. */
bool nbpmu_set_fault(struct nbpmu *pmu, const struct nbpmu_fault *fault);

/*
 * Can software notice the defect at all? Runs up to so many drawn register programs, which are accesses,
 * events and clocks, on a PMU of this part with the defect and on one with another defect, or (than: null) a
 * sound one. Ends at the first program after which anything is different that software can read. False when
 * out of memory. A defect of LVTPC changes nothing here.
 */
struct nbpmu_fault_trial {
    uint32_t programs; /* that were run, */
    uint32_t acted;    /* those in which the defect acted, if it is composed, */
    bool changed;      /* and the last one showed it */
};
bool nbpmu_fault_try(const struct nbpmu_part *part, const struct nbpmu_fault *fault,
                     const struct nbpmu_fault *than, uint32_t seed, uint32_t programs,
                     struct nbpmu_fault_trial *trial);

/*
 * Defects of how a local APIC handles LVTPC, the entry for PMIs. They are in the catalogue with the others
 * but change nothing in the PMU: the owner of the local APIC asks for them here.
 */
enum nbpmu_lvtpc_fault {
    NBPMU_LVTPC_SOUND, /* the defect is another one, or none */
    NBPMU_LVTPC_NMI_AS_FIXED,
    NBPMU_LVTPC_FIXED_AS_NMI,
    NBPMU_LVTPC_MASK_IGNORED,
    NBPMU_LVTPC_NOT_SELF_MASKING, /* delivering a PMI does not set the mask bit */
    NBPMU_LVTPC_SURVIVES_SVR,     /* stays unmasked when the local APIC is disabled by software */
    NBPMU_LVTPC_PMI_EOI_IGNORED,  /* EOI does not end the service of a PMI */
    NBPMU_LVTPC_OPEN_AT_RESET,    /* RESET and INIT leave the entry unmasked */
    NBPMU_LVTPC_BIT_STUCK,        /* a bit of the entry; nbpmu_fault_lvtpc_bits() */
    NBPMU_LVTPC_VECTOR_STUCK,     /* a bit of the vector that is delivered */
    NBPMU_LVTPC_NMI_NOT_MASKING,  /* delivering a PMI as NMI does not set the mask bit */
    NBPMU_LVTPC_FORGETS,          /* delivering a PMI clears the vector and the delivery mode */
    NBPMU_LVTPC_SHARED,           /* a write reaches the entries of both logical processors of the core */
    NBPMU_LVTPC_SHARES_FIELD,     /* one field of what one of them writes does; nbpmu_fault_lvtpc_bits() */
    NBPMU_LVTPC_LAST_FIELD,       /* one field of one of them acts as either was last written */
    NBPMU_LVTPC_MASKS_BOTH,       /* delivering a PMI sets the mask bits of both */
    NBPMU_LVTPC_UNMASKS_OTHER,    /* unmasking one clears the mask bit that a PMI has set in the other one */
    NBPMU_LVTPC_NMI_STICKS,       /* written fixed over NMI, and never masked, it goes on delivering NMIs */
    NBPMU_LVTPC_IGNORES_TPR,      /* a fixed PMI is taken whatever the priority of the processor */
    NBPMU_LVTPC_LOST_IN_HLT,      /* a PMI to a halted processor is lost */
    NBPMU_LVTPC_NO_WAKE           /* a PMI does not end HLT; it is taken after another interrupt did */
};

enum nbpmu_lvtpc_fault nbpmu_fault_of_lvtpc(const struct nbpmu_fault *fault);
/* The bits of the entry that such a defect concerns, one or a field. *of is, for a name that ends in _STUCK,
 * the value that the bit always has; otherwise the logical processor. */
uint32_t nbpmu_fault_lvtpc_bits(const struct nbpmu_fault *fault, unsigned *of);

#ifdef __cplusplus
}
#endif

#endif
