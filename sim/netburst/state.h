/*
 * What a PMU holds: its registers, what is derived from them, and the state that no register shows. Only the
 * files of the model and of sim/faults read it.
 */
#ifndef SIM_NETBURST_STATE_H
#define SIM_NETBURST_STATE_H

#include "pmc/netburst/regs.h"
#include "nbpmu.h"

#define ESCR_INDEX(msr)      ((int)((msr)-MSR_BSU_ESCR0))
#define ESCR_MSR(escr_index) (MSR_BSU_ESCR0 + (uint32_t)(escr_index))
#define ESCR_INDICES         (MSR_CRU_ESCR5 - MSR_BSU_ESCR0 + 1)
#define NO_ESCR              (-1)

/* The value presented to the counters is a 4-bit number (R8). */
#define NBPMU_VALUE_MAX 15u

/* The two ways in which another counter can start this one. */
enum nbpmu_link {
    LINK_CASCADE, /* CASCADE and the alternate counter (R34) */
    LINK_CASCNT,  /* bit 11 and the counter of Table 18-65 (R35) */
    LINKS
};

/* Where a counter stands between its overflow and the PMI (R46, R49). */
enum nbpmu_request {
    REQUEST_NONE,
    REQUEST_NEXT_COUNT, /* overflowed: the next count raises the PMI */
    REQUEST_STANDING    /* the PMI was requested, and stays requested while OVF is set */
};

struct nbpmu_counter {
    /* architectural */
    uint64_t value;
    uint32_t cccr;
    /* state that no register shows */
    bool ovf_by_hardware; /* OVF was set by an overflow, not by a write (R30) */
    bool previous;        /* edge filter: result of the previous clock (R23) */
    bool latched[LINKS];  /* latch form of R33 */
    unsigned early;       /* counts that come without an event (E20) */
    enum nbpmu_request request;
    bool raised; /* a PMI came since OVF was clear: it stands, whatever overflows after it (R49) */
    /* derived from the above and the ESCRs by nbpmu_refresh() */
    bool linked[LINKS];      /* started through this link */
    int escr_index;          /* selected ESCR, NO_ESCR for a "-" position */
    bool has_event;          /* an event other than no_event is selected (R16) */
    bool complements;        /* COMPLEMENT counts the clocks without the event (question 11.1) */
    unsigned last_increment; /* in the latest clock, for clocks that repeat it */
};

struct nbpmu_escr {
    uint32_t value;
    /* derived from value when it is written */
    enum nbpmu_event event;
    uint16_t mask;
    bool of_clock;  /* its value is a state of the clock, not a number of reported events */
    bool tags;      /* it may put tags on uops (tags.c) */
    uint8_t causes; /* bit 2 * lp + (CPL above 0): what lp causes there qualifies */
    /* reported for the next clock */
    unsigned sum; /* occurrences of counted members */
    bool level;   /* some level member is true */
    bool posted;  /* sum or level was changed; the ESCR's index is in pmu.posted */
};

/* What a logical processor does from the next clock on. */
struct lp_state {
    bool active;
    uint8_t cpl;
};

struct nbpmu {
    struct nbpmu_head head; /* first, for the inline functions of nbpmu.h */
    struct nbpmu_part part;
    struct nbpmu_variants variants;
    const struct nbpmu_stages *stages;
    void *defects; /* state of the functions of another table than nbpmu_sound_stages; freed with the PMU */
    struct lp_state lp[NBPMU_LPS];
    struct nbpmu_counter counter[PMC_COUNTERS];
    struct nbpmu_escr escr[ESCR_INDICES];
    struct nbpmu_escr
        lingering[ESCR_INDICES]; /* by which an ESCR goes on tagging, if its tags is set (E23) */
    uint64_t precise_event, pebs_enable, pebs_matrix_vert; /* 3F0H, 3F1H, 3F2H: storage only */

    unsigned taggers;                  /* how many ESCRs have `tags` */
    uint32_t reached_by[ESCR_INDICES]; /* counters that can select this ESCR (R17); set by nbpmu_new() */

    uint32_t running;                /* bit n: counter n counts now */
    bool is_active[2][NBPMU_EVENTS]; /* [side of the ESCR pair][event]: the event may move a counter there */
    uint32_t every_clock;            /* running counters to which a clock without occurrences matters */
    uint32_t selected_by[ESCR_INDICES]; /* running counters that select this ESCR */
    uint32_t moved;                     /* counters whose last_increment is not 0 */
    uint8_t posted[ESCR_INDICES]; /* indices of the ESCRs that events were reported to for the next clock */
    unsigned posted_count;
    unsigned interrupting_overflows; /* of counters that raise PMIs (E9) */
    bool stale;                      /* OVF or a latch changed: nbpmu_refresh() is due */
    bool changed;                    /* this clock changed more than counter values */

    /* Quiet clocks (fast_forward.c); head.quiet is how many are left */
    bool steady;             /* nothing but counter values changed in the latest clock */
    uint64_t quiet_at_first; /* how many were announced after that clock */

    nbpmu_trace_fn *trace;
    void *trace_context;
};

/* Does the core have two logical processors? */
static inline bool nbpmu_has_ht(const struct nbpmu *pmu)
{
    return pmu->part.lps > 1;
}

/* Before CPUID signature F27H: R14, E10. */
static inline bool nbpmu_before_f27(const struct nbpmu_part *part)
{
    return part->model < 2 || (part->model == 2 && part->stepping < 7);
}

/* Before CPUID signature F0AH, that is stepping C1: E22. */
static inline bool nbpmu_before_c1(const struct nbpmu_part *part)
{
    return part->model == 0 && part->stepping < 0xA;
}

/* Tulsa, the only core of CPUID signature F68H. */
static inline bool nbpmu_is_xeon_7100(const struct nbpmu_part *part)
{
    return part->model == 6 && part->stepping == 8;
}

/* The lowest counter of a set of them, which is not empty. */
static inline unsigned nbpmu_lowest(uint32_t counters)
{
    return (unsigned)__builtin_ctz(counters);
}

/* The block of a counter: BPU, MS, FLAME, IQ. */
static inline unsigned nbpmu_block_of(unsigned n)
{
    return n < 16 ? n / 4 : 3;
}

#endif
