/*
 * Faults of the route from ESCR to counter (R17), of the gate (R18), and of the filter (R16, R21 to R26).
 */
#include "faults.h"

/* ---- Families ---- */

#define ESCR_SELECTS 8

static bool every_route(unsigned number, struct fault_member *member)
{
    const unsigned n = number % PMC_COUNTERS, select = number / PMC_COUNTERS;
    const uint32_t msr = nbpmu_escr_route(n, select);
    if (select >= ESCR_SELECTS || !msr)
        return false;
    nbpmu_fault_escr((unsigned)ESCR_INDEX(msr), member); /* why it may be unseen */
    if (n == 1 && msr == MSR_FSB_ESCR0)
        member->unseen = "a counter 1 that counts no clocks is taken for dead (E4)";
    member->fault.only = (uint8_t)(n + 1);
    return nbpmu_fault_member(member, n, select, "-%u-%s", n, nbpmu_escr_name(msr));
}

static bool every_active_cell(unsigned number, struct fault_member *member)
{
    const unsigned field = number / (NBPMU_LPS + 1), active = number % (NBPMU_LPS + 1);
    if (active == 0)
        member->unseen = "counters are powered down while every logical processor is halted (R20, R42)";
    return field < 4 && nbpmu_fault_member(member, field, active, "-%u-active-%u", field, active);
}

FAMILY(every_threshold_below_15, number < 15 && nbpmu_fault_member(member, number, 0, "-%u", number))

static bool bit_of_counter(unsigned n, unsigned bit, struct fault_member *member)
{
    return n < PMC_COUNTERS && nbpmu_fault_member(at_counter(member, n), n, bit, "-%u-bit-%u", n, bit);
}

FAMILY(every_threshold_bit, bit_of_counter(number / 4, number % 4, member))
FAMILY(every_threshold_of_a_bit, bit_of_counter(number, number % 4, member))

/* Two counters that can have one ESCR: the pairs, 16 with 12, and 17 with 14. */
static bool every_twins(unsigned number, struct fault_member *member)
{
    const unsigned first = number < 8 ? 2 * number : 8 + number;
    const unsigned second = number < 8 ? first + 1 : 2 * number - 4;
    member->fault.only = (uint8_t)(first + 1);
    member->fault.other = (uint8_t)(second + 1);
    return number < 10 && nbpmu_fault_member(member, first, second, "-%u-%u", first, second);
}

/* ---- The route ---- */

static uint32_t select_off(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const unsigned select = ((unsigned)CCCR_GET_ESCR_SELECT(cccr) + 1) % ESCR_SELECTS;
    return (uint32_t)((cccr & ~CCCR_ESCR_SELECT_MASK) | CCCR_ESCR_SELECT(select));
}

static uint32_t select_of_pair(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const uint32_t pair = pmu->counter[n ^ 1].cccr;
    return pair ? (uint32_t)((cccr & ~CCCR_ESCR_SELECT_MASK) | (pair & CCCR_ESCR_SELECT_MASK)) : cccr;
}

FAULT(route, escr_unreached, nbpmu_route(pmu, n) == ESCR_MSR(fault_of(pmu)->at) ? 0 : nbpmu_route(pmu, n))

FAULT(route, route_missing,
      nbpmu_route(pmu, n) == nbpmu_escr_route(n, fault_of(pmu)->to) ? 0 : nbpmu_route(pmu, n))

static uint32_t routes_twin(struct nbpmu *pmu, unsigned n)
{
    const uint32_t msr = nbpmu_route(pmu, n);
    return msr && nbpmu_escr_exists(msr ^ 1) ? msr ^ 1 : msr;
}

/* ---- ACTIVE_THREAD ---- */

/* What the fault has noted of a counter is forgotten when the counter starts. */
static bool forgets_at_start(struct nbpmu *pmu, unsigned n)
{
    const bool runs = nbpmu_counts(pmu, n);
    if (runs && !(pmu->running >> n & 1))
        *noted_of(pmu, n) = 0;
    return runs;
}

static bool gate_sampled(struct nbpmu *pmu, unsigned n, unsigned active)
{
    uint64_t *noted = noted_of(pmu, n);
    *noted = *noted ? *noted : active;
    return nbpmu_gate_open(pmu, n, (unsigned)*noted);
}

