/*
 * Faults of a counter whose registers are written, or that is read, while it counts (R7, R12, R17, R18, R22,
 * R23, R31, R38, R45 to R47).
 */
#include "faults.h"

/* Fields of a CCCR, of an ESCR; and how a counter is stopped: by its ESCR's flags for CPL 0, for the others,
 * by the mask; or by ENABLE. */
enum {
    FIELD_SELECT,
    FIELD_ACTIVE,
    FIELD_COMPARE,
    FIELD_COMPLEMENT,
    FIELD_THRESHOLD,
    FIELD_EDGE,
    FIELD_FORCE,
    FIELD_PMI,
    FIELDS
};
enum { HELD_EVENT, HELD_MASK, HELD_FLAGS };
enum { STOP_BY_OS, STOP_BY_USR, STOP_BY_MASK, STOP_BY_ENABLE, STOPS };

static const struct {
    const char *name;
    uint32_t bits;
} CCCR_FIELD[FIELDS] = {
    [FIELD_SELECT] = {"select", CCCR_ESCR_SELECT_MASK},
    [FIELD_ACTIVE] = {"active", CCCR_ACTIVE_MASK},
    [FIELD_COMPARE] = {"compare", CCCR_COMPARE},
    [FIELD_COMPLEMENT] = {"complement", CCCR_COMPLEMENT},
    [FIELD_THRESHOLD] = {"threshold", CCCR_THRESHOLD_MASK},
    [FIELD_EDGE] = {"edge", CCCR_EDGE},
    [FIELD_FORCE] = {"force", CCCR_FORCE_OVF},
    [FIELD_PMI] = {"pmi", CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1},
};

/* ---- Families ---- */

/* Two fields of the CCCR for each counter, and other fields for the next counter. */
static bool every_counter_field(unsigned number, struct fault_member *member)
{
    const unsigned n = number / 2, field = (3 * n + number % 2 * 4) % FIELDS;
    member->fault.only = (uint8_t)(n + 1);
    if (field == FIELD_ACTIVE)
        member->fault.needs = PART_HT;
    return n < PMC_COUNTERS && nbpmu_fault_member(member, n, field, "-%u-%s", n, CCCR_FIELD[field].name);
}

/* The ESCRs that can select several events known to the image. */
static bool every_counting_escr(unsigned number, struct fault_member *member)
{
    static const struct {
        const char *name;
        uint32_t msr;
    } escr[] = {{"fsb", MSR_FSB_ESCR0},   {"tbpu", MSR_TBPU_ESCR0}, {"ms", MSR_MS_ESCR0},
                {"saat", MSR_SAAT_ESCR0}, {"firm", MSR_FIRM_ESCR0}, {"cru01", MSR_CRU_ESCR0},
                {"cru23", MSR_CRU_ESCR2}};
    const unsigned pair = number / 2, to = member->fault.to;
    if (pair >= COUNT_OF(escr) ||
        (to == HELD_MASK && escr[pair].msr == MSR_FIRM_ESCR0)) /* ALL is its only mask bit */
        return false;
    return nbpmu_fault_member(member, (unsigned)ESCR_INDEX(escr[pair].msr) + number % 2, to, "-%s-%u",
                              escr[pair].name, number % 2);
}

/* Each thing that may happen while a PMI is due, on each counter. */
static bool every_meanwhile(unsigned number, struct fault_member *member)
{
    static const struct {
        const char *name;
        uint16_t when;
        enum fault_part part;
    } what[] = {{"rdmsr", RDMSR_BY_LP0, PART_ANY},     {"rdpmc", RDPMC_FULL, PART_ANY},
                {"rdpmc-fast", RDPMC_SHORT, PART_ANY}, {"cccr-read", CCCR_READ, PART_ANY},
                {"write", WRITTEN, PART_ANY},          {"cccr-write", CCCR_WRITTEN, PART_ANY},
                {"compare-on", COMPARE_SET, PART_ANY}, {"hlt", HALTS, PART_HT},
                {"lp1-read", RDMSR_BY_LP1, PART_HT}};
    const unsigned n = number / COUNT_OF(what), i = number % COUNT_OF(what);
    member->fault.only = (uint8_t)(n + 1);
    member->fault.when = what[i].when;
    member->fault.needs = (uint8_t)what[i].part;
    return n < PMC_COUNTERS && nbpmu_fault_member(member, n, 0, "-%u-%s", n, what[i].name);
}

/* Every way to stop each counter. */
static bool every_stop(unsigned number, struct fault_member *member)
{
    static const char *const names[STOPS] = {"os", "usr", "mask", "enable"};
    const unsigned n = number / STOPS, stop = number % STOPS;
    return n < PMC_COUNTERS && nbpmu_fault_member(member, n, stop, "-%u-%s", n, names[stop]);
}

FAMILY(every_stop_by_flags, number % STOPS <= STOP_BY_USR && every_stop(number, member))

