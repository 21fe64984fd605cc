/*
 * What the files of the model share with each other and with nobody else: its state, and the functions that
 * one file offers the others. README.md says which rules each file states.
 */
#ifndef SIM_NETBURST_PRIVATE_H
#define SIM_NETBURST_PRIVATE_H

#include "pmc/netburst/regs.h"
#include "fault_kinds.h"
#include "nbpmu.h"
#include "nbpmu_fault.h"

/* ESCRs are kept by address: index = address - 3A0H. The gaps of pmu-rules 2.3 stay unused. */
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
    uint8_t active_seen;  /* of FAULT_GATE_SAMPLED and FAULT_GATE_LATCHED */
    bool edge_seen;       /* of FAULT_EDGE_ONCE */
    uint32_t counts;      /* of FAULT_COUNT_LOST */
    bool forced_once;     /* of FAULT_FORCE_ONCE, until ENABLE is cleared */
    unsigned early;       /* counts that come without an event (E20) */
    enum nbpmu_request request;
    uint8_t in_a_row; /* PMIs since ENABLE was 0, of FAULT_PMI_IN_A_ROW */
    bool raised;      /* a PMI came since OVF was clear: it stands, whatever overflows after it (R49) */
    /* derived from the above and the ESCRs by nbpmu_refresh() */
    bool linked[LINKS];      /* started through this link */
    bool starts_nothing;     /* of fault_links.c: OVF as it is starts no counter */
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
    struct nbpmu_choices choices;
    struct nbpmu_fault fault;
    uint64_t fault_old; /* of FAULT_LP1_READS_OLD: the register before it was last written */
    struct lp_state lp[NBPMU_LPS];
    struct nbpmu_counter counter[PMC_COUNTERS];
    struct nbpmu_escr escr[ESCR_INDICES];
    uint64_t precise_event, pebs_enable, pebs_matrix_vert; /* 3F0H, 3F1H, 3F2H: storage only */

    uint32_t running;                /* bit n: counter n counts now */
    bool is_active[2][NBPMU_EVENTS]; /* [side of the ESCR pair][event]: the event may move a counter there */
    uint32_t every_clock;            /* running counters to which a clock without occurrences matters */
    uint32_t selected_by[ESCR_INDICES]; /* running counters that select this ESCR */
    uint32_t moved;                     /* counters whose last_increment is not 0 */
    uint8_t posted[ESCR_INDICES]; /* indices of the ESCRs that events were reported to for the next clock */
    unsigned posted_count;
    uint32_t overflowing;            /* counters that overflowed in this clock, for faults */
    unsigned interrupting_overflows; /* of counters that raise PMIs (E9) */
    bool stale;                      /* OVF or a latch changed: nbpmu_refresh() is due */
    bool changed;                    /* this clock changed more than counter values */

    /* Quiet clocks (fast_forward.c); head.quiet is how many are left */
    bool steady;             /* nothing but counter values changed in the latest clock */
    uint64_t quiet_at_first; /* how many were announced after that clock */

    nbpmu_trace_fn *trace;
    void *trace_context;
};