static bool gate_latched(struct nbpmu *pmu, unsigned n, unsigned active)
{
    uint64_t *noted = noted_of(pmu, n);
    *noted = *noted == NBPMU_LPS ? *noted : active;
    return nbpmu_gate_open(pmu, n, (unsigned)*noted);
}

FAULT(gate_open, lp0_taken_for_active,
      nbpmu_gate_open(pmu, n, nbpmu_has_ht(pmu) ? 1 + (unsigned)pmu->lp[1].active : active))

FAULT(gate_open, single_while_both,
      nbpmu_gate_open(pmu, n, active) || (CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) == ACTIVE_SINGLE &&
                                          active == NBPMU_LPS && (pmu->counter[n].cccr & CCCR_COMPARE)))

FAULT(gate_open, gate_ignored, true)

FAULT(gate_open, cell_wrong,
      nbpmu_gate_open(pmu, n, active) !=
          (CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) == fault_of(pmu)->at && fault_of(pmu)->to == active))

/* ---- What the filter sees of its CCCR ---- */

static uint32_t with_threshold(uint32_t cccr, unsigned threshold)
{
    return (uint32_t)((cccr & ~CCCR_THRESHOLD_MASK) | CCCR_THRESHOLD(threshold));
}

/* 15 stays: no value is above it. */
static uint32_t threshold_one_more(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(cccr);
    return with_threshold(cccr, threshold + (threshold >= fault_of(pmu)->at && threshold < NBPMU_VALUE_MAX));
}

FAULT(acts_by, threshold_bit_dead,
      with_threshold(cccr, (unsigned)CCCR_GET_THRESHOLD(cccr) & ~(1u << fault_of(pmu)->to)))
FAULT(acts_by, threshold_bit_stuck,
      with_threshold(cccr, (unsigned)CCCR_GET_THRESHOLD(cccr) | 1u << fault_of(pmu)->to))

/* By R16 COMPLEMENT counts the clocks without the event whatever mask and CPL bits are. */
static unsigned complement_needs(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool complements = counter->complements;
    const uint32_t escr = counter->escr_index == NO_ESCR ? 0 : pmu->escr[counter->escr_index].value;
    counter->complements &= !counter->has_event || (escr & fault_of(pmu)->row->beside);
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    counter->complements = complements;
    return increment;
}

/* ---- The comparison (R21, R22): a value that the filter gets too large always passes, with COMPLEMENT
 * never, and 0 the other way round. With one more, "above" becomes "at least". ---- */

/* Does the counter compare, with COMPLEMENT or without it, with a threshold from `least` on? */
static bool compares(const struct nbpmu *pmu, unsigned n, bool complement, unsigned least)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    return (cccr & CCCR_COMPARE) && ((cccr & CCCR_COMPLEMENT) != 0) == complement &&
           CCCR_GET_THRESHOLD(cccr) >= least;
}

static unsigned threshold_limits(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    const bool limits = !(cccr & CCCR_COMPARE) && (cccr & CCCR_THRESHOLD_MASK) && value > 1;
    return nbpmu_filter(pmu, n, limits ? 1 : value, gate_open);
}

FAULT(filter, reached, nbpmu_filter(pmu, n, value + compares(pmu, n, false, fault_of(pmu)->to), gate_open))
FAULT(filter, complement_below,
      nbpmu_filter(pmu, n, value + compares(pmu, n, true, fault_of(pmu)->to), gate_open))
FAULT(filter, above_never,
      nbpmu_filter(pmu, n, compares(pmu, n, false, fault_of(pmu)->at) ? 0 : value, gate_open))

FAULT(filter, complement_passes,
      nbpmu_filter(pmu, n, value >= fault_of(pmu)->at && compares(pmu, n, true, 0) ? 0 : value, gate_open))

static unsigned complement_lets_next(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(pmu->counter[n].cccr);
    const bool passes = threshold == fault_of(pmu)->at && value == threshold + 1 && compares(pmu, n, true, 0);
    return nbpmu_filter(pmu, n, passes ? 0 : value, gate_open);
}

