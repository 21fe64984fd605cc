/*
 * What the files of the room share: the rows of the catalogue, what a fault remembers, and where it strikes.
 *
 * A fault is a function in front of a stage of the model (sim/netburst/private.h), or of a part of one
 * (below). It is called only where the fault strikes, and calls the sound function. The names say what goes
 * wrong.
 */
#ifndef SIM_FAULTS_FAULTS_H
#define SIM_FAULTS_FAULTS_H

#include "grammar.h"
#include "sim/netburst/private.h"

/* A function in front of a stage has the parameters of the stage, whether or not it looks at each. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- The catalogue ---- */

/* Faults of one register name it by its distance from here. */
#define REGISTER_0 MSR_COUNTER(0)

/* What happens to a counter. */
enum fault_when {
    RDMSR_BY_LP0 = 1 << 0,
    RDPMC_FULL = 1 << 1,
    RDPMC_SHORT = 1 << 2, /* the fast form */
    CCCR_READ = 1 << 3,
    WRITTEN = 1 << 4,
    CCCR_WRITTEN = 1 << 5, /* what has CCCR in its name, and the next three, is told before the write */
    COMPARE_SET = 1 << 6,
    OVF_CLEARED = 1 << 7,
    ENABLE_CLEARED = 1 << 8,
    ENABLE_SET = 1 << 9,
    HALTS = 1 << 10, /* a logical processor halts: to every counter */
    RDMSR_BY_LP1 = 1 << 11,
    INIT = 1 << 12,
    CPL_CHANGES = 1 << 13,
    BY_LP1 = 1 << 14, /* not by LP0, */
    BY_USER = 1 << 15 /* not at CPL 0 */
};
#define RDMSR_ANY (RDMSR_BY_LP0 | RDMSR_BY_LP1)
#define RDPMC_ANY (RDPMC_FULL | RDPMC_SHORT)

/* One member of a family: which register, bit, counter or pair. Begins as its row has it. */
struct fault_member {
    struct nbpmu_fault fault;
    char suffix[28];    /* what follows the row's name in the fault's name */
    const char *unseen; /* why software cannot see this member; null when it can */
};

/* Fill in member `number` of a family, 0 to FAULT_NUMBERS - 1. False when that number has no member. */
typedef bool fault_family(unsigned number, struct fault_member *member);
#define FAULT_NUMBERS 512u
/* A family that is one expression; EVERY(name) in a row names it. */
#define FAMILY(name, ...) static SHARED_FAMILY(name, __VA_ARGS__)
#define SHARED_FAMILY(name, ...)                                          \
    bool nbpmu_fault_##name(unsigned number, struct fault_member *member) \
    {                                                                     \
        return __VA_ARGS__;                                               \
    }
#define EVERY(name) .family = nbpmu_fault_##name
/* A family with `per` members for each counter n, which strike there alone, and are numbered i; those exist
 * that meet the condition. The rest is what completes a member (below). */
#define FAMILY_OF_COUNTERS(name, per, condition, ...)                                                   \
    static bool nbpmu_fault_##name(unsigned number, struct fault_member *member)                        \
    {                                                                                                   \
        const unsigned n = number / (per), i = number % (per);                                          \
        member->fault.only = (uint8_t)(n + 1);                                                          \
        return n < PMC_COUNTERS && i < (per) && (condition) && nbpmu_fault_member(member, __VA_ARGS__); \
    }

/* Parts of a stage that a row can name instead of the whole stage, written as in sim/netburst/private.h. */
/* clang-format off */
/* What a counter, a CCCR or an ESCR holds instead of a value that is written. */
#define NBPMU_STAGE_counter_holds(S, ...) \
    S(uint64_t, counter_holds, (const struct nbpmu *pmu, unsigned n, uint64_t value), (pmu, n, value), __VA_ARGS__)
#define NBPMU_STAGE_cccr_holds(S, ...) \
    S(uint32_t, cccr_holds, (struct nbpmu *pmu, unsigned n, uint32_t now), (pmu, n, now), __VA_ARGS__)
#define NBPMU_STAGE_escr_holds(S, ...) \
    S(uint64_t, escr_holds, (struct nbpmu *pmu, int escr_index, uint64_t value), (pmu, escr_index, value), __VA_ARGS__)
/* The CCCR by which the stages of a counter act. */
#define NBPMU_STAGE_acts_by(S, ...) \
    S(uint32_t, acts_by, (const struct nbpmu *pmu, unsigned n, uint32_t cccr), (pmu, n, cccr), __VA_ARGS__)
