/*
 * Faults of the route from ESCR to counter (R17), of the gate (R18), and of the filter (R16, R21 to R26).
 */
#include "faults.h"

/* ---- Families ---- */

#define ESCR_SELECTS 8

static bool nbpmu_fault_route(unsigned number, struct fault_member *member)
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

static bool nbpmu_fault_cell(unsigned number, struct fault_member *member)
{
    const unsigned field = number / (NBPMU_LPS + 1), active = number % (NBPMU_LPS + 1);
    if (active == 0)
        member->unseen = "counters are powered down while every logical processor is halted (R20, R42)";
    return field < 4 && nbpmu_fault_member(member, field, active, "-%u-active-%u", field, active);
}

FAMILY(threshold_below_15, nbpmu_fault_bit_of(number, FIELD_MASK(14, 0), member))
FAMILY_OF_COUNTERS(threshold_bit, 4, true, n, i, "-%u-bit-%u", n, i)
FAMILY_OF_COUNTERS(threshold_of_a_bit, 1, true, n, n % 4, "-%u-bit-%u", n, n % 4)

/* Two counters that can have one ESCR: the pairs, 16 with 12, and 17 with 14. */
FAMILY(twins, number < 8 ? nbpmu_fault_two_counters(2 * number, 2 * number + 1, member)
                         : number < 10 && nbpmu_fault_two_counters(8 + number, 2 * number - 4, member))

/* ---- The route ---- */

FAULT(acts_by, select_off, with_field(cccr, CCCR_ESCR_SELECT_MASK, cccr + CCCR_ESCR_SELECT(1)))
FAULT(acts_by, select_of_pair,
      pmu->counter[n ^ 1].cccr ? with_field(cccr, CCCR_ESCR_SELECT_MASK, pmu->counter[n ^ 1].cccr) : cccr)
FAULT(route, escr_unreached, SOUND(route) == ESCR_MSR(fault->at) ? 0 : SOUND(route))
FAULT(route, route_missing, SOUND(route) == nbpmu_escr_route(n, fault->to) ? 0 : SOUND(route))
FAULT(route, routes_twin, SOUND(route) ^ nbpmu_escr_exists(SOUND(route) ^ 1))

/* ---- ACTIVE_THREAD ---- */

/* What the fault has noted of a counter is forgotten when the counter starts. */
AFTER(counts, forgets_at_start, *noted_of(pmu, n) *= !result || (pmu->running >> n & 1))

/* The counter keeps what is noted: any number (to = 0), or that one. */
static bool gate_kept(struct nbpmu *pmu, unsigned n, unsigned active)
{
    uint64_t *noted = noted_of(pmu, n);
    if (fault_of(pmu)->to ? *noted != fault_of(pmu)->to : !*noted)
        *noted = active;
    return nbpmu_gate_open(pmu, n, (unsigned)*noted);
}

FAULT(gate_open, lp0_active, nbpmu_gate_open(pmu, n, nbpmu_has_ht(pmu) ? 1u + pmu->lp[1].active : active))
FAULT(gate_open, single_while_both,
      SOUND(gate_open) || (CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) == ACTIVE_SINGLE &&
                           active == NBPMU_LPS && has_bits(pmu, n, CCCR_COMPARE)))
FAULT(gate_open, gate_ignored, true)
FAULT(gate_open, wrong_cell,
      SOUND(gate_open) != (CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) == fault->at && fault->to == active))

/* ---- What the filter sees of its CCCR ---- */

/* 15 stays: no value is above it. */
FAULT(acts_by, threshold_one_more, cccr + CCCR_THRESHOLD((CCCR_GET_THRESHOLD(cccr) + 1) % 16 > fault->at))
FAULT(acts_by, threshold_bit_dead, cccr & ~CCCR_THRESHOLD(1u << fault->to))
FAULT(acts_by, threshold_bit_stuck, cccr | CCCR_THRESHOLD(1u << fault->to))

/* By R16 COMPLEMENT counts the clocks without the event whatever mask and CPL bits are. */
static unsigned complement_needs(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool complements = counter->complements;
    counter->complements &= !counter->has_event || (escr_of(pmu, n).value & fault_of(pmu)->row->beside);
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    counter->complements = complements;
    return increment;
}