/* ---- A CCCR: a field is held, or its change does something ---- */

static bool is_enabled_by(const struct nbpmu *pmu, unsigned n, uint32_t now)
{
    return !(pmu->counter[n].cccr & now & CCCR_ENABLE);
}

static bool field_changes(const struct nbpmu *pmu, unsigned n, uint32_t now)
{
    return (pmu->counter[n].cccr ^ now) & CCCR_FIELD[fault_of(pmu)->to].bits;
}

static uint32_t notes_as_enabled(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    if (is_enabled_by(pmu, n, now))
        *noted_of(pmu, n) = now;
    return now;
}

static uint32_t field_held(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const uint32_t field = CCCR_FIELD[fault_of(pmu)->to].bits;
    return (cccr & ~field) | ((uint32_t)*noted_of(pmu, n) & field);
}

static uint32_t notes_change(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    *noted_of(pmu, n) = !is_enabled_by(pmu, n, now) && (*noted_of(pmu, n) || field_changes(pmu, n, now));
    return now;
}

FAULT(counts, halted_by_change, nbpmu_counts(pmu, n) && !*noted_of(pmu, n))

static uint32_t change_costs_count(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    if (!is_enabled_by(pmu, n, now) && field_changes(pmu, n, now))
        takes_count(pmu, n);
    return now;
}

/* By R38 a counter halts when ENABLE is cleared, whatever else its CCCR has. */
FAULT(counts, halt_needs_clear,
      nbpmu_counts(pmu, n) ||
          ((pmu->running >> n & 1) && (pmu->counter[n].cccr & CCCR_FIELD[fault_of(pmu)->to].bits)))

/* ---- An ESCR: one field keeps its value when the ESCR goes from one event to another ---- */

/* The ESCR acts by a value that the fault keeps. */
static void decode_kept(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const uint32_t value = escr->value;
    escr->value = defects_of(pmu)->escr[ESCR_INDEX(msr)];
    nbpmu_decode_escr(pmu, escr, msr);
    escr->value = value;
}

static void field_of_escr_held(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    static const uint32_t fields[] = {ESCR_SELECT_MASK, ESCR_EVENT_MASK_MASK, ESCR_CPL_MASK};
    uint32_t *kept = &defects_of(pmu)->escr[ESCR_INDEX(msr)];
    bool held = ESCR_INDEX(msr) == fault_of(pmu)->at;
    for (unsigned i = 0; i < COUNT_OF(fields); i++)
        held = held && (*kept & fields[i]) && (escr->value & fields[i]);
    const uint32_t field = held ? fields[fault_of(pmu)->to] : 0;
    *kept = (escr->value & ~field) | (*kept & field);
    decode_kept(pmu, escr, msr);
}

/* When a write cleared the flags, or the mask, and nothing else, what stops nothing stays. */
static void stop_fails(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    static const uint32_t cleared[STOPS] = {ESCR_CPL_MASK, ESCR_CPL_MASK, ESCR_EVENT_MASK_MASK, 0};
    static const uint32_t stays[STOPS] = {ESCR_T0_OS | ESCR_T1_OS, ESCR_T0_USR | ESCR_T1_USR,
                                          ESCR_EVENT_MASK_MASK, 0};
    uint32_t *kept = &defects_of(pmu)->escr[ESCR_INDEX(msr)];
    const unsigned stop = fault_of(pmu)->to;
    *kept = escr->value | (escr->value == (*kept & ~cleared[stop]) ? *kept & stays[stop] : 0);
    decode_kept(pmu, escr, msr);
}

static bool kept_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    struct nbpmu_escr kept = *escr;
    kept.value = escr >= pmu->escr && escr < pmu->escr + ESCR_INDICES
                     ? defects_of(pmu)->escr[escr - pmu->escr]
                     : escr->value;
    return nbpmu_clock_qualifies(pmu, &kept);
}

/* The ESCR of counter n was stopped, and acts as if it were not. */
static bool escr_goes_on(const struct nbpmu *pmu, unsigned n)
{
    const int escr = pmu->counter[n].escr_index;
    return escr != NO_ESCR && defects_of(pmu)->escr[escr] != pmu->escr[escr].value;
}

/* The fault is one counter's: the others of its ESCR get nothing. */
FAULT(value, value_for_one, escr_goes_on(pmu, n) && fault_of(pmu)->at != n ? 0 : nbpmu_value(pmu, n))

/* ---- A PMI that is due (R46, R47) ---- */

DEED(then, loses_due,
     if (pmu->counter[n].request == REQUEST_NEXT_COUNT) pmu->counter[n].request = REQUEST_NONE)

DEED(then, puts_off_due, *noted_of(pmu, n) |= pmu->counter[n].request == REQUEST_NEXT_COUNT)