static unsigned compare_inverted(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint32_t inverted = value >= fault_of(pmu)->at ? CCCR_COMPLEMENT : 0;
    pmu->counter[n].cccr ^= inverted;
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    pmu->counter[n].cccr ^= inverted;
    return increment;
}

/* With EDGE (to = 1) or without it. */
static unsigned passes_value(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    const bool passes = (cccr & CCCR_COMPARE) && ((cccr & CCCR_EDGE) != 0) == fault_of(pmu)->to;
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    return increment && passes ? value : increment;
}

static unsigned gate_before_complement(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const bool closed = (pmu->counter[n].cccr & CCCR_COMPARE) && !gate_open;
    return nbpmu_filter(pmu, n, closed ? 0 : value, closed || gate_open);
}

/* ---- The edge (R23) ---- */

static bool has_edge(const struct nbpmu *pmu, unsigned n)
{
    return (pmu->counter[n].cccr & CCCR_COMPARE) && (pmu->counter[n].cccr & CCCR_EDGE);
}

/* Falling edges, and (to = 1) rising ones. */
static unsigned edge_falling(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const bool before = pmu->counter[n].previous, now = nbpmu_passes_threshold(&pmu->counter[n], value);
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    return has_edge(pmu, n) ? gate_open && before != now && (before || fault_of(pmu)->to) : increment;
}

static unsigned edge_once(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const bool rising =
        has_edge(pmu, n) && !pmu->counter[n].previous && nbpmu_passes_threshold(&pmu->counter[n], value);
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    const bool again = rising && *noted_of(pmu, n);
    *noted_of(pmu, n) |= rising;
    return again ? 0 : increment;
}

static unsigned edge_rearms_at_0(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool stays = has_edge(pmu, n) && !(counter->cccr & CCCR_COMPLEMENT) && counter->previous && value;
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    counter->previous |= stays;
    return increment;
}

static unsigned edge_shared(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n], *other = other_of(pmu);
    if (!has_edge(pmu, n))
        return nbpmu_filter(pmu, n, value, gate_open);
    counter->previous = other->previous;
    other->previous = nbpmu_passes_threshold(counter, value);
    return nbpmu_filter(pmu, n, value, gate_open);
}

FAULT(filter, falling_dead,
      nbpmu_filter(pmu, n, value, gate_open) *
          !(has_edge(pmu, n) && compares(pmu, n, true, fault_of(pmu)->at)))

FAULT(filter, edge_needs_threshold,
      nbpmu_filter(pmu, n, value, gate_open) *
          !(has_edge(pmu, n) && !(pmu->counter[n].cccr & CCCR_THRESHOLD_MASK)))

DEED(then, restarts_all_edges,
     for (unsigned other = 0; other < PMC_COUNTERS; other++) restarts_edge(pmu, other))

