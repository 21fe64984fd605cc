/*
 * Faults of the increment and of the sum (R27, R28), of OVF (R29) and FORCE_OVF (R31), and of a CCCR's write
 * (R32).
 */
#include "faults.h"

/* ---- Families ---- */

/* Counters whose block has events on several ESCRs of their side, each with a number that is known. */
FAMILY(every_paired, number >= 4 && number < 16 && nbpmu_fault_counter(number, member))

/* Bits 0 and 1 of the increment, and all four bits of counters 2 and 3, which alone reach events that present
 * more than 3 in a clock. */
static bool every_increment_bit(unsigned number, struct fault_member *member)
{
    const unsigned n = number / 4, bit = number % 4;
    member->fault.only = (uint8_t)(n + 1);
    return n < PMC_COUNTERS && (bit < 2 || n == 2 || n == 3) &&
           nbpmu_fault_member(member, n, bit, "-%u-bit-%u", n, bit);
}

/* A different bit of the adder, from 6 to 39, for each counter. */
static bool every_counter_carry(unsigned number, struct fault_member *member)
{
    const unsigned bit = 6 + 11 * number % 34;
    member->fault.only = (uint8_t)(number + 1);
    return number < PMC_COUNTERS && nbpmu_fault_member(member, bit, 0, "-%u-bit-%u", number, bit);
}

FAMILY(every_third_carry,
       number < COUNTER_BITS / 3 && nbpmu_fault_member(member, 1 + 3 * number, 0, "-%u", 1 + 3 * number))

/* The counters of the BPU block count clocks, which are so many that rarer losses show. */
FAMILY(every_counter_losing,
       number < PMC_COUNTERS &&
           nbpmu_fault_member(at_counter(member, number), number < 4 ? 23 : 14, 0, "-on-%u", number))

/* The second and the third overflow of each counter. */
static bool every_nth(unsigned number, struct fault_member *member)
{
    const unsigned n = number / 2, overflow = 2 + number % 2;
    member->fault.only = (uint8_t)(n + 1);
    return n < PMC_COUNTERS && nbpmu_fault_member(member, n, overflow, "-%u-%u", n, overflow);
}

/* ---- The increment (R6, R27) ---- */

static unsigned gets_neighbours(const struct nbpmu *pmu, unsigned n)
{
    const bool differs = pmu->counter[n ^ 1].escr_index != pmu->counter[n].escr_index;
    return nbpmu_value(pmu, n) | ((pmu->running >> (n ^ 1) & 1) && differs ? nbpmu_value(pmu, n ^ 1) : 0);
}

FAULT(filter, counter_dead, 0 * nbpmu_filter(pmu, n, value, gate_open))

FAULT(filter, counts_twice, 2 * nbpmu_filter(pmu, n, value, gate_open))
FAULT(filter, counts_one, nbpmu_filter(pmu, n, value, gate_open) != 0)

FAULT(filter, idle_when_all_run,
      nbpmu_filter(pmu, n, value, gate_open) * (pmu->running != FIELD_MASK(PMC_COUNTERS - 1, 0)))

FAULT(filter, increment_bit_dead, nbpmu_filter(pmu, n, value, gate_open) & ~(1u << fault_of(pmu)->to))

/* ---- The adder: a carry into bit `at` goes wrong (R27, R28) ---- */

static bool carries(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t below = 1ull << fault_of(pmu)->at;
    return (pmu->counter[n].value & (below - 1)) + increment >= below;
}

FAULT(distance, to_carry, nbpmu_distance_to_carry_into(fault_of(pmu)->at, pmu->counter[n].value))

/* Add, and then this often 2 to the power of `at`. */
static bool add_and(struct nbpmu *pmu, unsigned n, unsigned increment, uint64_t times)
{
    const bool overflow = nbpmu_add(pmu, n, increment);
    pmu->counter[n].value = (pmu->counter[n].value + (times << fault_of(pmu)->at)) & COUNTER_MASK;
    return overflow;
}

FAULT(add, carry_lost, add_and(pmu, n, increment, carries(pmu, n, increment) ? UINT64_MAX : 0))
FAULT(add, carry_twice, add_and(pmu, n, increment, carries(pmu, n, increment)))