static unsigned due_later(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool late = *noted_of(pmu, n) && counter->request == REQUEST_NEXT_COUNT;
    *noted_of(pmu, n) = false;
    return late ? nbpmu_fault_count_late(pmu, n, increment) : nbpmu_count(pmu, n, increment);
}

/* Is counter n, which the fault strikes, stopped in the fault's way? */
static bool is_stopped(const struct nbpmu *pmu, unsigned n)
{
    const bool by_enable = fault_of(pmu)->to == STOP_BY_ENABLE;
    return fault_of(pmu)->at == n &&
           (by_enable ? !(pmu->counter[n].cccr & CCCR_ENABLE) : escr_goes_on(pmu, n));
}

FAULT(counts, runs_for_pmi,
      nbpmu_counts(pmu, n) || (fault_of(pmu)->to == STOP_BY_ENABLE && is_stopped(pmu, n) &&
                               pmu->counter[n].request == REQUEST_NEXT_COUNT))

/* An event raises the PMI that is due, and does no more than that. */
static unsigned pmi_alone(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool due = pmu->counter[n].request == REQUEST_NEXT_COUNT;
    if (!is_stopped(pmu, n))
        return nbpmu_count(pmu, n, increment);
    pmu->stale = pmu->changed = pmu->stale || due;
    return due ? nbpmu_raise_pmi(pmu, n) : 0;
}

/* clang-format off */
#define HELD(name, rule, field, needs, number) \
    {"held-" name, rule, "this counter keeps " field " as it was when it was enabled", .part = needs, EVERY_CLOCK, \
     EVERY(counter), .to = number, .cccr_holds = notes_as_enabled, .acts_by = field_held}

#define ESCR_HELD(name, rule, field, number) \
    {"escr-held-" name, rule, "this ESCR keeps its " field " when it goes from one event to another", EVERY_CLOCK, \
     .family = every_counting_escr, .to = number, .decode_escr = field_of_escr_held, .clock_qualifies = kept_qualifies}

const struct nbpmu_fault_row nbpmu_fault_in_flight[] = {
    HELD("select", "R17", "its ESCR select", PART_ANY, FIELD_SELECT),
    HELD("active", "R18", "ACTIVE_THREAD", PART_HT, FIELD_ACTIVE),
    HELD("compare", "R22", "COMPARE", PART_ANY, FIELD_COMPARE),
    HELD("complement", "R22", "COMPLEMENT", PART_ANY, FIELD_COMPLEMENT),
    HELD("threshold", "R22", "THRESHOLD", PART_ANY, FIELD_THRESHOLD),
    HELD("edge", "R23", "EDGE", PART_ANY, FIELD_EDGE),
    HELD("force", "R31", "FORCE_OVF", PART_ANY, FIELD_FORCE),
    HELD("pmi", "R45", "OVF_PMI", PART_ANY, FIELD_PMI),
    {"change-halts", "R38", "this counter halts when a field of its CCCR changes",
     .family = every_counter_field, EVERY_CLOCK, .cccr_holds = notes_change, .counts = halted_by_change},
    {"change-costs-count", "R32", "this counter loses a count when a field of its CCCR changes while it runs",
     .family = every_counter_field, .cccr_holds = change_costs_count},
    {"halt-needs-clear", "R38",
     "this counter counts on without ENABLE, as long as a field of its CCCR is set",
     .family = every_counter_field, EVERY_CLOCK, .counts = halt_needs_clear},
    ESCR_HELD("event", "R7", "event select", HELD_EVENT),
    ESCR_HELD("mask", "R7", "mask", HELD_MASK),
    ESCR_HELD("flags", "R12", "four flags", HELD_FLAGS),
    {"flags-stop-not", "R12",
     "this counter counts on at CPL 0, or above it, when its ESCR loses its flags and nothing else",
     .family = every_stop_by_flags, EVERY_CLOCK, .decode_escr = stop_fails, .clock_qualifies = kept_qualifies,
     .value = value_for_one, .anywhere = true},
    {"mask-stops-not", "R7", "this counter counts on when its ESCR loses its mask and nothing else",
     EVERY(counter), .to = STOP_BY_MASK, EVERY_CLOCK, .decode_escr = stop_fails, .clock_qualifies = kept_qualifies,
     .value = value_for_one, .anywhere = true},
    {"stopped-pmi", "R47",
     "this counter, stopped while its PMI is due, raises it with an event that it does not count",
     .family = every_stop, EVERY_CLOCK, .decode_escr = stop_fails, .clock_qualifies = kept_qualifies,
     .value = value_for_one, .counts = runs_for_pmi, .count = pmi_alone},
    {"due-later", "R46",
     "this counter raises the PMI that is due one count late, by what happens before the next count",
     .family = every_meanwhile, .then = puts_off_due, .count = due_later},
    {"due-lost", "R46", "this counter loses the PMI that is due, by what happens before the next count",
     .family = every_meanwhile, .then = loses_due},
    {.name = NULL},
};
/* clang-format on */