/* ---- The comparison (R21, R22): a value that the filter gets too large always passes, with COMPLEMENT
 * never, and 0 the other way round. With one more, "above" becomes "at least". ---- */

#define FILTERED(value) nbpmu_filter(pmu, n, value, gate_open)

/* Does the counter compare, with COMPLEMENT or without it, with a threshold from `least` on? */
static bool compares(const struct nbpmu *pmu, unsigned n, bool complement, unsigned least)
{
    return has_bits(pmu, n, CCCR_COMPARE) && has_bits(pmu, n, CCCR_COMPLEMENT) == complement &&
           CCCR_GET_THRESHOLD(pmu->counter[n].cccr) >= least;
}

FAULT(filter, threshold_limits,
      FILTERED(has_bits(pmu, n, CCCR_THRESHOLD_MASK) && !has_bits(pmu, n, CCCR_COMPARE) && value ? 1 : value))
FAULT(filter, reached, FILTERED(value + compares(pmu, n, false, fault->to)))
FAULT(filter, lets_below, FILTERED(value + compares(pmu, n, true, fault->to)))
FAULT(filter, above_never, FILTERED(compares(pmu, n, false, fault->at) ? 0 : value))
FAULT(filter, passes_large, FILTERED(value >= fault->at && compares(pmu, n, true, 0) ? 0 : value))
FAULT(filter, lets_next,
      FILTERED(value == fault->at + 1u && compares(pmu, n, true, value - 1) && !compares(pmu, n, true, value)
                   ? 0
                   : value))

static unsigned compare_inverted(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint32_t inverted = value >= fault_of(pmu)->at ? CCCR_COMPLEMENT : 0;
    pmu->counter[n].cccr ^= inverted;
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    pmu->counter[n].cccr ^= inverted;
    return increment;
}

/* With EDGE (to = 1) or without it. */
FAULT(filter, passes_value,
      SOUND(filter) *
          (has_bits(pmu, n, CCCR_COMPARE) && has_bits(pmu, n, CCCR_EDGE) == fault->to ? value : 1))
FAULT(filter, complement_passes_value,
      SOUND(filter) *
          (value > 1 && has_bits(pmu, n, CCCR_COMPARE | CCCR_COMPLEMENT) && !has_bits(pmu, n, CCCR_EDGE)
               ? value
               : 1))
FAULT(filter, gate_before_complement,
      has_bits(pmu, n, CCCR_COMPARE) ? nbpmu_filter(pmu, n, gate_open ? value : 0, true) : SOUND(filter))

/* ---- The edge (R23) ---- */

static bool has_edge(const struct nbpmu *pmu, unsigned n)
{
    return has_bits(pmu, n, CCCR_COMPARE) && has_bits(pmu, n, CCCR_EDGE);
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

static unsigned shared(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n], *other = other_of(pmu);
    if (!has_edge(pmu, n))
        return nbpmu_filter(pmu, n, value, gate_open);
    counter->previous = other->previous;
    other->previous = nbpmu_passes_threshold(counter, value);
    return nbpmu_filter(pmu, n, value, gate_open);
}

FAULT(filter, falling_dead, SOUND(filter) * !(has_edge(pmu, n) && compares(pmu, n, true, fault->at)))
FAULT(filter, needs_threshold, SOUND(filter) * !(has_edge(pmu, n) && !has_bits(pmu, n, CCCR_THRESHOLD_MASK)))
DEED(then, restarts_all, for (unsigned other = 0; other < PMC_COUNTERS; other++) restarts_edge(pmu, other))

static uint64_t restarts_twins_edge(struct nbpmu *pmu, int escr_index, uint64_t value)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        pmu->counter[n].previous &= pmu->counter[n].escr_index != (escr_index ^ 1);
    return value;
}

/* clang-format off */
#define EDGE_AT(name, rule, time, ...) \
    {"edge-at-" name, rule, "a level that stands has an edge " time, __VA_ARGS__}