static bool carry_sticks(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = pmu->counter[n].value;
    const bool sticks = carries(pmu, n, increment), overflow = nbpmu_add(pmu, n, increment);
    pmu->counter[n].value = sticks ? before : pmu->counter[n].value;
    return overflow;
}

static bool wraps(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool overflow = carries(pmu, n, increment);
    nbpmu_add(pmu, n, increment);
    pmu->counter[n].value &= FIELD_MASK64(fault_of(pmu)->at - 1, 0);
    return overflow;
}

static bool overflows_at_carry(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool overflow = carries(pmu, n, increment);
    return nbpmu_add(pmu, n, increment) || overflow;
}

/* One count in 2 to the power of `at` is lost. Noted is how many more the counter counted than its value
 * says; it changes when the counter gets a value that it has not counted to. */
static uint64_t counted(const struct nbpmu *pmu, unsigned n)
{
    return *noted_of(pmu, n) + pmu->counter[n].value;
}

static bool count_lost(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = counted(pmu, n), below = (1ull << fault_of(pmu)->at) - 1;
    const bool overflow = pmu->counter[n].value + increment > COUNTER_MASK;
    nbpmu_add(pmu, n, (before & below) + increment > below ? increment - 1 : increment);
    *noted_of(pmu, n) = before + increment - pmu->counter[n].value;
    return overflow;
}

static bool keeps_counted(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool counter = nbpmu_register_of(msr) == REG_COUNTER;
    const uint64_t before = counter ? counted(pmu, msr - MSR_COUNTER(0)) : 0;
    const bool taken = nbpmu_write(pmu, lp, msr, value);
    if (counter)
        *noted_of(pmu, msr - MSR_COUNTER(0)) = before - pmu->counter[msr - MSR_COUNTER(0)].value;
    return taken;
}

FAULT(distance, to_lost_count, nbpmu_distance_to_carry_into(fault_of(pmu)->at, counted(pmu, n)))

/* ---- What is an overflow (R28, R29) ---- */

FAULT(add, only_onto_0, nbpmu_add(pmu, n, increment) && pmu->counter[n].value == 0)
FAULT(add, not_compared, nbpmu_add(pmu, n, increment) && !(pmu->counter[n].cccr & CCCR_COMPARE))

static bool one_early(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = pmu->counter[n].value;
    nbpmu_add(pmu, n, increment);
    return before != COUNTER_MASK && before + increment >= COUNTER_MASK;
}

uint64_t nbpmu_fault_to_one_early(const struct nbpmu *pmu, unsigned n)
{
    const uint64_t value = pmu->counter[n].value;
    return value < COUNTER_MASK ? COUNTER_MASK - 1 - value : 0;
}

static bool one_late(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool at_0 = pmu->counter[n].value == 0;
    nbpmu_add(pmu, n, increment);
    return at_0;
}

FAULT(distance, to_one_late, pmu->counter[n].value == 0 ? 0 : COUNTER_MASK)

FAULT(add, ends_ovf, pmu->counter[n].cccr &= ~CCCR_OVF, nbpmu_add(pmu, n, increment))

/* ---- OVF (R29) ---- */

bool nbpmu_fault_sets_ovf(struct nbpmu *pmu, unsigned n)
{
    nbpmu_overflow(pmu, n);
    return (pmu->counter[n].cccr & CCCR_OVF) && pmu->counter[n].ovf_by_hardware;
}

DEED(overflow, overflow_stops, if (nbpmu_fault_sets_ovf(pmu, n)) disables(pmu, n))
DEED(overflow, ovf_missing, )

static void lost_beside(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    const uint32_t overflowing = defects_of(pmu)->overflowing;
    if (n == fault->to && (overflowing >> fault->at & 1))
        pmu->counter[fault->at].cccr &= ~CCCR_OVF;
    if (n != fault->at || !(overflowing >> fault->to & 1))
        nbpmu_overflow(pmu, n);
}

DEED(overflow, sets_other_too, other_of(pmu)->cccr |= CCCR_OVF; nbpmu_overflow(pmu, n))

DEED(overflow, nth_lost, if (++*noted_of(pmu, n) % 256 != fault_of(pmu)->to) nbpmu_overflow(pmu, n))

