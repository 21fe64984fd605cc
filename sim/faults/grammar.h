/*
 * The grammar of composed faults (docs/add-a-fault.md): a stage, how its result deviates, where, while what
 * holds, and how often. Everything that deals with a composed fault reads these tables.
 */
#ifndef SIM_FAULTS_GRAMMAR_H
#define SIM_FAULTS_GRAMMAR_H

#include "nbpmu_fault.h"
#include "pmc/count_of.h"
#include "sim/netburst/nbpmu.h"

struct nbpmu_escr;
struct nbpmu_stages;

/* What a part must have so that the fault can have an effect on it. A composition needs several: bit 1 <<
 * PART_x of each. */
enum fault_part {
    PART_ANY,
    PART_HT,
    PART_NO_HT,
    PART_EXTENDED,
    PART_0F43,        /* what a write of a reserved bit does is on record of 0F43H alone */
    PART_PMI_T1,      /* Hyper-Threading, and an OVF_PMI_T1 that does something (E5) */
    PART_CASCADE_PMI, /* a PMI of a counter that has CASCADE or bit 11 (E3) */
    PARTS
};

/* ---- Stages: what hardware has as one thing with a result of its own (stage_table.c) ---- */

enum stage {
    STAGE_COUNTER_WRITE,
    STAGE_CCCR_WRITE,
    STAGE_ESCR_WRITE,
    STAGE_COUNTER_READ,
    STAGE_CCCR_READ,
    STAGE_ESCR_READ,
    STAGE_REFUSAL,
    STAGE_INIT,
    STAGE_HLT,
    STAGE_CPL,
    STAGE_EVENT_SELECT,
    STAGE_EVENT_MASK,
    STAGE_MATCH,
    STAGE_QUALIFY,
    STAGE_CLOCK_QUALIFY,
    STAGE_TAG,
    STAGE_ROUTE,
    STAGE_FIELD,
    STAGE_VALUE,
    STAGE_GATE,
    STAGE_THRESHOLD,
    STAGE_COMPLEMENT,
    STAGE_EDGE,
    STAGE_INCREMENT,
    STAGE_SUM,
    STAGE_CARRY,
    STAGE_CARRY_OUT,
    STAGE_FORCE,
    STAGE_OVF,
    STAGE_REQUEST,
    STAGE_TARGETS,
    STAGE_AGAIN,
    STAGE_LINK_SOURCE,
    STAGE_LINK,
    STAGE_ENABLE,
    STAGE_LVTPC_WRITE,
    STAGE_LVTPC,
    STAGE_LVTPC_RAISE,
    STAGE_LVTPC_MASKS,
    STAGE_LVTPC_EOI,
    STAGE_LVTPC_TPR,
    STAGE_LVTPC_WAKE,
    STAGE_LVTPC_DISABLE,
    STAGE_LVTPC_RESET,
    STAGES
};

/* ---- Deviations, by the type of a result ---- */