/* What is done to a counter when something has happened to it, or to another counter. */
#define NBPMU_STAGE_then(S, ...) S(void, then, (struct nbpmu *pmu, unsigned n), (pmu, n), __VA_ARGS__)
/* Counter n is armed to be started by x. Does it not run, though it should? Does it, though it should not? */
#define NBPMU_STAGE_link_fails(S, ...) \
    S(bool, link_fails, (const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x), (pmu, n, link, x), \
      __VA_ARGS__)
#define NBPMU_STAGE_link_strays(S, ...) \
    S(bool, link_strays, (struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x), (pmu, n, link, x), \
      __VA_ARGS__)
/* Has x a value on which that depends? */
#define NBPMU_STAGE_links_at(S, ...) \
    S(bool, links_at, (const struct nbpmu *pmu, uint64_t value), (pmu, value), __VA_ARGS__)
/* The value by which an ESCR acts, and the event mask. */
#define NBPMU_STAGE_escr_acts_by(S, ...) \
    S(uint32_t, escr_acts_by, (const struct nbpmu *pmu, const struct nbpmu_escr *escr), (pmu, escr), __VA_ARGS__)
#define NBPMU_STAGE_mask(S, ...) \
    S(unsigned, mask, (const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned mask), (pmu, escr, mask), \
      __VA_ARGS__)
#define FAULT_PARTS(S) \
    NBPMU_STAGE_counter_holds(S) NBPMU_STAGE_cccr_holds(S) NBPMU_STAGE_escr_holds(S) NBPMU_STAGE_acts_by(S) \
    NBPMU_STAGE_then(S) NBPMU_STAGE_link_fails(S) NBPMU_STAGE_link_strays(S) NBPMU_STAGE_links_at(S) \
    NBPMU_STAGE_escr_acts_by(S) NBPMU_STAGE_mask(S)
/* clang-format on */

/* The function of a fault that is one expression: FAULT(filter, counts_twice, 2 * SOUND(filter)) defines
 * counts_twice(), in front of the stage `filter`, with the parameters of that stage, and `fault`. */
#define FAULT(stage, ...) NBPMU_STAGE_##stage(FAULT_FUNCTION, __VA_ARGS__)
#define FAULT_FUNCTION(type, stage, parameters, arguments, name, ...) \
    DEED_FUNCTION(type, stage, parameters, arguments, name, return __VA_ARGS__)

/* The same for a function that gives no value: DEED(overflow, is_lost, statements) defines is_lost(). */
#define DEED(stage, ...) NBPMU_STAGE_##stage(DEED_FUNCTION, __VA_ARGS__)
#define DEED_FUNCTION(type, stage, parameters, arguments, name, ...) \
    static inline type name parameters                               \
    {                                                                \
        const struct nbpmu_fault *const fault = fault_of(pmu);       \
        (void)fault;                                                 \
        __VA_ARGS__;                                                 \
    }

/* The same after the sound function, whose result is returned: AFTER(count, name, if (result) ...). */
#define AFTER(stage, ...) NBPMU_STAGE_##stage(AFTER_FUNCTION, __VA_ARGS__)
#define AFTER_FUNCTION(type, stage, parameters, arguments, name, ...)                                    \
    DEED_FUNCTION(type, stage, parameters, arguments, name, const type result = nbpmu_##stage arguments; \
                  __VA_ARGS__; return result)

/* The sound function of a stage, called with the parameters of the stage. */
#define SOUND(stage)                                        NBPMU_STAGE_##stage(SOUND_CALL, )
#define SOUND_CALL(type, stage, parameters, arguments, ...) nbpmu_##stage arguments

struct nbpmu_fault_row {
    const char *name, *rule, *text;
    enum fault_part part;
    uint8_t at, to;
    const char *unseen;           /* why software cannot see it; null when it can */
    fault_family *family;         /* of a row that stands for several faults */
    enum nbpmu_lvtpc_fault lvtpc; /* a fault of the local APIC */

    bool anywhere; /* its functions look themselves where they are, by at and to */

    /* The functions that deviate, by the stage that each wraps; null where the stage is sound. A stage of a
     * counter is sound, too, for counters at which the fault does not strike. */
    NBPMU_STAGES(NBPMU_STAGE_MEMBER)

    /* Parts of a stage. */
    FAULT_PARTS(NBPMU_STAGE_MEMBER)
    uint32_t dead, taken, beside; /* for acts_by(): bits that are dead, and bits that are taken for set,
                                     beside others (0: always) */
    uint16_t when;                /* for then(): enum fault_when, */
    uint32_t clears;              /* and bits of the CCCR that are cleared before it */
    bool of_x;                    /* where the fault strikes is said of x, not of n */
};