/* An overflow while OVF is set changes these bits of the CCCR (to = 0: OVF, 1: ENABLE). */
static void again_clears(struct nbpmu *pmu, unsigned n)
{
    const uint32_t bits = fault_of(pmu)->to ? CCCR_ENABLE : CCCR_OVF;
    const uint32_t stood = pmu->counter[n].cccr & CCCR_OVF ? pmu->counter[n].cccr & bits : 0;
    nbpmu_overflow(pmu, n);
    pmu->counter[n].cccr &= ~stood;
    pmu->stale |= stood != 0;
}

/* ---- FORCE_OVF (R31): it sets OVF of its own counter, whatever else the CCCR has, and changes nothing else
 * ---- */

FAULT(acts_by, dead_when_negative, pmu->counter[n].value > COUNTER_MASK / 2 ? cccr & ~CCCR_FORCE_OVF : cccr)

FAULT(distance, to_sign,
      pmu->counter[n].value > COUNTER_MASK / 2 ? COUNTER_MASK : COUNTER_MASK / 2 - pmu->counter[n].value)

FAULT(acts_by, dead_by_several, several_on(pmu, n) ? cccr & ~CCCR_FORCE_OVF : cccr)

/* The filter or the gate suppresses the event, and OVF is set all the same. */
static unsigned force_if(struct nbpmu *pmu, unsigned n, bool passed, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (!increment && passed && is_forced(pmu, n) && !(counter->cccr & CCCR_OVF)) {
        counter->cccr |= CCCR_OVF;
        pmu->stale = true;
    }
    return increment;
}

FAULT(filter, forced_before_filter, force_if(pmu, n, value, nbpmu_filter(pmu, n, value, gate_open)))
FAULT(filter, forced_before_gate, force_if(pmu, n, !gate_open, nbpmu_filter(pmu, n, value, gate_open)))

static void forced_once(struct nbpmu *pmu, unsigned n)
{
    const bool again = is_forced(pmu, n) && *noted_of(pmu, n);
    *noted_of(pmu, n) |= is_forced(pmu, n);
    if (!again)
        nbpmu_overflow(pmu, n);
}

DEED(overflow, forces_other, nbpmu_overflow(pmu, is_forced(pmu, n) ? fault_of(pmu)->other - 1u : n))

FAULT(add, forced_adds_nothing, nbpmu_add(pmu, n, is_forced(pmu, n) ? 0 : increment))

DEED(overflow, forced_clears, if (is_forced(pmu, n)) clears_counter(pmu, n); nbpmu_overflow(pmu, n))

/* ---- Writes of a CCCR (R29, R32) ---- */

FAULT(cccr_holds, force_sets_ovf, now &CCCR_FORCE_OVF ? now | CCCR_OVF : now)
FAULT(cccr_holds, keeps_ovf, now | (pmu->counter[n].cccr & CCCR_OVF))
FAULT(cccr_holds, loses_ovf, now & ~CCCR_OVF)
FAULT(cccr_holds, enable_clears_ovf, now & ~pmu->counter[n].cccr & CCCR_ENABLE ? now & ~CCCR_OVF : now)
FAULT(cccr_holds, in_halves, now &FIELD_MASK(23, 12) ? now &FIELD_MASK(23, 0) : now)

static bool high_write_lost(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool lost =
        value >> 32 && msr == MSR_CCCR(fault_of(pmu)->at) && !nbpmu_write_faults(pmu, msr, value);
    return lost || nbpmu_write(pmu, lp, msr, value);
}

DEED(then, takes_count_if_running, if (pmu->running >> n & 1) takes_count(pmu, n))

/* clang-format off */
#define CARRY_TWICE(bit) \
    {"carry-twice-" #bit, "R27", "a carry into bit " #bit " adds 2^" #bit " twice", \
     .at = bit, .add = carry_twice, .distance = to_carry}
#define COUNT_LOST(bit) \
    {"count-lost-" #bit, "R27", "one count in 2^" #bit " is lost", \
     .at = bit, .add = count_lost, .write = keeps_counted, .distance = to_lost_count}