enum deviation {
    /* a truth */
    DEVIATION_NEVER,
    DEVIATION_ALWAYS,
    DEVIATION_INVERTED,
    /* a number */
    DEVIATION_ZERO,
    DEVIATION_PLUS_1,
    DEVIATION_MINUS_1,
    DEVIATION_TWICE,
    DEVIATION_HALF,
    DEVIATION_BIT_0,
    DEVIATION_BIT_1,
    DEVIATION_BIT_INVERTED,
    DEVIATION_AT_MOST,
    DEVIATION_WRAPS,
    DEVIATION_PASSES_VALUE,
    DEVIATION_WIDE,
    DEVIATION_REACHED,
    /* a set */
    DEVIATION_NONE,
    DEVIATION_ALL,
    DEVIATION_WITHOUT_BIT,
    DEVIATION_WITH_BIT,
    DEVIATION_SWAPPED,
    DEVIATION_SHIFTED,
    DEVIATION_LOWEST,
    DEVIATION_HIGHEST,
    DEVIATION_NEEDS_ALL,
    /* an index */
    DEVIATION_NEIGHBOUR,
    DEVIATION_NEXT,
    DEVIATION_ALSO_BY,
    /* who has caused something */
    DEVIATION_BY_OTHER_CPL,
    DEVIATION_BY_EITHER_CPL,
    DEVIATION_BY_OTHER_LP,
    DEVIATION_BY_EITHER_LP,
    DEVIATION_FLAGS_IGNORED,
    /* a register */
    DEVIATION_NOT_KEPT,
    DEVIATION_NOT_WRITTEN,
    DEVIATION_NOT_CLEARED,
    DEVIATION_SIGN_EXTENDED,
    /* time */
    DEVIATION_EARLY,
    DEVIATION_LATE,
    DEVIATION_KEPT,
    DEVIATION_KEPT_BY_OVF,
    DEVIATION_KEPT_BY_EITHER,
    DEVIATION_UNARMED,
    DEVIATION_REARMS_AT_0,
    DEVIATION_GIVES_0,
    /* a carry */
    DEVIATION_STICKS,
    DEVIATION_OVERFLOWS,
    DEVIATION_ONTO_0,
    /* a side effect on another register of the same kind, */
    DEVIATION_ALSO_NEIGHBOUR,
    DEVIATION_ALSO_NEXT,
    DEVIATION_ALSO_PARTNER,
    DEVIATION_ALSO_OTHER_LP,
    /* and on a counter */
    DEVIATION_CLEARS_COUNTER,
    DEVIATION_CLEARS_CCCR,
    DEVIATION_CLEARS_OVF,
    DEVIATION_CLEARS_ENABLE,
    DEVIATION_CLEARS_CASCADE,
    DEVIATION_CLEARS_BIT_11,
    DEVIATION_CLEARS_REQUEST,
    DEVIATION_DELAYS_REQUEST,
    DEVIATION_CLEARS_ESCRS,
    DEVIATION_RESTARTS_EDGE,
    DEVIATION_COSTS_COUNT,
    DEVIATION_ADDS_COUNT,
    DEVIATIONS
};

/* ---- Places ---- */

enum place {
    PLACE_COUNTER,
    PLACE_PAIR,
    PLACE_BLOCK,
    PLACE_ESCR,
    PLACE_EVENT,
    PLACE_LINK,
    PLACE_BIT,
    PLACE_FIELD,
    PLACE_LP,
    PLACE_CPL,
    PLACE_ACCESS,
    PLACE_ON,
    PLACES = NBPMU_FAULT_PLACES
};

/* Privilege levels: CPL 0, above it, and of these 1 and 2. */
enum level { LEVEL_OS, LEVEL_USR, LEVEL_MIDDLE, LEVELS };

/* Ways of access (RDPMC is both of its forms), and on whom a side effect falls. */
enum access { ACCESS_WRMSR, ACCESS_RDMSR, ACCESS_RDPMC, ACCESS_RDPMC_FULL, ACCESS_RDPMC_FAST, ACCESSES };
enum victim { ON_ITSELF, ON_NEIGHBOUR, ON_PARTNER, ON_OTHER_BLOCK, ON_ALL, VICTIMS };

/* Fields of the registers that a place can name. */
enum field_of { FIELD_OF_COUNTER, FIELD_OF_CCCR, FIELD_OF_ESCR, FIELD_OF_LVTPC };
struct field {
    const char *name;
    enum field_of of;
    uint64_t bits;
    const char *rule; /* of a field of the CCCR: what it does */
    enum fault_part part;
};
extern const struct field nbpmu_fault_fields[];
extern const unsigned nbpmu_fault_field_count;

/* ---- Conditions (conditions.c) ---- */

