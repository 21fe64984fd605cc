/*
 * What the faulty stages share: which fault a PMU has, what it remembers, and whether it strikes now.
 */
#ifndef SIM_FAULTS_DEFECTS_H
#define SIM_FAULTS_DEFECTS_H

#include "conditions.h"
#include "kinds.h"
#include "nbpmu_fault.h"
#include "sim/netburst/private.h"

/* How many counts of X FAULT_LINK_LATE waits: far more than R37 leaves open. */
#define FAULTY_LATENCY 128u

/* What a fault remembers of a counter. */
struct counter_defects {
    uint8_t
        active_seen;  /* FAULT_GATE_SAMPLED, FAULT_GATE_LATCHED: active processors that its gate remembers */
    bool edge_seen;   /* FAULT_EDGE_ONCE: it has counted an edge since its start */
    uint32_t counted; /* FAULT_COUNT_LOST: all its counts when nbpmu_note_counted() was called, */
    uint64_t value;   /* and its value then */
    bool forced_once; /* FAULT_FORCE_ONCE: a forced overflow came since ENABLE was 0 */
    uint8_t in_a_row; /* FAULT_PMI_IN_A_ROW: PMIs since ENABLE was 0 */
    bool starts_nothing;   /* its OVF as it is starts no counter */
    uint64_t before_count; /* the value to which the latest increment was added */
    bool overflowed;       /* by the latest increment */
    /* since its CCCR was 0: */
    uint8_t overflows; /* how often it overflowed */
    bool crossed;      /* it was written from a negative to a positive value */
    bool halted;       /* its own OVF was cleared while it ran by a cascade, */
    bool runs_on;      /* together with the flag of that cascade */
    /* FAULT_FIELD_HELD, FAULT_CHANGE_HALTS: */
    uint32_t enabled_as; /* its CCCR when it was enabled */
    bool change_halted;  /* a change of its CCCR has halted it since then */
    bool put_off;        /* FAULT_DUE_LATER: its PMI that is due */
};

/* Member `defects` of a PMU with a fault. */
struct defects {
    struct nbpmu_fault fault;
    bool refused; /* FAULT_WRITE_LOST_AFTER_REFUSED: a write was refused, and no write came after it */
    bool pce[2];  /* FAULT_RDPMC_PCE_OF_OTHER: CR4.PCE of each logical processor at its latest RDPMC */
    uint64_t old; /* FAULT_LP1_READS_OLD: the register before it was last written */
    /* in the clock that passes: */
    uint32_t overflowing; /* counters that have overflowed, */
    unsigned raised;      /* logical processors that have got a PMI */
    struct counter_defects counter[PMC_COUNTERS];
    uint32_t
        escr_held[ESCR_INDICES]; /* FAULT_ESCR_FIELD_HELD and its kin: the values by which the ESCRs act */
    bool full_mask;              /* FAULT_ESCR_FULL_COUNTS: the latest write of that ESCR had it */
};

static inline struct defects *defects_of(const struct nbpmu *pmu)
{
    return pmu->defects;
}

static inline const struct nbpmu_fault *fault_of(const struct nbpmu *pmu)
{
    return &defects_of(pmu)->fault;
}

/* Does the PMU have this fault? */
static inline bool faulty(const struct nbpmu *pmu, enum nbpmu_fault_kind kind)
{
    return fault_of(pmu)->kind == kind;
}

/* The same for faults of one register, counter or link. */
static inline bool faulty_at(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned at)
{
    return faulty(pmu, kind) && fault_of(pmu)->at == at;
}

/* conditions.c: does this condition hold for counter n now? */
bool nbpmu_condition_holds(const struct nbpmu *pmu, enum nbpmu_fault_while condition, unsigned n);

/* Has the PMU a fault of this kind, which concerns every counter, and does it strike counter n now? */
static inline bool faulty_for(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    enum nbpmu_fault_while condition = fault_of(pmu)->condition;
    return faulty(pmu, kind) && (condition == WHILE_ALWAYS || nbpmu_condition_holds(pmu, condition, n));
}

