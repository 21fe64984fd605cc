/*
 * Inside of the PMU model: what a PMU holds, the stages of an access and of a clock, and what the sources
 * offer each other.
 */
#ifndef SIM_NETBURST_PRIVATE_H
#define SIM_NETBURST_PRIVATE_H

#include "pmc/netburst/regs.h"
#include "nbpmu.h"

/*
 * ---- State ----
 * What a PMU holds: its registers, what is derived from them, and the state that no register shows. Only the
 * files of the model and of sim/faults read it.
 */

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

/*
 * ---- Stages ----
 * The stages of the model: what one file states and another one asks for. They are called through a table, so
 * that a room above can put something in front of them (sim/faults). A PMU has nbpmu_sound_stages, unless it
 * is given another table. sim/README.md has the rules of each.
 *
 * NBPMU_STAGES lists them: type, name, parameters and arguments of each. The table, the prototypes of the
 * functions in it, nbpmu_NAME(), and what sim/faults needs for each stage are made of this list.
 */

/* clang-format off */
/* ==== Stages of one counter ==== */

/* ---- Access: registers.c ---- */

/* Bits of the CCCR of counter n that a write keeps (R3). */
#define NBPMU_STAGE_cccr_kept(S, ...) \
    S(uint64_t, cccr_kept, (const struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ---- From an event to the increment: qualify.c, filter.c ---- */

/* Value 0..15 that counter n gets from its ESCR in this clock (R6, R8 to R10). */
#define NBPMU_STAGE_value(S, ...) \
    S(unsigned, value, (const struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* Does ACTIVE_THREAD let counter n count with so many active logical processors (R18, R19)? */
#define NBPMU_STAGE_gate_open(S, ...) \
    S(bool, gate_open, (struct nbpmu *pmu, unsigned n, unsigned active), (pmu, n, active), __VA_ARGS__)
/* Increment 0..15 of counter n for a value; keeps the edge filter's state (R21 to R26). */
#define NBPMU_STAGE_filter(S, ...) \
    S(unsigned, filter, (struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open), \
      (pmu, n, value, gate_open), __VA_ARGS__)

/* ---- Overflow and PMI: count.c ---- */

/* Advance counter n by increment (1..15). Returns the logical processors that get a PMI. */
#define NBPMU_STAGE_count(S, ...) \
    S(unsigned, count, (struct nbpmu *pmu, unsigned n, unsigned increment), (pmu, n, increment), __VA_ARGS__)
/* Add the increment (R27). True: the sum carries out of bit 39 (R28). */
#define NBPMU_STAGE_add(S, ...) \
    S(bool, add, (struct nbpmu *pmu, unsigned n, unsigned increment), (pmu, n, increment), __VA_ARGS__)
/* Set OVF (R29). */
#define NBPMU_STAGE_overflow(S, ...) \
    S(void, overflow, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* Logical processors that a PMI of counter n reaches, as a bit mask (R45). */
#define NBPMU_STAGE_pmi_targets(S, ...) \
    S(unsigned, pmi_targets, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ---- Who counts: enable.c ---- */

/* Address of the ESCR that counter n selects, 0 when there is none (R17). */
#define NBPMU_STAGE_route(S, ...) \
    S(uint32_t, route, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* The counter that can start n through this link, or -1 (R34, R35). */
#define NBPMU_STAGE_link_source(S, ...) \
    S(int, link_source, (const struct nbpmu *pmu, unsigned n, enum nbpmu_link link), (pmu, n, link), __VA_ARGS__)
/* Is counter n started through this link (R33, R36 to R40)? */
#define NBPMU_STAGE_link_runs(S, ...) \
    S(bool, link_runs, (struct nbpmu *pmu, unsigned n, enum nbpmu_link link), (pmu, n, link), __VA_ARGS__)
/* Does counter n count: is it enabled or started (R2, R33), and its ESCR powered (R44)? */
#define NBPMU_STAGE_counts(S, ...) \
    S(bool, counts, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ---- Time: fast_forward.c ---- */

/* How far counter n can advance without anything but its value changing. */
#define NBPMU_STAGE_distance(S, ...) \
    S(uint64_t, distance, (const struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)

/* ==== The others ==== */

/* ---- Access: registers.c, reset.c, clock.c ---- */

/* Logical processor lp writes value to a register, or reads one (R3 to R5, R32). False: #GP(0). */
#define NBPMU_STAGE_write(S, ...) \
    S(bool, write, (struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value), (pmu, lp, msr, value), __VA_ARGS__)
#define NBPMU_STAGE_read(S, ...) \
    S(bool, read, (struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value), (pmu, lp, msr, value), __VA_ARGS__)
#define NBPMU_STAGE_read_counter(S, ...) \
    S(bool, read_counter, (struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value), \
      (pmu, lp, cr4_pce, ecx, value), __VA_ARGS__)
/* INIT# (R1); and HLT or another change of what a logical processor does (R42). */
#define NBPMU_STAGE_init(S, ...) \
    S(void, init, (struct nbpmu *pmu), (pmu), __VA_ARGS__)
#define NBPMU_STAGE_change_lp(S, ...) \
    S(void, change_lp, (struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl), \
      (pmu, lp, active, cpl), __VA_ARGS__)

/* ---- From an event to the value of an ESCR: match.c, qualify.c, tags.c ---- */

/* Work out which event and mask the ESCR at address msr selects (R7). */
#define NBPMU_STAGE_decode_escr(S, ...) \
    S(void, decode_escr, (const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr), \
      (pmu, escr, msr), __VA_ARGS__)
/* Does the ESCR select an occurrence with these mask bits (R7, R9)? */
#define NBPMU_STAGE_matches(S, ...) \
    S(bool, matches, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits), \
      (pmu, escr, bits), __VA_ARGS__)
/* May the ESCR count what lp causes at cpl (R11, R12, R14)? Yes for thread-independent events, which
 * clock_qualifies() decides about. */
#define NBPMU_STAGE_qualifies(S, ...) \
    S(bool, qualifies, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl), \
      (pmu, escr, lp, cpl), __VA_ARGS__)
/* Does the state of this clock let the ESCR count (R13)? Yes for thread-specific events. */
#define NBPMU_STAGE_clock_qualifies(S, ...) \
    S(bool, clock_qualifies, (const struct nbpmu *pmu, const struct nbpmu_escr *escr), (pmu, escr), __VA_ARGS__)
/* The tags that the ESCR puts on a uop of lp that its mask selects (R15). */
#define NBPMU_STAGE_tag(S, ...) \
    S(unsigned, tag, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp), \
      (pmu, escr, lp), __VA_ARGS__)

/* LVTPC of lp was unmasked. Does a standing PMI come again (R49)? count.c */
#define NBPMU_STAGE_pmi_again(S, ...) \
    S(bool, pmi_again, (struct nbpmu *pmu, unsigned lp), (pmu, lp), __VA_ARGS__)
/* A clock begins: the running counters in which it may change anything. clock.c */
#define NBPMU_STAGE_due(S, ...) \
    S(uint32_t, due, (struct nbpmu *pmu), (pmu), __VA_ARGS__)

#define NBPMU_STAGES_OF_COUNTERS(S) \
    NBPMU_STAGE_cccr_kept(S) NBPMU_STAGE_value(S) NBPMU_STAGE_gate_open(S) NBPMU_STAGE_filter(S) \
    NBPMU_STAGE_count(S) NBPMU_STAGE_add(S) NBPMU_STAGE_overflow(S) NBPMU_STAGE_pmi_targets(S) \
    NBPMU_STAGE_route(S) NBPMU_STAGE_link_source(S) NBPMU_STAGE_link_runs(S) NBPMU_STAGE_counts(S) \
    NBPMU_STAGE_distance(S)
#define NBPMU_STAGES_OF_ALL(S) \
    NBPMU_STAGE_write(S) NBPMU_STAGE_read(S) NBPMU_STAGE_read_counter(S) NBPMU_STAGE_init(S) \
    NBPMU_STAGE_change_lp(S) NBPMU_STAGE_decode_escr(S) NBPMU_STAGE_matches(S) NBPMU_STAGE_qualifies(S) \
    NBPMU_STAGE_clock_qualifies(S) NBPMU_STAGE_tag(S) NBPMU_STAGE_pmi_again(S) NBPMU_STAGE_due(S)
#define NBPMU_STAGES(S) NBPMU_STAGES_OF_COUNTERS(S) NBPMU_STAGES_OF_ALL(S)
/* clang-format on */

/* A member for each stage, which is a pointer to a function of its type. */
#define NBPMU_STAGE_MEMBER(type, name, parameters, arguments, ...) type(*name) parameters;

struct nbpmu_stages {
    NBPMU_STAGES(NBPMU_STAGE_MEMBER)
    /* May clocks matter although nothing says that they do? */
    bool every_clock;
};

extern const struct nbpmu_stages nbpmu_sound_stages;

#define STAGE(type, name, parameters, arguments, ...) type nbpmu_##name parameters;
NBPMU_STAGES(STAGE)
#undef STAGE

/*
 * ---- Functions ----
 * What one file of the model offers the others and sim/faults. sim/README.md says which rules each file
 * states.
 */

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

/* routing.c */
bool nbpmu_counter_reaches(unsigned counter, uint32_t escr_msr);

/* event_table.c */
const struct nbpmu_event_info *nbpmu_event_info(enum nbpmu_event event);
/* Does an ESCR with this event tag uops by its mask, without tag enable? */
bool nbpmu_tags_by_mask(enum nbpmu_event event);
/* The event that an ESCR's value means on this part (model-dependent events, E10), NBPMU_NO_EVENT when none.
 */
enum nbpmu_event nbpmu_event_here(const struct nbpmu *pmu, uint32_t escr_msr, unsigned select);
const char *nbpmu_escr_name(uint32_t msr);
/* Write mask recorded for an ESCR on 0F43H (pmu-rules 3.4). */
uint32_t nbpmu_escr_f43_mask(uint32_t msr);
bool nbpmu_escr_exists(uint32_t msr);

/* match.c */
/* Can an occurrence of its event give this ESCR a value other than 0? */
bool nbpmu_can_count(const struct nbpmu *pmu, int escr_index);
/* Work out what the value of the ESCR at address msr selects. */
void nbpmu_decode(struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
void nbpmu_drop_posts(struct nbpmu *pmu);
/* Does a mask of IOQ_allocation select an occurrence with these bits, by the equation of models 2 and later
 * or by that of earlier ones? */
bool nbpmu_ioq_matches(bool groups_are_anded, unsigned mask, unsigned bits);

/* qualify.c */
/* Is the bit set that stands for logical processor lp at this privilege level (R12; R11 without
 * Hyper-Threading)? */
bool nbpmu_causer_counts(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* May this ESCR count an event caused by lp at cpl? Always true for thread-independent events. */
bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* The same for each cause: bit NBPMU_CAUSE(lp, cpl) of the result. */
#define NBPMU_CAUSE(lp, cpl) (2 * (lp) + ((cpl) > 0))
uint8_t nbpmu_causes(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Does the state of this clock let a thread-independent event of this ESCR count (R13)? */
bool nbpmu_state_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Value 0..15 that the ESCR presents in this clock (R8-R10, R12, R13). */
unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
unsigned nbpmu_active_count(const struct nbpmu *pmu);

/* tags.c: the tags of an ESCR that qualifies. */
unsigned nbpmu_tag_value(const struct nbpmu_escr *escr);
/* After a write to an ESCR, which was like before: does it go on tagging (E23)? */
void nbpmu_linger(struct nbpmu *pmu, int escr_index, const struct nbpmu_escr *before);

/* registers.c: what is at this address. */
enum nbpmu_register { REG_NONE, REG_COUNTER, REG_CCCR, REG_ESCR, REG_STORAGE };
enum nbpmu_register nbpmu_register_of(uint32_t msr);
/* Does this write fault? */
bool nbpmu_write_faults(const struct nbpmu *pmu, uint32_t msr, uint64_t value);
/* Bits of the ESCR at address msr that a write keeps (R3). */
uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr);

/* reset.c: all ESCRs 0. */
void nbpmu_clear_escrs(struct nbpmu *pmu);

/* filter.c */
/* Does a value pass threshold and COMPLEMENT of the counter's CCCR (R22)? */
bool nbpmu_passes_threshold(const struct nbpmu_counter *counter, unsigned value);
/* State of the edge filter of a counter that starts (R25). */
void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter);

/* clock.c: do the counters run with this number of active logical processors (R42)? */
bool nbpmu_clocked(const struct nbpmu *pmu, unsigned active);

/* count.c: raise the PMI of counter n. Returns the logical processors that get it. */
unsigned nbpmu_raise_pmi(struct nbpmu *pmu, unsigned n);

/* errata.c */
/* What a write of value really loads into counter n (E1). */
uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value);
/* Logical processor lp accessed counter n, whose input is open meanwhile: add its event's value (E1). */
void nbpmu_add_at_access(struct nbpmu *pmu, unsigned n, unsigned lp);
/* Counters that run and select an event of retirement, as a bit mask (E20). */
uint32_t nbpmu_retiring(const struct nbpmu *pmu);
/* A write of a CCCR or an ESCR, before which these were retiring, may have enabled others (E20). */
void nbpmu_count_early(struct nbpmu *pmu, uint32_t retiring_before);
/* The value of this clock with those of a counter's early counts that come in it (E20). */
unsigned nbpmu_with_early_counts(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value);
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
/* The CCCR bit that asks for this link. */
uint32_t nbpmu_link_bit(enum nbpmu_link link);
/* Does OVF of x, as it is now, start the counters that x starts? OVF written by software does, but for the
 * variant written_ovf_no_cascade (R30). */
bool nbpmu_ovf_starts(const struct nbpmu *pmu, const struct nbpmu_counter *x);
/* Recompute everything derived; called after register writes and OVF changes. */
void nbpmu_refresh(struct nbpmu *pmu);
/* Is this ESCR powered: is a counter enabled that can select it or the other ESCR of its pair (R44)? */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index);
/* The counters whose ENABLE is set and works. */
uint32_t nbpmu_enabled_counters(const struct nbpmu *pmu);

/* fast_forward.c */
/* Apply the quiet clocks that the caller has taken, and end the quiet period. */
void nbpmu_sync(struct nbpmu *pmu);
/* How far a counter can advance from this value without a carry out of the bits below `bit`. */
uint64_t nbpmu_distance_to_carry_into(unsigned bit, uint64_t value);
/* How many clocks that repeat the latest increments can pass before a running counter overflows; at most
 * limit. */
uint64_t nbpmu_clocks_before_carry(const struct nbpmu *pmu, uint64_t limit);
/* Add the latest increments `clocks` times. */
void nbpmu_repeat_increments(struct nbpmu *pmu, uint64_t clocks);
/* Announce as many quiet clocks as can follow the latest clock. */
void nbpmu_extend_quiet_clocks(struct nbpmu *pmu);
/* Recompute the active events and which counters each ESCR and each clock concerns. */
void nbpmu_find_demand(struct nbpmu *pmu);

/* trace.c */
void nbpmu_tracef(const struct nbpmu *pmu, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nbpmu_trace_escr(const struct nbpmu *pmu, uint32_t msr);
void nbpmu_trace_cccr(const struct nbpmu *pmu, unsigned n);

#endif