struct condition {
    const char *name, *text;
    enum fault_part part;
    uint32_t cccr;  /* holds if the CCCR has one of these bits, or */
    uint32_t flags; /* if the ESCR has some of these flags and no other, or */
    /* if this is so of the ESCR, or */
    bool (*of_escr)(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
    bool (*holds)(const struct nbpmu *pmu, unsigned n);
    const char *excludes; /* the conditions that cannot hold beside it, */
    const char *implies;  /* and those that hold whenever it does */
    bool of_all;          /* it does not depend on a counter */
};
extern const struct condition nbpmu_fault_conditions[];
extern const unsigned nbpmu_fault_condition_count;

/* A condition of a composition is 1 + its number, and this bit if it must not hold. */
#define CONDITION_NOT 0x80u
static inline unsigned condition_number(uint8_t condition)
{
    return (condition & ~CONDITION_NOT) - 1u;
}

static inline const struct condition *condition_of(uint8_t condition)
{
    return &nbpmu_fault_conditions[condition_number(condition)];
}

/* Does the condition of a composition hold for counter n? Of an ESCR, if it depends on nothing else? */
bool nbpmu_fault_condition_holds(const struct nbpmu *pmu, uint8_t condition, unsigned n);
bool nbpmu_fault_condition_is_of_escr(uint8_t condition);
bool nbpmu_fault_condition_holds_of_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr,
                                         uint8_t condition);

/* ---- Histories ---- */

enum history { HISTORY_ALWAYS, HISTORY_AFTER, HISTORY_EVERY, HISTORY_ONCE_IN, HISTORY_SINCE, HISTORY_UNTIL };
/* Events since the CCCR of the counter was 0. */
enum happening {
    HAPPENED_OVERFLOW,
    HAPPENED_OVF_CLEARED,
    HAPPENED_PMI,
    HAPPENED_READ,
    HAPPENED_WRITE,
    HAPPENED_HLT,
    HAPPENED_INIT,
    HAPPENINGS
};

/* ---- The table of stages ---- */

/* What one act is, of a stage: one call; the calls between two writes of the CCCR, or of the ESCR; a start
 * or a halt; one request of a PMI. */
enum act_scope { ACT_CALL, ACT_CCCR, ACT_ESCR, ACT_RUN, ACT_REQUEST };

struct stage_row {
    const char *name, *rule, *text;
    uint64_t deviations; /* bit 1 << DEVIATION_x */
    unsigned width;      /* bits of the number, the set or the register */
    uint16_t places;     /* bit 1 << PLACE_x */
    uint16_t needs;      /* one of these places must be named */
    enum field_of fields;
    enum act_scope act;
    enum fault_part part;
    const char *without; /* conditions that always hold, or never, when the stage has a result */
    unsigned least_late; /* by how much `late` must be late, so that no part may be so */
};
extern const struct stage_row nbpmu_fault_stages[STAGES];

struct deviation_row {
    const char *name, *text;
};
extern const struct deviation_row nbpmu_fault_deviations[DEVIATIONS];

/* ---- Reading a composition ---- */

static inline enum stage stage_of(const struct nbpmu_composition *composition)
{
    return (enum stage)(composition->stage - 1);
}

static inline enum deviation deviation_of(const struct nbpmu_composition *composition)
{
    return (enum deviation)composition->deviation;
}

static inline bool is_composed(const struct nbpmu_fault *fault)
{
    return fault->composition.stage != 0;
}

/* The number that this place has; -1: everywhere. */
static inline int place_of(const struct nbpmu_composition *composition, enum place place)
{
    return (int)composition->place[place] - 1;
}

static inline bool is_at(const struct nbpmu_composition *composition, enum place place, unsigned number)
{
    return composition->place[place] == 0 || composition->place[place] == number + 1;
}

/* Is this CPL at the place? */
static inline bool is_at_cpl(const struct nbpmu_composition *composition, unsigned cpl)
{
    switch ((enum level)place_of(composition, PLACE_CPL)) {
    case LEVEL_OS:
        return cpl == 0;
    case LEVEL_USR:
        return cpl > 0;
    case LEVEL_MIDDLE:
        return cpl == 1 || cpl == 2;
    default:
        return true;
    }
}