/* One event class of pmu-rules 4. */
struct nbpmu_event_info {
    const char *name;
    uint32_t escr0;  /* address of the even ESCR of its pair */
    uint8_t select;  /* ESCR[30:25] */
    bool on0, on1;   /* counted by the even, by the odd ESCR */
    bool ti;         /* thread independent (Table 19-34) */
    uint16_t levels; /* members that are states of a clock: they are ORed (R9) */
    uint8_t weight;  /* added per occurrence */
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

/* Does the PMU have this fault? Asked where the rule that it breaks is stated. */
static inline bool nbpmu_faulty(const struct nbpmu *pmu, enum nbpmu_fault_kind kind)
{
    return pmu->fault.kind == kind;
}

/* The same for faults of one register, counter or link. */
static inline bool nbpmu_faulty_at(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned at)
{
    return nbpmu_faulty(pmu, kind) && pmu->fault.at == at;
}

/* fault_conditions.c: does this condition hold for counter n now? */
bool nbpmu_condition_holds(const struct nbpmu *pmu, enum nbpmu_fault_while condition, unsigned n);

/* Has the PMU a fault of this kind, which concerns every counter, and does it strike counter n now? */
static inline bool nbpmu_faulty_for(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return nbpmu_faulty(pmu, kind) &&
           (pmu->fault.condition == WHILE_ALWAYS || nbpmu_condition_holds(pmu, pmu->fault.condition, n));
}

/* The same for a kind of fault that is at one counter, or at whichever the condition holds for. */
static inline bool nbpmu_faulty_on(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return nbpmu_faulty_for(pmu, kind, n) && (pmu->fault.condition != WHILE_ALWAYS || pmu->fault.at == n);
}

/* The same for a kind of fault of a link, of counter n by this link. */
static inline bool nbpmu_faulty_link(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n,
                                     enum nbpmu_link link)
{
    return nbpmu_faulty_at(pmu, kind, link) && nbpmu_faulty_for(pmu, kind, n);
}

/* The block of a counter: BPU, MS, FLAME, IQ. */
static inline unsigned nbpmu_block_of(unsigned n)
{
    return n < 16 ? n / 4 : 3;
}

/* Member `to` of a fault that may concern one counter or all of them. */
#define EVERY_COUNTER 0xFFu

/* add.c: what counter n holds after this increment, which is not 0; and whether it then overflows, which is
 * to be asked before. */
uint64_t nbpmu_sum(struct nbpmu *pmu, unsigned n, unsigned increment);
bool nbpmu_carries_out(const struct nbpmu *pmu, unsigned n, unsigned increment);

/* How many counts of X FAULT_LINK_LATE waits: far more than R37 leaves open. */
#define FAULTY_LATENCY 128u

/* reset.c: a logical processor has halted. */
void nbpmu_halted(struct nbpmu *pmu);

/* enable.c: with FAULT_LINK_EARLY or FAULT_LINK_LATE, does this value of X start its partners? */
bool nbpmu_link_starts_at(const struct nbpmu *pmu, uint64_t value);

/* routing.c */
bool nbpmu_counter_reaches(unsigned counter, uint32_t escr_msr);

/* event_table.c */
const struct nbpmu_event_info *nbpmu_event_info(enum nbpmu_event event);
/* The event that an ESCR's value means on this part (model-dependent events, E10), NBPMU_NO_EVENT when none.
 */
enum nbpmu_event nbpmu_event_here(const struct nbpmu *pmu, uint32_t escr_msr, unsigned select);

/* match.c */
/* Can an occurrence of its event give this ESCR a value other than 0? */
bool nbpmu_can_count(const struct nbpmu *pmu, int escr_index);
/* Work out the event and mask that the value of the ESCR at address msr selects (R7). */
void nbpmu_decode(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
void nbpmu_drop_posts(struct nbpmu *pmu);

/* qualify.c */
/* Is the event thread independent (Table 19-34)? */
bool nbpmu_is_ti(const struct nbpmu *pmu, enum nbpmu_event event);
/* May this ESCR count an event caused by lp at cpl? Always true for thread-independent events, which
 * nbpmu_qualify_clock() decides about. */
bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* Does the state of this clock let a thread-independent event of this ESCR count (R13)? */
bool nbpmu_qualify_clock(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Value 0..15 that the ESCR presents in this clock (R8-R10, R12, R13). */
unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Does this ESCR's value come from the state of the clock instead of reported events? */
bool nbpmu_value_of_clock(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
unsigned nbpmu_active_count(const struct nbpmu *pmu);
/* How many active logical processors counter n sees when there are this many: a faulty one may see the number
 * of an earlier clock. */
unsigned nbpmu_active_seen(struct nbpmu *pmu, unsigned n, unsigned active);
bool nbpmu_gate_open(const struct nbpmu *pmu, uint32_t cccr, unsigned active);

/* write_masks.c */
/* Bits of the CCCR of counter n, or of the ESCR at address msr, that a write keeps (R3). */
uint64_t nbpmu_cccr_kept(const struct nbpmu *pmu, unsigned n);
uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr);
/* Bits of MSR_TC_PRECISE_EVENT, MSR_PEBS_ENABLE or MSR_PEBS_MATRIX_VERT that a write keeps. */
uint64_t nbpmu_storage_kept(uint32_t msr);
/* Does every access to the ESCR at this address fault (E19)? */
bool nbpmu_escr_faults(const struct nbpmu *pmu, uint32_t msr);
/* Bits that the manual documents; a write of 1 to another one faults with the choice reserved_faults. */
uint64_t nbpmu_cccr_documented(const struct nbpmu *pmu, unsigned n);
uint64_t nbpmu_escr_documented(const struct nbpmu *pmu, uint32_t msr);

/* sharing.c */
/* Is a write by logical processor 1 lost? */
bool nbpmu_loses_write(const struct nbpmu *pmu, uint32_t msr);
/* What logical processor lp writes to a register when it writes value, and logical processor 1 reads where
 * the register holds value. */
uint64_t nbpmu_written_by(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value);
uint64_t nbpmu_read_by_lp1(struct nbpmu *pmu, uint32_t msr, uint64_t value);

/* filter.c */
/* Increment of this clock (0..15) for a value; keeps the edge filter's state. */
unsigned nbpmu_filter(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value, bool gate_open);
/* Does a value pass threshold and COMPLEMENT of the counter's CCCR (R22)? */
bool nbpmu_passes_threshold(const struct nbpmu *pmu, const struct nbpmu_counter *counter, unsigned value);
/* State of the edge filter of a counter that starts (R25). */
void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter);

/* count.c */
/* Advance counter n by increment (1..15). Returns the logical processors that get a PMI. */
unsigned nbpmu_count(struct nbpmu *pmu, unsigned n, unsigned increment);
/* Logical processors that a PMI of counter n reaches, as a bit mask. */
unsigned nbpmu_pmi_targets(const struct nbpmu *pmu, unsigned n);

/* disturb.c: faults of a write of the CCCR of counter n, which held `before`; of a write of an ESCR; of an
 * RDPMC. */
void nbpmu_disturb_by_cccr(struct nbpmu *pmu, unsigned n, uint32_t before);
void nbpmu_disturb_by_escr(struct nbpmu *pmu, unsigned escr_index);
void nbpmu_disturb_by_rdpmc(struct nbpmu *pmu, unsigned n);

/* errata.c */
/* What a write of value really loads into counter n (E1). */
uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value);
/* Logical processor lp accessed counter n, whose input is open meanwhile: add its event's value (E1). */
void nbpmu_add_at_access(struct nbpmu *pmu, unsigned n, unsigned lp);
/* Counters that run and select an event of retirement, as a bit mask (E20). */
uint32_t nbpmu_retiring(const struct nbpmu *pmu);
/* A write of a CCCR or an ESCR, before which these were retiring, may have enabled others (E20). */
void nbpmu_count_early(struct nbpmu *pmu, uint32_t retiring_before);
/* How many of a counter's early counts come in this clock (E20). */
unsigned nbpmu_early_counts(struct nbpmu *pmu, struct nbpmu_counter *counter);
/* Did the latest clock carry into bit 32 of this counter, so that a stop now would lose it (E2)? */
bool nbpmu_carry_at_risk(const struct nbpmu *pmu, const struct nbpmu_counter *counter);
/* After a write to the CCCR of counter n: when it disabled the counter, perhaps lose a carry (E2). */
void nbpmu_lose_carry(struct nbpmu *pmu, unsigned n, bool was_running);
/* Does this overflow of counter n leave OVF as it is (E9)? */
bool nbpmu_leaves_unflagged(struct nbpmu *pmu, unsigned n);

/* enable.c */
/* Was this counter started by another one? */
static inline bool nbpmu_linked(const struct nbpmu_counter *counter)
{
    return counter->linked[LINK_CASCADE] || counter->linked[LINK_CASCNT];
}
/* The counter that can start n through link, or -1; the CCCR bit that asks for it. */
int nbpmu_link_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
uint32_t nbpmu_link_bit(enum nbpmu_link link);
/* Recompute everything derived; called after register writes and OVF changes. */
void nbpmu_refresh(struct nbpmu *pmu);
/* Is this ESCR powered: is a counter enabled that can select it or the other ESCR of its pair (R44)? */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index);