/* The rows, in the order of the rules; each array ends with a row without a name. */
extern const struct nbpmu_fault_row nbpmu_fault_registers[], nbpmu_fault_values[], nbpmu_fault_filters[],
    nbpmu_fault_in_flight[], nbpmu_fault_counts[], nbpmu_fault_cascades[], nbpmu_fault_pmis[],
    nbpmu_fault_reading[];

#define HT           .part = PART_HT
#define NO_HT        .part = PART_NO_HT
#define EXTENDED     .part = PART_EXTENDED
#define LVTPC(fault) .lvtpc = NBPMU_LVTPC_##fault
/* families.c: one fault for each counter, ESCR, pair ... */
fault_family nbpmu_fault_counter, nbpmu_fault_counter_of_several, nbpmu_fault_number_below_4,
    nbpmu_fault_next_counter, nbpmu_fault_beside, nbpmu_fault_counter_of_16, nbpmu_fault_escr,
    nbpmu_fault_held_escr, nbpmu_fault_next_escr;
/* One of these bits; one that is stuck; counter n, which does something to another one. */
bool nbpmu_fault_bit_of(unsigned number, uint64_t bits, struct fault_member *member);
bool nbpmu_fault_stuck_bit_of(unsigned number, uint64_t bits, struct fault_member *member);
bool nbpmu_fault_two_counters(unsigned n, unsigned other, struct fault_member *member);
/* Complete a member: its parameters, and its suffix. Always true. */
bool nbpmu_fault_member(struct fault_member *member, unsigned at, unsigned to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- A fault in a PMU ---- */

/* An act that lasts: has it been drawn whether the fault strikes, and does it? */
struct act {
    bool drawn, struck;
    bool sound; /* of a run: the latest sound result */
};

/* What rate.c keeps of a fault that strikes now and then. */
struct rate {
    /* the table of the PMU; and those of the trials, without the fault and with it */
    struct nbpmu_stages rated, sound, tried;
    bool by_escr;     /* the windows of the fault are those of ESCRs */
    bool asked_again; /* LVTPC was unmasked, and the requests that stand are looked at (R49) */
    uint64_t acts, struck;
    struct act window[PMC_COUNTERS], escr[ESCR_INDICES], pmi[PMC_COUNTERS], run[PMC_COUNTERS];
    struct act link[PMC_COUNTERS][LINKS];
};

/* What a composed fault remembers of a counter, or of an ESCR (acts.c, compose.c). */
struct life {
    struct act act;
    uint32_t acts; /* since its CCCR was 0 */
    bool happened; /* the event of the fault's history, since its CCCR was 0 */
    bool by_lp1;   /* LP1 wrote its CCCR last */
    bool was_read; /* since its CCCR was written */
    bool waits;    /* for something that comes late, */
    unsigned left; /* after so many counts */
    uint32_t kept; /* the CCCR as it was when it was enabled, or how many logical processors were active */
    bool knows_kept;
    bool is_put_off; /* the PMI that is due, by one count */
    uint64_t loaded; /* the value that was written */
};

struct composed {
    uint64_t acts, struck;
    bool asked_again; /* LVTPC was unmasked, and the requests that stand are looked at (R49) */
    struct life at[PMC_COUNTERS + ESCR_INDICES];
};

/* Member `defects` of a PMU with a fault. */
struct defects {
    struct nbpmu_fault fault;
    struct nbpmu_stages stages;
    struct rate rate;
    struct composed composed;
    /* in the clock that passes: */
    uint32_t overflowing; /* counters that have overflowed, */
    unsigned raised;      /* logical processors that have got a PMI */
    /* what the fault's functions note of a counter, of an ESCR, of all */
    uint64_t counter[PMC_COUNTERS];
    uint32_t escr[ESCR_INDICES];
    uint64_t noted;
};

static inline struct defects *defects_of(const struct nbpmu *pmu)
{
    return pmu->defects;
}

static inline const struct nbpmu_fault *fault_of(const struct nbpmu *pmu)
{
    return &defects_of(pmu)->fault;
}

static inline uint64_t *noted_of(const struct nbpmu *pmu, unsigned n)
{
    return &defects_of(pmu)->counter[n];
}

/* double.c: does the condition of a double fault hold for counter n now? Does it depend on a counter's sign?
 */
bool nbpmu_fault_strikes_while(const struct nbpmu *pmu, unsigned n);
bool nbpmu_fault_follows_sign(const struct nbpmu_fault *fault);

/* Does another counter wait for the overflow of counter n? */
bool nbpmu_fault_awaits(const struct nbpmu *pmu, unsigned n);

/* The next double fault, a row of the catalogue while a condition holds; *number is 0 at first. */
struct fault_double {
    const char *row, *row_text;
    uint8_t condition; /* member `condition` of the fault; its name, and the condition in words */
    const char *name, *text;
    enum fault_part part;
};
bool nbpmu_fault_double(unsigned *number, struct fault_double *found);

/* Does the fault strike counter n now? */
static inline bool strikes(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    return fault->condition ? nbpmu_fault_strikes_while(pmu, n) : !fault->only || fault->only == n + 1;
}

/* Has the CCCR of counter n one of these bits? */
static inline bool has_bits(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return pmu->counter[n].cccr & bits;
}

/* A CCCR that has this field of another one. */
static inline uint32_t with_field(uint32_t cccr, uint32_t field, uint32_t other)
{
    return (cccr & ~field) | (other & field);
}

static inline bool has_full_mask(uint64_t escr)
{
    return (~escr & ESCR_EVENT_MASK_MASK) == 0;
}

/* The ESCR that counter n selects; when there is none, one that is all zero. */
static inline struct nbpmu_escr escr_of(const struct nbpmu *pmu, unsigned n)
{
    const int escr_index = pmu->counter[n].escr_index;
    const struct nbpmu_escr none = {0};
    return escr_index == NO_ESCR ? none : pmu->escr[escr_index];
}

/* The counter other than n that its fault strikes. */
static inline struct nbpmu_counter *other_of(struct nbpmu *pmu)
{
    return &pmu->counter[fault_of(pmu)->other - 1];
}

/* stages.c: the CCCR by which counter n acts. */
uint32_t nbpmu_fault_acting_cccr(const struct nbpmu *pmu, unsigned n);
/* rate.c: make the table of a fault that strikes once in so many acts, out of the one in defects->stages. */
const struct nbpmu_stages *nbpmu_fault_rated(struct defects *defects);
/* counts.c: counter n overflows. Did that set OVF? E9 may have kept it clear. */
bool nbpmu_fault_sets_ovf(struct nbpmu *pmu, unsigned n);
/* pmis.c: a count of a counter whose PMI is due, which raises it one count later. */
unsigned nbpmu_fault_count_late(struct nbpmu *pmu, unsigned n, unsigned increment);

/* ---- What several faults do to a counter ---- */

DEED(then, clears_it, pmu->counter[n].value = 0)
DEED(then, takes_count, pmu->counter[n].value = (pmu->counter[n].value - 1) & COUNTER_MASK)
DEED(then, disables, pmu->counter[n].cccr &= ~CCCR_ENABLE; pmu->stale = true)
DEED(then, restarts_edge, pmu->counter[n].previous = false)
DEED(then, ends_request, pmu->counter[n].request = REQUEST_NONE; pmu->counter[n].raised = false)
DEED(then, clears_escrs, nbpmu_clear_escrs(pmu))

/* Up to one count before the overflow. */
FAULT(distance, to_one_early, SOUND(distance) - (SOUND(distance) > 0))

/* What was noted is forgotten when the CCCR is written without ENABLE, or 0. */
FAULT(cccr_holds, forgets_when_disabled, *noted_of(pmu, n) *= (now & CCCR_ENABLE) != 0, now)
FAULT(cccr_holds, forgets_at_0, *noted_of(pmu, n) *= now != 0, now)

/* Does the next count of counter n raise its PMI? */
static inline bool is_due(const struct nbpmu *pmu, unsigned n)
{
    return pmu->counter[n].request == REQUEST_NEXT_COUNT;
}

static inline bool is_forced(const struct nbpmu *pmu, unsigned n)
{
    return has_bits(pmu, n, CCCR_FORCE_OVF);
}

/* The rows of what clears registers that it should not touch. */
/* clang-format off */
#define CLEARS(name, rule, text, event, needs, ...) {name, rule, text, .part = needs, .when = event, __VA_ARGS__}
#define CLEARS_ALL(name, rule, text, event, needs) \
    CLEARS(name "counters", rule, text "clears the counters", event, needs, .then = clears_it), \
    CLEARS(name "cccrs", rule, text "clears the CCCRs", event, needs, .clears = UINT32_MAX), \
    CLEARS(name "escrs", rule, text "clears the ESCRs", event, needs, .then = clears_escrs), \
    CLEARS(name "ovf", rule, text "clears OVF of every counter", event, needs, .clears = CCCR_OVF), \
    CLEARS(name "enable", rule, text "clears ENABLE of every counter", event, needs, .clears = CCCR_ENABLE), \
    CLEARS(name "cascade", rule, text "clears CASCADE of every counter", event, needs, .clears = CCCR_CASCADE), \
    CLEARS(name "bit-11", rule, text "clears bit 11 of every CCCR", event, needs == PART_ANY ? PART_EXTENDED : needs, \
           .clears = CCCR_CASCNT), \
    CLEARS(name "requests", rule, text "ends the PMI requests", event, needs, .then = ends_request)
/* clang-format on */

#endif
