/*
 * Faults of a counter whose registers are written, or that is read, while it counts (R7, R12, R17, R18, R22,
 * R23, R31, R38, R45 to R47).
 */
#include "faults.h"

/* Fields of a CCCR; and how a counter is stopped: by its ESCR's flags for CPL 0, for the others, by the mask;
 * or by ENABLE. */
static const struct {
    const char *name;
    uint32_t bits;
} CCCR_FIELD[] = {{"select", CCCR_ESCR_SELECT_MASK},  {"active", CCCR_ACTIVE_MASK},
                  {"compare", CCCR_COMPARE},          {"complement", CCCR_COMPLEMENT},
                  {"threshold", CCCR_THRESHOLD_MASK}, {"edge", CCCR_EDGE},
                  {"force", CCCR_FORCE_OVF},          {"pmi", CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1}};
enum { STOP_BY_OS, STOP_BY_USR, STOP_BY_MASK, STOP_BY_ENABLE, STOPS };
static const char *const STOP[STOPS] = {"os", "usr", "mask", "enable"};

/* ---- Families ---- */

/* Two fields of the CCCR for each counter, and other fields for the next counter. */
static bool nbpmu_fault_counter_field(unsigned number, struct fault_member *member)
{
    const unsigned n = number / 2, field = (3 * n + number % 2 * 4) % COUNT_OF(CCCR_FIELD);
    member->fault.only = (uint8_t)(n + 1);
    if (CCCR_FIELD[field].bits == CCCR_ACTIVE_MASK)
        member->fault.needs = PART_HT;
    return n < PMC_COUNTERS && nbpmu_fault_member(member, n, field, "-%u-%s", n, CCCR_FIELD[field].name);
}

/* The ESCRs that can select several events known to the image. */
static bool nbpmu_fault_counting_escr(unsigned number, struct fault_member *member)
{
    static const struct {
        const char *name;
        uint32_t msr;
    } escr[] = {{"fsb", MSR_FSB_ESCR0},   {"tbpu", MSR_TBPU_ESCR0}, {"ms", MSR_MS_ESCR0},
                {"saat", MSR_SAAT_ESCR0}, {"firm", MSR_FIRM_ESCR0}, {"cru01", MSR_CRU_ESCR0},
                {"cru23", MSR_CRU_ESCR2}};
    const unsigned pair = number / 2, side = number % 2;
    if (pair >= COUNT_OF(escr) || (member->fault.row->beside == ESCR_EVENT_MASK_MASK &&
                                   escr[pair].msr == MSR_FIRM_ESCR0)) /* ALL is its only mask bit */
        return false;
    return nbpmu_fault_member(member, ESCR_INDEX(escr[pair].msr) + side, 0, "-%s-%u", escr[pair].name, side);
}

/* Each thing that may happen while a PMI is due, on each counter. */
static bool nbpmu_fault_meanwhile(unsigned number, struct fault_member *member)
{
    static const struct {
        const char *name;
        uint16_t when;
    } what[] = {{"rdmsr", RDMSR_BY_LP0},     {"rdpmc", RDPMC_FULL}, {"rdpmc-fast", RDPMC_SHORT},
                {"cccr-read", CCCR_READ},    {"write", WRITTEN},    {"cccr-write", CCCR_WRITTEN},
                {"compare-on", COMPARE_SET}, {"hlt", HALTS},        {"lp1-read", RDMSR_BY_LP1}};
    const unsigned n = number / COUNT_OF(what), i = number % COUNT_OF(what);
    member->fault.only = (uint8_t)(n + 1);
    member->fault.when = what[i].when;
    member->fault.needs = what[i].when & (HALTS | RDMSR_BY_LP1) ? PART_HT : PART_ANY;
    return n < PMC_COUNTERS && nbpmu_fault_member(member, n, 0, "-%u-%s", n, what[i].name);
}

/* Every way to stop each counter. */
FAMILY_OF_COUNTERS(stop, STOPS, true, n, i, "-%u-%s", n, STOP[i])
FAMILY(stop_by_flags, number % STOPS <= STOP_BY_USR && nbpmu_fault_stop(number, member))

