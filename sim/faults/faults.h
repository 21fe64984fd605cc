/*
 * What the files of the room share: the faults with a name, and what a PMU with a fault remembers of it.
 */
#ifndef SIM_FAULTS_FAULTS_H
#define SIM_FAULTS_FAULTS_H

#include "grammar.h"
#include "sim/netburst/private.h"

/* A function in front of a stage has the parameters of the stage, whether or not it looks at each. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- Faults with a name (names.c, odd.c) ---- */

struct nbpmu_fault_row {
    const char *name;
    const char *composition; /* as a user would type it. Null: it has a function, */
    const char *rule;        /* and a rule. Of a composition null: the rule of its stage */
    const char *text;        /* of a fault with a function */
    enum fault_part part;
    void (*put_into)(struct nbpmu_stages *stages); /* the function */
};
extern const struct nbpmu_fault_row nbpmu_fault_odd[];
extern const unsigned nbpmu_fault_odd_count;

/* ---- A fault in a PMU ---- */

/* An act that lasts: has it been drawn whether the fault strikes, and does it? */
struct act {
    bool drawn, struck;
    bool sound; /* of a run: the latest sound result */
};

/* What a composed fault remembers of a counter, or of an ESCR. */
struct life {
    struct act act;
    uint32_t acts; /* since its CCCR, or the ESCR itself, was 0 */
    bool happened; /* the event of the fault's history, since then */
    bool by_lp1;   /* LP1 wrote its CCCR last */
    bool was_read; /* since its CCCR was written */
    bool waits;    /* for something that comes late, */
    unsigned left; /* after so many counts */
    uint32_t kept; /* the CCCR as it was when it was enabled, the value by which an ESCR acts, or how many
                      logical processors were active */
    bool knows_kept;
    bool is_put_off; /* the PMI that is due, by one count */
    uint64_t loaded; /* the value that was written */
};

/* Behind the counters and the ESCRs: what belongs to none of them. */
#define NOWHERE (PMC_COUNTERS + ESCR_INDICES)

struct composed {
    uint64_t acts, struck;
    bool asked_again; /* LVTPC was unmasked, and the requests that stand are looked at (R49) */
    struct life at[NOWHERE + 1];
};

/* Member `defects` of a PMU with a fault. */
struct defects {
    struct nbpmu_fault fault;
    struct nbpmu_stages stages;
    struct composed composed;
    uint32_t overflowing; /* counters that have overflowed in the clock that passes */
};

static inline struct defects *defects_of(const struct nbpmu *pmu)
{
    return pmu->defects;
}

static inline const struct nbpmu_fault *fault_of(const struct nbpmu *pmu)
{
    return &defects_of(pmu)->fault;
}

/* ---- What several files ask ---- */

/* Has the CCCR of counter n one of these bits? */
static inline bool has_bits(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return pmu->counter[n].cccr & bits;
}

/* A register that has this field of another one. */
static inline uint32_t with_field(uint32_t value, uint32_t field, uint32_t other)
{
    return (value & ~field) | (other & field);
}

/* The ESCR that counter n selects; when there is none, one that is all zero. */
static inline struct nbpmu_escr escr_of(const struct nbpmu *pmu, unsigned n)
{
    const int escr_index = pmu->counter[n].escr_index;
    const struct nbpmu_escr none = {0};
    return escr_index == NO_ESCR ? none : pmu->escr[escr_index];
}

/* The cascade partner of counter n. Counters 16 and 17 are started by others and start none: the X of each is
 * its partner. */
static inline unsigned partner_of(unsigned n)
{
    return n < 16 ? n ^ 2 : n - 2;
}

/* effects.c: the counters on which a side effect of counter n falls, as a bit mask. */
uint32_t nbpmu_fault_victims(const struct nbpmu_composition *composition, unsigned n);

/* Does the next count of counter n raise its PMI? */
static inline bool is_due(const struct nbpmu *pmu, unsigned n)
{
    return pmu->counter[n].request == REQUEST_NEXT_COUNT;
}

#endif