/* Does a number belong to the name of this deviation? Its least and its greatest. */
bool nbpmu_fault_has_amount(enum deviation deviation, unsigned *least, unsigned *most);
/* The bits of the result that the place names, all of them if it names none. */
uint64_t nbpmu_fault_bits(const struct nbpmu_composition *composition);
/* The rule that the composition breaks. */
const char *nbpmu_fault_rule(const struct nbpmu_composition *composition);
/* Null, or why these parts do not make a fault: they exclude each other, or it is legal. */
const char *nbpmu_fault_refused(const struct nbpmu_composition *composition);
/* What the composition needs of a part: bit 1 << PART_x. */
unsigned nbpmu_fault_needs(const struct nbpmu_composition *composition);
/* Null, or why the parts of the composition have nothing to act on, on this part (misfit.c). */
const char *nbpmu_fault_idle_on(const struct nbpmu_composition *composition, const struct nbpmu_part *part);
/* Does the composition ask for one of these conditions, which are separated by blanks? Is one of them asked
 * about: must it hold, or not hold? */
bool nbpmu_fault_asks_for(const struct nbpmu_composition *composition, const char *names);
bool nbpmu_fault_asks_about(const struct nbpmu_composition *composition, const char *names);
/* Can an ESCR at the place select this event? */
bool nbpmu_fault_may_select(const struct nbpmu_composition *composition, enum nbpmu_event event);
/* Does the ESCR count what someone causes, by the privilege level, or the logical processor, for which the
 * fault takes it (compose_values.c)? */
bool nbpmu_fault_counts_causer(const struct nbpmu_composition *composition, const struct nbpmu *pmu,
                               const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* Does the part have this place? */
bool nbpmu_fault_has_place(const struct nbpmu_part *part, enum place place, unsigned number);
/* How many numbers a place has, and the text of each. */
unsigned nbpmu_fault_place_numbers(enum place place);
const char *nbpmu_fault_place_text(enum place place, unsigned number, char *text, size_t size);
extern const char *const nbpmu_fault_place_names[PLACES], *const nbpmu_fault_happenings[HAPPENINGS];

/* Numbers that follow from a seed, which is the state at first: 64 bits, and one below limit (deviate.c). */
uint64_t nbpmu_drawn_bits(uint64_t *state);
uint32_t nbpmu_drawn_below(uint64_t *state, uint32_t limit);

/* ---- When it acts (acts.c) ---- */

/* Does the place have this counter, or this ESCR? */
bool nbpmu_fault_at_counter(const struct nbpmu *pmu, unsigned n);
bool nbpmu_fault_at_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* The result of the stage at this counter, or of this ESCR, is another one if the fault acts. Does it? */
bool nbpmu_fault_acts_at(const struct nbpmu *pmu, unsigned n);
bool nbpmu_fault_acts_in_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* The same for what happens to no counter. */
bool nbpmu_fault_acts_anywhere(const struct nbpmu *pmu);
/* Something has happened to counter n; its CCCR was written. */
void nbpmu_fault_happened(const struct nbpmu *pmu, unsigned n, enum happening what);
/* The table of a PMU with a composed fault (compose.c). */
struct nbpmu_stages nbpmu_fault_composed(const struct nbpmu_composition *composition);
/* What a number, a set, an index or a register becomes (deviate.c). */
bool nbpmu_deviating_truth(const struct nbpmu_composition *composition, bool sound);
uint64_t nbpmu_deviating_number(const struct nbpmu_composition *composition, uint64_t sound);
uint64_t nbpmu_deviating_set(const struct nbpmu_composition *composition, uint64_t sound);
unsigned nbpmu_deviating_index(const struct nbpmu_composition *composition, unsigned sound, unsigned limit);
uint64_t nbpmu_deviating_register(const struct nbpmu_composition *composition, uint64_t before,
                                  uint64_t value);

#endif