static uint64_t restarts_twins_edge(struct nbpmu *pmu, int escr_index, uint64_t value)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (pmu->counter[n].escr_index == (escr_index ^ 1))
            restarts_edge(pmu, n);
    return value;
}

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_filters[] = {
    {"complement-needs-mask", "R16", "COMPLEMENT counts nothing with event mask 0",
     EVERY_CLOCK, .beside = ESCR_EVENT_MASK_MASK, .filter = complement_needs},
    {"complement-obeys-cpl", "R16", "COMPLEMENT counts nothing with all CPL bits clear",
     EVERY_CLOCK, .beside = ESCR_CPL_MASK, .filter = complement_needs},
    {"route-off", "R17", "ESCR select s routes position s + 1", EVERY_CLOCK, .acts_by = select_off},
    {"route-dead", "R17", "this ESCR reaches no counter", EVERY(escr), .route = escr_unreached},
    {"route-missing", "R17", "this counter gets nothing from this ESCR", .family = every_route, .route = route_missing},
    {"route-twin", "R17", "this counter is routed the other ESCR of each pair", EVERY(counter), .route = routes_twin},
    {"select-of-pair", "R17", "this counter is routed by the ESCR select of the other one of its pair",
     EVERY(counter_of_16), EVERY_CLOCK, .acts_by = select_of_pair},
    {"active-thread", "R18", "one cell of the ACTIVE_THREAD table is wrong",
     .part = PART_HT, .family = every_active_cell, EVERY_CLOCK, .gate_open = cell_wrong},
    {"gate-sampled", "R18", "this counter looks at who is active only when it is enabled",
     .part = PART_HT, EVERY(counter), EVERY_CLOCK, .gate_open = gate_sampled, .counts = forgets_at_start},
    {"gate-latched", "R18", "this counter does not notice that one of both halts",
     .part = PART_HT, EVERY(counter), EVERY_CLOCK, .gate_open = gate_latched, .counts = forgets_at_start},
    {"gate-single-compared", "R18",
     "ACTIVE_THREAD single lets this counter count while both are active, beside COMPARE",
     .part = PART_HT, EVERY(counter), EVERY_CLOCK, .gate_open = single_while_both},
    {"gate-lp0-always", "R18", "ACTIVE_THREAD takes LP0 for active whatever it does",
     .part = PART_HT, EVERY_CLOCK, .gate_open = lp0_taken_for_active},
    {"gate-ignored", "R18", "this counter ignores ACTIVE_THREAD",
     .part = PART_HT, EVERY(counter), EVERY_CLOCK, .gate_open = gate_ignored},
    {"complement-without-compare", "R21", "COMPLEMENT works without COMPARE",
     EVERY_CLOCK, .taken = CCCR_COMPARE, .beside = CCCR_COMPLEMENT},
    {"threshold-without-compare", "R21", "THRESHOLD works without COMPARE",
     EVERY_CLOCK, .taken = CCCR_COMPARE, .beside = CCCR_THRESHOLD_MASK},
    {"threshold-limits", "R21", "THRESHOLD without COMPARE limits the value to 1",
     EVERY_CLOCK, .filter = threshold_limits},
    {"edge-without-compare", "R21", "EDGE works without COMPARE",
     EVERY_CLOCK, .taken = CCCR_COMPARE, .beside = CCCR_EDGE},
    {"threshold-reached", "R22", "a value equal to THRESHOLD passes", EVERY_CLOCK, .filter = reached},
    {"above-never-from-3", "R22", "no value is greater than a THRESHOLD of 3 or more",
     .at = 3, EVERY_CLOCK, .filter = above_never},
    {"complement-passes-from-4", "R22", "COMPLEMENT passes every value of 4 or more",
     .at = 4, EVERY_CLOCK, .filter = complement_passes},
    {"complement-lets-next", "R22", "COMPLEMENT with this threshold passes what is one above it, too",
     .family = every_threshold_below_15, EVERY_CLOCK, .filter = complement_lets_next},
    {"compare-inverted-from-4", "R22", "the comparison is inverted for every value of 4 or more",
     .at = 4, EVERY_CLOCK, .filter = compare_inverted},
    {"threshold-one-more", "R22", "the comparison is with THRESHOLD + 1", EVERY_CLOCK, .acts_by = threshold_one_more},
    {"threshold-one-more-from-6", "R22", "the comparison is with THRESHOLD + 1, if it is 6 or more",
     .at = 6, EVERY_CLOCK, .acts_by = threshold_one_more},
    {"threshold-passes-value", "R22", "a passed threshold counts the value, not 1",
     EVERY_CLOCK, .filter = passes_value},
    {"complement-ignored", "R22", "COMPLEMENT has no effect", EVERY_CLOCK, .dead = CCCR_COMPLEMENT},
    {"complement-below", "R22", "COMPLEMENT passes a value below THRESHOLD, not an equal one",
     EVERY_CLOCK, .filter = complement_below},
    {"complement-below-from-2", "R22",
     "COMPLEMENT with a threshold of 2 or more passes what is below it on this counter, not an equal value",
     EVERY(counter_of_several), .to = 2, EVERY_CLOCK, .filter = complement_below},
    {"threshold-reached-from-1", "R22", "a value equal to a THRESHOLD of 1 or more passes on this counter",
     EVERY(counter), .to = 1, EVERY_CLOCK, .filter = reached},
    {"compare-dead", "R22", "this counter ignores COMPARE", EVERY(counter), .dead = CCCR_COMPARE},
    {"threshold-dead", "R22", "this counter takes THRESHOLD for 0", EVERY(counter), .dead = CCCR_THRESHOLD_MASK},
    {"threshold-bit-dead", "R22", "this counter takes this bit of THRESHOLD for 0",
     .family = every_threshold_bit, .acts_by = threshold_bit_dead},
    {"threshold-bit-stuck", "R22", "this counter takes this bit of THRESHOLD for 1",
     .family = every_threshold_of_a_bit, .acts_by = threshold_bit_stuck},
    {"threshold-passes-value-here", "R22", "a threshold that is passed counts the value on this counter",
     EVERY(counter), .filter = passes_value},
    {"complement-dead", "R22", "this counter ignores COMPLEMENT", EVERY(counter), .dead = CCCR_COMPLEMENT},
    {"edge-ignored", "R23", "EDGE has no effect", EVERY_CLOCK, .dead = CCCR_EDGE},
    {"edge-falling", "R23", "falling edges are counted", EVERY_CLOCK, .filter = edge_falling},
    {"edge-both", "R23", "both edges are counted", EVERY_CLOCK, .to = 1, .filter = edge_falling},
    {"edge-once", "R23", "only the first rising edge is counted",
     EVERY_CLOCK, .filter = edge_once, .counts = forgets_at_start},
    {"edge-at-cpl", "R23", "a level that stands has an edge when the CPL changes",
     EVERY_CLOCK, .when = CPL_CHANGES, .then = restarts_edge},
    {"edge-at-init", "R23", "a level that stands has an edge at INIT",
     .part = PART_HT, EVERY_CLOCK, .when = INIT, .then = restarts_edge},
    {"edge-at-hlt", "R23", "a level that stands has an edge when a logical processor halts",
     .part = PART_HT, EVERY_CLOCK, .when = HALTS, .then = restarts_edge},
    {"edge-at-cccr-write", "R23", "a level that stands has an edge when a CCCR is written",
     EVERY_CLOCK, .when = CCCR_WRITTEN, .then = restarts_all_edges},
    {"edge-at-read", "R57", "a level that stands has an edge when this counter is read",
     EVERY(counter), EVERY_CLOCK, .when = RDMSR_ANY, .then = restarts_edge},
    {"edge-dead", "R23", "this counter ignores EDGE", EVERY(counter), .dead = CCCR_EDGE},
    {"edge-rearms-at-0", "R23", "an edge is counted only after the value has been 0",
     EVERY_CLOCK, .filter = edge_rearms_at_0},
    {"edge-rearms-at-0-on", "R23", "this counter counts an edge only after the value has been 0",
     EVERY(counter_of_several), EVERY_CLOCK, .filter = edge_rearms_at_0},
    {"edge-shared", "R23", "these two counters share the state of their edge filters",
     .family = every_twins, EVERY_CLOCK, .filter = edge_shared},
    {"edge-restarted-by-twin", "R23", "a write of the other ESCR of the unit restarts an edge filter",
     EVERY_CLOCK, .escr_holds = restarts_twins_edge},
    {"edge-ignores-threshold", "R23", "EDGE compares with 0 whatever THRESHOLD",
     EVERY_CLOCK, .dead = CCCR_THRESHOLD_MASK, .beside = CCCR_EDGE},
    {"edge-ignores-complement", "R23", "EDGE takes the level without COMPLEMENT",
     EVERY_CLOCK, .dead = CCCR_COMPLEMENT, .beside = CCCR_EDGE},
    {"falling-dead-from-3", "R23", "EDGE with COMPLEMENT counts nothing from threshold 3 on",
     .at = 3, EVERY_CLOCK, .filter = falling_dead},
    {"edge-passes-value", "R23", "an edge counts the value, not 1", EVERY_CLOCK, .to = 1, .filter = passes_value},
    {"edge-needs-threshold", "R24", "EDGE counts nothing with THRESHOLD 0",
     EVERY_CLOCK, .filter = edge_needs_threshold},
    {"complement-needs-os", "R26", "COMPLEMENT counts nothing unless OS is set",
     EVERY_CLOCK, .beside = ESCR_T0_OS | ESCR_T1_OS, .filter = complement_needs},
    {"gate-before-complement", "R26", "a closed ACTIVE_THREAD gate gives value 0, which COMPLEMENT counts",
     .part = PART_HT, EVERY_CLOCK, .filter = gate_before_complement},
    {.name = NULL},
};
/* clang-format on */