/* The same for a kind of fault that is at one counter or, with a condition, at each for which it holds. */
static inline bool faulty_on(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return faulty_for(pmu, kind, n) && (fault_of(pmu)->condition != WHILE_ALWAYS || fault_of(pmu)->at == n);
}

/* The same for a fault of a link by which counter n is started. */
static inline bool faulty_link(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n,
                               enum nbpmu_link link)
{
    return faulty_at(pmu, kind, link) && faulty_for(pmu, kind, n);
}

/* links.c: the faults of cascades that need to know more than X and Y. */
/* Does this X not start counter n, which is armed? */
bool nbpmu_link_fails(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x);
/* Counter n has overflowed and has set OVF. */
void nbpmu_overflowed(struct nbpmu *pmu, unsigned n);
/* Counter n was read or written. */
void nbpmu_counter_accessed(struct nbpmu *pmu, unsigned n, bool written);
/* Counter n has overflowed while its OVF was set. */
void nbpmu_overflowed_again(struct nbpmu *pmu, unsigned n);
/* Does the link take its flag for set, though it was cleared? */
bool nbpmu_flag_stays(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
/* Does counter n run, which is armed by this link to X? By the rules the answer is `runs`. */
bool nbpmu_link_strays(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x, bool runs);
/* The CCCR of counter n is about to hold this value. Returns what it will hold instead. */
uint32_t nbpmu_links_before_write(struct nbpmu *pmu, unsigned n, uint32_t now);
/* Has the start of another counter halted this one? */
bool nbpmu_halted_by_start(const struct nbpmu *pmu, unsigned n);

/* in_flight.c: the faults of a counter that is written or read while it counts. */
/* The CCCR of counter n as it acts. */
uint32_t nbpmu_seen_cccr(const struct nbpmu *pmu, unsigned n);
/* The CCCR of counter n is about to hold this value. */
void nbpmu_cccr_in_flight(struct nbpmu *pmu, unsigned n, uint32_t now);
/* Has a change of its CCCR halted counter n? */
bool nbpmu_halted_by_change(const struct nbpmu *pmu, unsigned n);
/* Does counter n count on without ENABLE? */
bool nbpmu_goes_on(const struct nbpmu *pmu, unsigned n);
/* The ESCR at this address is about to hold this value. Returns the value by which it acts. */
uint32_t nbpmu_escr_in_flight(const struct nbpmu *pmu, uint32_t msr, uint32_t now);
struct nbpmu_escr nbpmu_acting_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Does counter n get nothing of an ESCR that goes on by the fault of another counter? */
bool nbpmu_stopped_by_escr(const struct nbpmu *pmu, unsigned n);
/* Counter n is stopped. Does an event raise the PMI that is due? Would it do no more than that? */
bool nbpmu_interrupts_stopped(const struct nbpmu *pmu, unsigned n);
bool nbpmu_counts_pmi_alone(const struct nbpmu *pmu, unsigned n);
/* This happens to counter n. */
void nbpmu_meanwhile(struct nbpmu *pmu, unsigned n, enum fault_meanwhile what);

/* overflow.c: all counts of counter n, with those of skipped clocks and those that FAULT_COUNT_LOST loses.
 * They are noted when the counter gets a value that it has not counted to. */
uint32_t nbpmu_counted(const struct nbpmu *pmu, unsigned n);
void nbpmu_note_counted(struct nbpmu *pmu, unsigned n, uint32_t counted);

/* start.c: with FAULT_LINK_EARLY or FAULT_LINK_LATE, does this value of X start its partners? */
bool nbpmu_link_starts_at(const struct nbpmu *pmu, uint64_t value);

/* Each stage of a PMU with a fault; stages.c has the table. */
#define STAGE(type, name, ...) type nbpmu_faulty_##name(__VA_ARGS__);
NBPMU_STAGES(STAGE)
#undef STAGE

#endif