const struct nbpmu_fault_row nbpmu_fault_filters[] = {
    {"complement-needs-mask", "R16", "COMPLEMENT counts nothing with event mask 0", .beside = ESCR_EVENT_MASK_MASK,
     .filter = complement_needs},
    {"complement-obeys-cpl", "R16", "COMPLEMENT counts nothing with all CPL bits clear", .beside = ESCR_CPL_MASK,
     .filter = complement_needs},
    {"route-off", "R17", "ESCR select s routes position s + 1", .acts_by = select_off},
    {"route-dead", "R17", "this ESCR reaches no counter", EVERY(escr), .route = escr_unreached},
    {"route-missing", "R17", "this counter gets nothing from this ESCR", EVERY(route), .route = route_missing},
    {"route-twin", "R17", "this counter is routed the other ESCR of each pair", EVERY(counter), .route = routes_twin},
    {"select-of-pair", "R17", "this counter is routed by the ESCR select of the other one of its pair",
     EVERY(counter_of_16), .acts_by = select_of_pair},
    {"active-thread", "R18", "one cell of the ACTIVE_THREAD table is wrong", HT, EVERY(cell), .gate_open = wrong_cell},
    {"gate-sampled", "R18", "this counter looks at who is active only when it is enabled", HT, EVERY(counter),
     .gate_open = gate_kept, .counts = forgets_at_start},
    {"gate-latched", "R18", "this counter does not notice that one of both halts", HT, EVERY(counter), .to = NBPMU_LPS,
     .gate_open = gate_kept, .counts = forgets_at_start},
    {"gate-single-compared", "R18",
     "ACTIVE_THREAD single lets this counter count while both are active, beside COMPARE", HT, EVERY(counter),
     .gate_open = single_while_both},
    {"gate-lp0-always", "R18", "ACTIVE_THREAD takes LP0 for active whatever it does", HT, .gate_open = lp0_active},
    {"gate-ignored", "R18", "this counter ignores ACTIVE_THREAD", HT, EVERY(counter), .gate_open = gate_ignored},
    {"active-thread-ignored", "R18", "every counter ignores ACTIVE_THREAD", HT, .gate_open = gate_ignored},
    {"complement-without-compare", "R21", "COMPLEMENT works without COMPARE", .taken = CCCR_COMPARE,
     .beside = CCCR_COMPLEMENT},
    {"threshold-without-compare", "R21", "THRESHOLD works without COMPARE", .taken = CCCR_COMPARE,
     .beside = CCCR_THRESHOLD_MASK},
    {"threshold-limits", "R21", "THRESHOLD without COMPARE limits the value to 1", .filter = threshold_limits},
    {"edge-without-compare", "R21", "EDGE works without COMPARE", .taken = CCCR_COMPARE, .beside = CCCR_EDGE},
    {"threshold-reached", "R22", "a value equal to THRESHOLD passes", .filter = reached},
    {"above-never-from-3", "R22", "no value is greater than a THRESHOLD of 3 or more", .at = 3, .filter = above_never},
    {"complement-passes-from-4", "R22", "COMPLEMENT passes every value of 4 or more", .at = 4, .filter = passes_large},
    {"complement-lets-next", "R22", "COMPLEMENT with this threshold passes what is one above it, too",
     EVERY(threshold_below_15), .filter = lets_next},
    {"compare-inverted-from-4", "R22", "the comparison is inverted for every value of 4 or more", .at = 4,
     .filter = compare_inverted},
    {"threshold-one-more", "R22", "the comparison is with THRESHOLD + 1", .acts_by = threshold_one_more},
    {"threshold-one-more-from-6", "R22", "the comparison is with THRESHOLD + 1, if it is 6 or more", .at = 6,
     .acts_by = threshold_one_more},
    {"threshold-passes-value", "R22", "a passed threshold counts the value, not 1", .filter = passes_value},
    {"complement-passes-value", "R22", "a threshold that is passed with COMPLEMENT set counts the value, not 1",
     .filter = complement_passes_value},
    {"complement-ignored", "R22", "COMPLEMENT has no effect", .dead = CCCR_COMPLEMENT},
    {"complement-below", "R22", "COMPLEMENT passes a value below THRESHOLD, not an equal one", .filter = lets_below},
    {"complement-below-from-2", "R22",
     "COMPLEMENT with a threshold of 2 or more passes what is below it on this counter, not an equal value",
     EVERY(counter_of_several), .to = 2, .filter = lets_below},
    {"threshold-reached-from-1", "R22", "a value equal to a THRESHOLD of 1 or more passes on this counter",
     EVERY(counter), .to = 1, .filter = reached},
    {"compare-dead", "R22", "this counter ignores COMPARE", EVERY(counter), .dead = CCCR_COMPARE},
    {"threshold-dead", "R22", "this counter takes THRESHOLD for 0", EVERY(counter), .dead = CCCR_THRESHOLD_MASK},
    {"threshold-ignored", "R22", "THRESHOLD is taken for 0", .dead = CCCR_THRESHOLD_MASK},
    {"threshold-bit-dead", "R22", "this counter takes this bit of THRESHOLD for 0", EVERY(threshold_bit),
     .acts_by = threshold_bit_dead},
    {"threshold-bit-stuck", "R22", "this counter takes this bit of THRESHOLD for 1", EVERY(threshold_of_a_bit),
     .acts_by = threshold_bit_stuck},
    {"threshold-passes-value-here", "R22", "a threshold that is passed counts the value on this counter",
     EVERY(counter), .filter = passes_value},
    {"complement-dead", "R22", "this counter ignores COMPLEMENT", EVERY(counter), .dead = CCCR_COMPLEMENT},
    {"edge-ignored", "R23", "EDGE has no effect", .dead = CCCR_EDGE},
    {"edge-falling", "R23", "falling edges are counted", .filter = edge_falling},
    {"edge-both", "R23", "both edges are counted", .to = 1, .filter = edge_falling},
    {"edge-once", "R23", "only the first rising edge is counted", .filter = edge_once, .counts = forgets_at_start},
    EDGE_AT("cpl", "R23", "when the CPL changes", .when = CPL_CHANGES, .then = restarts_edge),
    EDGE_AT("init", "R23", "at INIT", HT, .when = INIT, .then = restarts_edge),
    EDGE_AT("hlt", "R23", "when a logical processor halts", HT, .when = HALTS, .then = restarts_edge),
    EDGE_AT("cccr-write", "R23", "when a CCCR is written", .when = CCCR_WRITTEN, .then = restarts_all),
    EDGE_AT("read", "R57", "when this counter is read", EVERY(counter), .when = RDMSR_ANY, .then = restarts_edge),
    {"edge-dead", "R23", "this counter ignores EDGE", EVERY(counter), .dead = CCCR_EDGE},
    {"edge-rearms-at-0", "R23", "an edge is counted only after the value has been 0", .filter = edge_rearms_at_0},
    {"edge-rearms-at-0-on", "R23", "this counter counts an edge only after the value has been 0",
     EVERY(counter_of_several), .filter = edge_rearms_at_0},
    {"edge-shared", "R23", "these two counters share the state of their edge filters", EVERY(twins), .filter = shared},
    {"edge-restarted-by-twin", "R23", "a write of the other ESCR of the unit restarts an edge filter",
     .escr_holds = restarts_twins_edge},
    {"edge-ignores-threshold", "R23", "EDGE compares with 0 whatever THRESHOLD", .dead = CCCR_THRESHOLD_MASK,
     .beside = CCCR_EDGE},
    {"edge-ignores-complement", "R23", "EDGE takes the level without COMPLEMENT", .dead = CCCR_COMPLEMENT,
     .beside = CCCR_EDGE},
    {"falling-dead-from-3", "R23", "EDGE with COMPLEMENT counts nothing from threshold 3 on", .at = 3,
     .filter = falling_dead},
    {"edge-passes-value", "R23", "an edge counts the value, not 1", .to = 1, .filter = passes_value},
    {"edge-needs-threshold", "R24", "EDGE counts nothing with THRESHOLD 0", .filter = needs_threshold},
    {"complement-needs-os", "R26", "COMPLEMENT counts nothing unless OS is set", .beside = ESCR_T0_OS | ESCR_T1_OS,
     .filter = complement_needs},
    {"gate-before-complement", "R26", "a closed ACTIVE_THREAD gate gives value 0, which COMPLEMENT counts", HT,
     .filter = gate_before_complement},
    {.name = NULL},
};