#define WRAPS_AT(bit) \
    {"wraps-at-" #bit, "R28", "a counter wraps and overflows at " #bit " bits", .at = bit, .add = wraps, .distance = to_carry}
#define OVF_AT_CARRY(bit) \
    {"ovf-at-carry-" #bit, "R28", "a carry into bit " #bit " is an overflow too", \
     .at = bit, .add = overflows_at_carry, .distance = to_carry}

const struct nbpmu_fault_row nbpmu_fault_counts[] = {
    {"counter-dead", "R27", "this counter never advances", EVERY(counter), .filter = counter_dead},
    {"counts-twice", "R27", "every increment is added twice", .filter = counts_twice},
    {"counts-one", "R27", "1 is added whatever the increment", .filter = counts_one},
    {"idle-when-all-run", "R27", "this counter does not count while all 18 run",
     EVERY(counter), .filter = idle_when_all_run},
    {"gets-neighbours", "R6",
     "this counter also gets the value of the ESCR that the other one of its pair selects",
     .family = every_paired, EVERY_CLOCK, .value = gets_neighbours},
    {"counts-one-here", "R27", "this counter adds 1 whatever the increment", EVERY(counter), .filter = counts_one},
    {"increment-bit-dead", "R27", "this counter takes this bit of the increment for 0",
     .family = every_increment_bit, .filter = increment_bit_dead},
    {"carry-lost", "R27", "a carry into this bit is lost",
     .family = every_third_carry, .add = carry_lost, .distance = to_carry},
    {"carry-lost", "R27", "a carry into this bit of this counter is lost",
     .family = every_counter_carry, .add = carry_lost, .distance = to_carry},
    {"carry-sticks", "R27", "a counter stops before a carry into this bit",
     .family = every_counter_carry, .add = carry_sticks, .distance = to_carry},
    CARRY_TWICE(24), CARRY_TWICE(33),
    COUNT_LOST(12), COUNT_LOST(16), COUNT_LOST(20),
    {"count-lost", "R27", "this counter loses one count in 2^14, and in the BPU block one in 2^23",
     .family = every_counter_losing, .add = count_lost, .write = keeps_counted, .distance = to_lost_count},
    {"wraps", "R28", "this counter wraps and overflows at this width",
     .family = every_counter_carry, .add = wraps, .distance = to_carry},
    {"ovf-at-carry", "R28", "a carry into this bit of this counter is an overflow too",
     .family = every_counter_carry, .add = overflows_at_carry, .distance = to_carry},
    WRAPS_AT(32), WRAPS_AT(39),
    {"step-over-missed", "R28", "a step over 0 does not overflow, only one onto 0 does", .add = only_onto_0},
    {"step-over-missed-here", "R28", "a step over 0 does not overflow this counter",
     EVERY(counter), .add = only_onto_0},
    OVF_AT_CARRY(16), OVF_AT_CARRY(32), OVF_AT_CARRY(39),
    {"ovf-not-compared", "R28", "a counter with COMPARE does not overflow", .add = not_compared},
    {"overflow-stops", "R28", "a counter stops when it overflows", .overflow = overflow_stops},
    {"ovf-missing", "R29", "this counter does not set OVF", EVERY(counter), .overflow = ovf_missing},
    {"ovf-lost-beside", "R29",
     "the first counter's OVF is lost when the second one overflows in the same clock",
     EVERY(beside), .overflow = lost_beside, .anywhere = true},
    {"ovf-also-on", "R29", "an overflow of the first counter sets OVF of the second one as well",
     EVERY(next_counter), .overflow = sets_other_too},
    {"ovf-early", "R29", "OVF is set one count early", .add = one_early, .distance = nbpmu_fault_to_one_early},
    {"ovf-late", "R29", "OVF is set one count late", .add = one_late, .distance = to_one_late},
    {"ovf-not-sticky", "R29", "OVF is cleared by the next count", .add = ends_ovf},
    {"ovf-lost-at", "R29", "this overflow of this counter since its CCCR was 0 does not set OVF",
     .family = every_nth, .overflow = nth_lost, .cccr_holds = forgets_at_0},
    {"ovf-toggles", "R29", "an overflow of this counter clears an OVF that stands",
     EVERY(counter), .overflow = again_clears},
    {"overflow-again-stops", "R29", "this counter stops when it overflows while its OVF stands",
     EVERY(counter), .to = 1, .overflow = again_clears},
    {"ovf-cleared-by-reading", "R29", "reading a CCCR clears its OVF", .when = CCCR_READ, .clears = CCCR_OVF},
    {"ovf-cannot-be-cleared", "R29", "a CCCR write cannot clear OVF", .cccr_holds = keeps_ovf},
    {"force-ignored", "R31", "FORCE_OVF has no effect", .dead = CCCR_FORCE_OVF},
    {"force-dead", "R31", "this counter ignores FORCE_OVF", EVERY(counter), .dead = CCCR_FORCE_OVF},
    {"force-positive-only", "R31", "FORCE_OVF has no effect on a negative count",
     .acts_by = dead_when_negative, .distance = to_sign},
    {"force-dead-compared", "R31", "this counter ignores FORCE_OVF beside COMPARE",
     EVERY(counter), .dead = CCCR_FORCE_OVF, .beside = CCCR_COMPARE},
    {"force-dead-complement", "R31", "FORCE_OVF has no effect beside COMPLEMENT",
     .dead = CCCR_FORCE_OVF, .beside = CCCR_COMPLEMENT},
    {"force-dead-threshold-15", "R31", "FORCE_OVF has no effect when THRESHOLD has its highest bit set",
     .dead = CCCR_FORCE_OVF, .beside = FIELD_MASK(23, 23)},
    {"force-dead-edge", "R31", "FORCE_OVF has no effect beside EDGE", .dead = CCCR_FORCE_OVF, .beside = CCCR_EDGE},
    {"force-before-filter", "R31", "this counter's FORCE_OVF acts on events that the filter suppresses",
     EVERY(counter), EVERY_CLOCK, .filter = forced_before_filter},
    {"force-before-gate", "R31", "FORCE_OVF acts while the ACTIVE_THREAD gate is closed",
     .part = PART_HT, EVERY_CLOCK, .filter = forced_before_gate},
    {"force-dead-several", "R31", "FORCE_OVF of this counter has no effect in a clock with a value above 1",
     EVERY(counter), .acts_by = dead_by_several},
    {"force-once", "R31", "FORCE_OVF of this counter sets OVF once until ENABLE is cleared",
     EVERY(counter), .overflow = forced_once, .cccr_holds = forgets_when_disabled},
    {"force-on-next", "R31", "FORCE_OVF of the first counter sets OVF of the second one instead",
     EVERY(next_counter), .overflow = forces_other},
    {"force-loses-count", "R31", "this counter does not advance with FORCE_OVF",
     EVERY(counter), .add = forced_adds_nothing},
    {"force-clears", "R31", "a forced overflow sets the counter to 0", .overflow = forced_clears},
    {"force-sets-ovf-at-once", "R31", "writing FORCE_OVF sets OVF without a count", .cccr_holds = force_sets_ovf},
    {"cccr-in-halves", "R32", "a CCCR write that sets one of bits 23:12 leaves bits 31:24 clear",
     .cccr_holds = in_halves},
    {"cccr-write-loses-ovf", "R32", "a CCCR write clears OVF even when it carries it", .cccr_holds = loses_ovf},
    {"cccr-high-lost", "R3", "a write of this CCCR with EDX not 0 is lost", EVERY(counter), .write = high_write_lost},
    {"enable-clears-ovf", "R32", "a CCCR write that sets ENABLE clears OVF though it carries it",
     .cccr_holds = enable_clears_ovf},
    {"ack-clears-other", "R32", "clearing OVF of the first counter clears OVF of the second one",
     EVERY(beside), .when = OVF_CLEARED, .clears = CCCR_OVF},
    {"stop-stops-other", "R32", "clearing ENABLE of the first counter clears ENABLE of the second one",
     EVERY(next_counter), .when = ENABLE_CLEARED, .clears = CCCR_ENABLE},
    {"start-clears-other", "R32", "setting ENABLE of the first counter sets the second one to 0",
     EVERY(next_counter), .when = ENABLE_SET, .then = clears_counter},
    {"cccr-costs-other", "R32", "a write of the first CCCR costs the second counter, which runs, a count",
     EVERY(next_counter), .when = CCCR_WRITTEN, .then = takes_count_if_running},
    {"stop-costs-count", "R32", "clearing ENABLE of this counter takes a count from it",
     EVERY(counter), .when = ENABLE_CLEARED, .then = takes_count},
    {"cccr-write-clears-counter", "R32", "a CCCR write clears its counter",
     .when = CCCR_WRITTEN, .then = clears_counter},
    {.name = NULL},
};
/* clang-format on */