/* ---- A CCCR: a field is held (the row has it in `beside`), or its change does something ---- */

static bool is_enabled_by(const struct nbpmu *pmu, unsigned n, uint32_t now)
{
    return !(pmu->counter[n].cccr & now & CCCR_ENABLE);
}

static bool field_changes(const struct nbpmu *pmu, unsigned n, uint32_t now)
{
    return !is_enabled_by(pmu, n, now) && ((pmu->counter[n].cccr ^ now) & CCCR_FIELD[fault_of(pmu)->to].bits);
}

FAULT(cccr_holds, as_enabled, *noted_of(pmu, n) = is_enabled_by(pmu, n, now) ? now : *noted_of(pmu, n), now)
FAULT(acts_by, field_held, with_field(cccr, fault->row->beside, *noted_of(pmu, n)))
FAULT(cccr_holds, notes_change,
      *noted_of(pmu, n) = field_changes(pmu, n, now) || (*noted_of(pmu, n) && !is_enabled_by(pmu, n, now)),
      now)
FAULT(counts, halted_by_change, SOUND(counts) && !*noted_of(pmu, n))
FAULT(cccr_holds, change_costs_count, field_changes(pmu, n, now) ? takes_count(pmu, n) : (void)0, now)
/* By R38 a counter halts when ENABLE is cleared, whatever else its CCCR has. */
FAULT(counts, halt_needs_clear,
      SOUND(counts) || ((pmu->running >> n & 1) && (pmu->counter[n].cccr & CCCR_FIELD[fault->to].bits)))

/* ---- An ESCR: one field keeps its value when the ESCR goes from one event to another ---- */

/* The value that the fault keeps, by which the ESCR acts. */
static uint32_t *kept_of(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return &defects_of(pmu)->escr[escr - pmu->escr];
}

static uint32_t field_of_escr_held(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    static const uint32_t fields[] = {ESCR_SELECT_MASK, ESCR_EVENT_MASK_MASK, ESCR_CPL_MASK};
    uint32_t *kept = kept_of(pmu, escr);
    bool held = escr - pmu->escr == fault_of(pmu)->at;
    for (unsigned i = 0; i < COUNT_OF(fields); i++)
        held = held && (*kept & fields[i]) && (escr->value & fields[i]);
    const uint32_t field = held ? fault_of(pmu)->row->beside : 0;
    return *kept = (escr->value & ~field) | (*kept & field);
}

/* When a write cleared the flags, or the mask, and nothing else, what stops nothing stays. */
static uint32_t stop_fails(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    static const uint32_t cleared[STOPS] = {ESCR_CPL_MASK, ESCR_CPL_MASK, ESCR_EVENT_MASK_MASK, 0};
    static const uint32_t stays[STOPS] = {ESCR_T0_OS | ESCR_T1_OS, ESCR_T0_USR | ESCR_T1_USR,
                                          ESCR_EVENT_MASK_MASK, 0};
    uint32_t *kept = kept_of(pmu, escr);
    const unsigned stop = fault_of(pmu)->to;
    return *kept = escr->value | (escr->value == (*kept & ~cleared[stop]) ? *kept & stays[stop] : 0);
}

static bool kept_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    struct nbpmu_escr kept = *escr;
    if (escr >= pmu->escr && escr < pmu->escr + ESCR_INDICES)
        kept.value = *kept_of(pmu, escr);
    return nbpmu_clock_qualifies(pmu, &kept);
}

/* The ESCR of counter n was stopped, and acts as if it were not. */
static bool escr_goes_on(const struct nbpmu *pmu, unsigned n)
{
    const int escr = pmu->counter[n].escr_index;
    return escr != NO_ESCR && defects_of(pmu)->escr[escr] != pmu->escr[escr].value;
}

/* The fault is one counter's: the others of its ESCR get nothing. */
FAULT(value, value_for_one, escr_goes_on(pmu, n) && fault->at != n ? 0 : SOUND(value))

/* ---- A PMI that is due (R46, R47) ---- */

DEED(then, loses_due, if (is_due(pmu, n)) pmu->counter[n].request = REQUEST_NONE)
DEED(then, puts_off_due, *noted_of(pmu, n) |= is_due(pmu, n))