/* fault_links.c: the defects of cascades that need to know more than X and Y. */
/* Does this X not start counter n, which is armed? */
bool nbpmu_link_fails(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x);
/* Tell of an overflow, after OVF was set; of an access to a counter; of a write of a CCCR that held
 * `before`. */
void nbpmu_overflowed(struct nbpmu *pmu, unsigned n);
void nbpmu_counter_accessed(struct nbpmu *pmu, unsigned n, bool written);
void nbpmu_cccr_written(struct nbpmu *pmu, unsigned n, uint32_t before);
/* Has the start of another counter halted this one? */
bool nbpmu_halted_by_start(const struct nbpmu *pmu, unsigned n);
/* Let a started counter count the event of X. */
void nbpmu_take_escr_of_x(struct nbpmu *pmu, unsigned n);

/* fast_forward.c */
/* Apply the quiet clocks that the caller has taken, and end the quiet period. */
void nbpmu_sync(struct nbpmu *pmu);
/* How many clocks that repeat the latest increments can pass before a running counter overflows; at most
 * limit. */
uint64_t nbpmu_clocks_before_carry(const struct nbpmu *pmu, uint64_t limit);
/* Add the latest increments `clocks` times. */
void nbpmu_repeat_increments(struct nbpmu *pmu, uint64_t clocks);
/* Announce as many quiet clocks as can follow the latest clock. */
void nbpmu_extend_quiet_clocks(struct nbpmu *pmu);

/* demand.c */
/* Recompute the active events and which counters each ESCR and each clock concerns. */
void nbpmu_find_demand(struct nbpmu *pmu);

/* trace.c */
void nbpmu_tracef(const struct nbpmu *pmu, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nbpmu_trace_escr(const struct nbpmu *pmu, uint32_t msr);
void nbpmu_trace_cccr(const struct nbpmu *pmu, unsigned n);

/* escr_table.c */
const char *nbpmu_escr_name(uint32_t msr);
/* Write mask recorded for an ESCR on 0F43H (pmu-rules 3.4). */
uint32_t nbpmu_escr_f43_mask(uint32_t msr);
bool nbpmu_escr_exists(uint32_t msr);

#endif