static unsigned due_later(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool late = *noted_of(pmu, n) && is_due(pmu, n);
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

FAULT(counts, for_pmi, SOUND(counts) || (fault->to == STOP_BY_ENABLE && is_stopped(pmu, n) && is_due(pmu, n)))

/* An event raises the PMI that is due, and does no more than that. */
static unsigned pmi_alone(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool due = is_due(pmu, n);
    if (!is_stopped(pmu, n))
        return nbpmu_count(pmu, n, increment);
    pmu->stale = pmu->changed = pmu->stale || due;
    return due ? nbpmu_raise_pmi(pmu, n) : 0;
}

/* clang-format off */
#define HELD(name, rule, field, needs, bits) \
    {"held-" name, rule, "this counter keeps " field " as it was when it was enabled", .part = needs, \
     EVERY(counter), .beside = bits, .cccr_holds = as_enabled, .acts_by = field_held}
#define ESCR_HELD(name, rule, field, bits) \
    {"escr-held-" name, rule, "this ESCR keeps its " field " when it goes from one event to another", \
     EVERY(counting_escr), .beside = bits, .escr_acts_by = field_of_escr_held, .clock_qualifies = kept_qualifies}

#define STOP_FAILS \
    .anywhere = true, .escr_acts_by = stop_fails, .clock_qualifies = kept_qualifies, .value = value_for_one

const struct nbpmu_fault_row nbpmu_fault_in_flight[] = {
    HELD("select", "R17", "its ESCR select", PART_ANY, CCCR_ESCR_SELECT_MASK),
    HELD("active", "R18", "ACTIVE_THREAD", PART_HT, CCCR_ACTIVE_MASK),
    HELD("compare", "R22", "COMPARE", PART_ANY, CCCR_COMPARE),
    HELD("complement", "R22", "COMPLEMENT", PART_ANY, CCCR_COMPLEMENT),
    HELD("threshold", "R22", "THRESHOLD", PART_ANY, CCCR_THRESHOLD_MASK),
    HELD("edge", "R23", "EDGE", PART_ANY, CCCR_EDGE),
    HELD("force", "R31", "FORCE_OVF", PART_ANY, CCCR_FORCE_OVF),
    HELD("pmi", "R45", "OVF_PMI", PART_ANY, CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1),
    {"change-halts", "R38", "this counter halts when a field of its CCCR changes", EVERY(counter_field),
     .cccr_holds = notes_change, .counts = halted_by_change},
    {"change-costs-count", "R32", "this counter loses a count when a field of its CCCR changes while it runs",
     EVERY(counter_field), .cccr_holds = change_costs_count},
    {"halt-needs-clear", "R38", "this counter counts on without ENABLE, as long as a field of its CCCR is set",
     EVERY(counter_field), .counts = halt_needs_clear},
    ESCR_HELD("event", "R7", "event select", ESCR_SELECT_MASK),
    ESCR_HELD("mask", "R7", "mask", ESCR_EVENT_MASK_MASK),
    ESCR_HELD("flags", "R12", "four flags", ESCR_CPL_MASK),
    {"flags-stop-not", "R12",
     "this counter counts on at CPL 0, or above it, when its ESCR loses its flags and nothing else",
     EVERY(stop_by_flags), STOP_FAILS},
    {"mask-stops-not", "R7", "this counter counts on when its ESCR loses its mask and nothing else", EVERY(counter),
     .to = STOP_BY_MASK, STOP_FAILS},
    {"stopped-pmi", "R47", "this counter, stopped while its PMI is due, raises it with an event that it does not count",
     EVERY(stop), STOP_FAILS, .counts = for_pmi, .count = pmi_alone},
    {"due-later", "R46",
     "this counter raises the PMI that is due one count late, by what happens before the next count", EVERY(meanwhile),
     .then = puts_off_due, .count = due_later},
    {"due-lost", "R46", "this counter loses the PMI that is due, by what happens before the next count",
     EVERY(meanwhile), .then = loses_due},
    {.name = NULL},
};
